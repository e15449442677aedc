import type { InstalledPackage } from '#src/apps/advisories/read-installed.ts';
import type { RecorderAddress } from '#report/recorder-url.ts';
import { writeHost } from '#src/server/http/server-settings.ts';
import { readSetting } from '#src/server/environment/read-setting.ts';
import { readVariable } from '#src/server/environment/variables.ts';
import { describePolicy } from '#src/flights/interface/describe-policy.ts';
import { createProxy } from '#src/proxy/create-proxy.ts';
import type { Screen } from '#src/proxy/screen.ts';
import { limitYoungMemory } from '#src/proxy/limit-young-memory.ts';
import { readLimits } from '#src/apps/policy.ts';
import { createScreen } from '#src/flights/watch/screen-requests.ts';
import { type RunningWatch, startWatch } from '#src/flights/watch/start-watch.ts';

import { WrongUse } from './command.ts';
import { fixPolicy, followPolicy, followPolicyIn, type FollowedPolicy } from './follow-policy.ts';
import { explainListenFailure } from './ports.ts';
import type { ReadOptions } from './read-options.ts';
import { chooseAppId } from './recorded-app.ts';
import { type BrowserPlan, createPageScript, readBrowserPlan } from './page-script.ts';
import { complain } from './usage.ts';
import { watchForOthers } from './watch-for-others.ts';

/** The proxy with the recorder behind it, in this process: what `run` and `proxy` share. */
export type FrontPlan = {
  readonly app: string;
  readonly port: number;
  readonly host: string;
  /** What the version of the app is called; undefined where nobody says it. */
  readonly release: string | undefined;
  readonly hostHeader: 'keep' | 'upstream';
  /** What is added to pages. Undefined: nothing. */
  readonly browser: BrowserPlan | undefined;
  /** Requests get a trace where they name none. */
  readonly namesTraces: boolean;
  /** Undefined: nothing is refused for its body. */
  readonly screen: Screen | undefined;
};

export type Front = {
  /** Answers what is in flight for at most so long, and writes what waits to be recorded. */
  readonly stop: (drainMs: number) => Promise<void>;
  readonly noteModules: RunningWatch['noteModules'];
  /** What is kept, for the lines of the start. */
  readonly kept: string;
};

/** @throws WrongUse */
export function readFront(values: ReadOptions['values'], port: number): FrontPlan {
  const hostHeader = values.get('--host-header') ?? 'keep';
  if (hostHeader !== 'keep' && hostHeader !== 'upstream') throw new WrongUse('--host-header is keep or upstream');
  const host = values.get('--host') ?? '127.0.0.1';
  const browser = readBrowserPlan(values);
  const larger = values.get('--block-forged');
  if (larger !== undefined && larger !== 'pass' && larger !== 'refuse') {
    throw new WrongUse('--block-forged is pass or refuse: what becomes of calls that are too large to look at');
  }
  const screen = larger === undefined ? undefined : createScreen(larger === 'refuse');
  const release = values.get('--release') ?? readVariable('FLIGHT_RELEASE');
  const app = chooseAppId(values.get('--app'), process.cwd());
  return { app, port, host, release, hostHeader, browser, screen, namesTraces: values.has('--traces') };
}

type FrontOptions = {
  /** What the app runs, where it is started from here. */
  readonly installed?: readonly InstalledPackage[];
  /** Where the app is. */
  readonly to: string;
  /** The data folder, in which the app is known; for a recorder elsewhere the folder of what it has not taken yet. */
  readonly folder: string;
  /** The recorder elsewhere. */
  readonly shipTo?: RecorderAddress;
  /** While the app is being started. */
  readonly isStarting: () => boolean;
  /** Who keeps what browsers tell; undefined while it is not there. */
  readonly readRecorder: () => RecorderAddress | undefined;
};

/** The app's own setting is where its flights go. */
async function follow(followed: Parameters<typeof followPolicy>[0]): Promise<FollowedPolicy> {
  const url = readSetting('DATABASE_URL');
  return url === undefined ? followPolicy(followed) : followPolicyIn(url, followed);
}

/** Where a person can open the app. `0.0.0.0` and `::` are no address: they stand for all of this machine. */
export function nameFront({ host, port }: Pick<FrontPlan, 'host' | 'port'>): string {
  const isAny = host === '0.0.0.0' || host === '::';
  const name = isAny || host === '127.0.0.1' ? 'localhost' : host;
  const address = `http://${writeHost(name)}:${port}`;
  return isAny ? `${address}, and each address of this machine` : address;
}

/** @throws with one line when it cannot listen, or `to` is no address */
export async function startFront(
  { app, port, host, release, hostHeader, browser, screen, namesTraces }: FrontPlan,
  { to, folder, shipTo, isStarting, readRecorder, installed }: FrontOptions,
): Promise<Front> {
  limitYoungMemory();
  const onDeleted = () => complain(`the app ${app} was deleted: nothing of it is recorded any more`);
  const policy = shipTo ? fixPolicy(host) : await follow({ folder, app, host, onDeleted });
  const limits = readLimits(readSetting);
  const recording = await startWatch({
    app,
    folder,
    readPolicy: policy.read,
    release,
    limits,
    installed,
    ...(shipTo ? { shipTo } : {}),
  });
  let stopping: Promise<void> | undefined;

  async function stopRecording(): Promise<void> {
    policy.stop();
    await recording.close();
  }

  try {
    const pageScript = browser
      ? { pageScript: createPageScript(browser, { readRecorder, noteReported: recording.noteReported }) }
      : {};
    recording.noteKept(policy.readUnset());
    const watch = watchForOthers(recording.watch, () => {
      const isLess = policy.noteOthers();
      recording.noteKept(policy.readUnset());
      return isLess;
    });
    const screening = screen ? { screen } : {};
    const front = createProxy({ to, hostHeader, isStarting, watch, namesTraces, ...screening, ...pageScript });
    await front.listen(port, host);
    const stop = async (drainMs: number) => {
      await front.drain(drainMs);
      await stopRecording();
    };
    const { noteModules } = recording;
    return { stop: (drainMs) => (stopping ??= stop(drainMs)), noteModules, kept: describePolicy(policy.read()) };
  } catch (error) {
    await stopRecording();
    throw explainListenFailure(error, port, '--port');
  }
}
