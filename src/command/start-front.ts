import type { RecorderAddress } from '#src/apps/recorder-url.ts';
import { readSetting } from '#src/environment/read-setting.ts';
import { createProxy } from '#src/proxy/create-proxy.ts';
import { limitYoungMemory } from '#src/proxy/limit-young-memory.ts';
import { readLimits } from '#src/recorder/policy.ts';
import { startWatch } from '#src/recorder/watch/start-watch.ts';

import { WrongUse } from './command.ts';
import { fixPolicy, followPolicy, followPolicyIn, type FollowedPolicy } from './follow-policy.ts';
import { explainListenFailure } from './ports.ts';
import type { ReadOptions } from './read-options.ts';
import { chooseAppId } from './recorded-app.ts';
import { complain } from './usage.ts';

/** The proxy with the recorder behind it, in this process: what `run` and `proxy` share. */
export type FrontPlan = {
  readonly app: string;
  readonly port: number;
  readonly host: string;
  readonly hostHeader: 'keep' | 'upstream';
};

export type Front = {
  /** Answers what is in flight for at most so long, and writes what waits to be recorded. */
  readonly stop: (drainMs: number) => Promise<void>;
};

/** @throws WrongUse */
export function readFront(values: ReadOptions['values'], port: number): FrontPlan {
  const hostHeader = values.get('--host-header') ?? 'keep';
  if (hostHeader !== 'keep' && hostHeader !== 'upstream') throw new WrongUse('--host-header is keep or upstream');
  const host = values.get('--host') ?? '127.0.0.1';
  return { app: chooseAppId(values.get('--app'), process.cwd()), port, host, hostHeader };
}

type FrontOptions = {
  /** Where the app is. */
  readonly to: string;
  /** The data folder, in which the app is known; for a recorder elsewhere the folder of what it has not taken yet. */
  readonly folder: string;
  /** The recorder elsewhere. */
  readonly shipTo?: RecorderAddress;
  /** While the app is being started. */
  readonly isStarting: () => boolean;
};

/** The app's own setting is where its flights go. */
async function follow(followed: Parameters<typeof followPolicy>[0]): Promise<FollowedPolicy> {
  const url = readSetting('DATABASE_URL');
  return url === undefined ? followPolicy(followed) : followPolicyIn(url, followed);
}

/** @throws with one line when it cannot listen, or `to` is no address */
export async function startFront(
  { app, port, host, hostHeader }: FrontPlan,
  { to, folder, shipTo, isStarting }: FrontOptions,
): Promise<Front> {
  limitYoungMemory();
  const onDeleted = () => complain(`the app ${app} was deleted: nothing of it is recorded any more`);
  const policy = shipTo ? fixPolicy(host) : await follow({ folder, app, host, onDeleted });
  const limits = readLimits(readSetting);
  const recording = await startWatch({ app, folder, readPolicy: policy.read, limits, ...(shipTo ? { shipTo } : {}) });
  let stopping: Promise<void> | undefined;

  async function stopRecording(): Promise<void> {
    policy.stop();
    await recording.close();
  }

  try {
    const front = createProxy({ to, hostHeader, isStarting, watch: recording.watch });
    await front.listen(port, host);
    const stop = async (drainMs: number) => {
      await front.drain(drainMs);
      await stopRecording();
    };
    return { stop: (drainMs) => (stopping ??= stop(drainMs)) };
  } catch (error) {
    await stopRecording();
    throw explainListenFailure(error, port, '--port');
  }
}
