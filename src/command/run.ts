import { constants } from 'node:os';

import { formatRecorderUrl } from '#report/recorder-url.ts';
import { printWeaknesses } from '#src/apps/advisories/find-advisories.ts';
import { readInstalled } from '#src/apps/advisories/read-installed.ts';
import { appTracesPath } from '#src/server/http/addresses.ts';

import { WrongUse } from './command.ts';
import { defaultPort, defaultUiPort, runOptions } from './options.ts';
import { readOptions, readPort } from './read-options.ts';
import { takeDataFolder, ensureAppKey } from './recorded-app.ts';
import { type ChosenUpstream, chooseUpstream, explainAbsence } from './run/choose-upstream.ts';
import { createAddressFinder } from './run/find-address.ts';
import { type AppStream, startApp } from './run/start-app.ts';
import { type Interface, startInterface } from './run/start-interface.ts';
import { readNextModules } from './run/read-next-modules.ts';
import { createProcessFinder, watchServedBuild } from './run/served-build.ts';
import { expectListening } from './run/expect-listening.ts';
import { watchAppLog } from './run/watch-app-log.ts';
import { tellExporter } from './run/tell-exporter.ts';
import { takeSignals } from './signals.ts';
import { nameFront, readFront, startFront, type Front, type FrontPlan } from './start-front.ts';
import { complain } from './usage.ts';
import { withVariables } from '#src/server/environment/variables.ts';

/**
 * `run`: the app on a port of its own, the proxy in front of it in this process, the interface beside it.
 *
 * Everything starts from the outside in, so that nothing is asked before it is there: the front, the interface, the app. It ends
 * from the inside out: the app, the front with what it still records, the interface.
 */
type Plan = FrontPlan & {
  /** The data folder. */
  readonly folder: string;
  readonly command: readonly [file: string, ...args: string[]];
  readonly uiPort: number;
  /** Where the app listens, when it chooses itself. */
  readonly to: string | undefined;
};

function readPlan(args: readonly string[]): Plan {
  const { values, rest } = readOptions(runOptions, args);
  const [file, ...words] = rest ?? [];
  if (file === undefined) throw new WrongUse('the command of your app is missing: write it after --');
  const uiPort = readPort(values, '--ui-port', defaultUiPort);
  const front = readFront(values, readPort(values, '--port', defaultPort));
  if (uiPort === front.port) throw new WrongUse('--port and --ui-port are the same');
  const folder = takeDataFolder(values.get('--data'));
  return { ...front, folder, command: [file, ...words], uiPort, to: values.get('--to') };
}

function introduce(plan: Plan, kept: string, ui: Interface): void {
  const rows = [
    ['The app', nameFront(plan)],
    ['The recorder', ui.isShared ? `${ui.origin} (it runs already)` : ui.origin],
    ['What is kept', kept],
    ['The data', plan.folder],
    ...(ui.loginUrl === undefined ? [] : [['Sign in', `${ui.loginUrl} (once, within 15 minutes)`]]),
  ];
  const lines = rows.map(([name = '', value = '']) => `  ${name.padEnd(13)} ${value}\n`);
  process.stderr.write(`Flight Recorder records ${plan.app}.\n${lines.join('')}`);
}

type Pass = (signal: NodeJS.Signals) => void;

type Running = {
  readonly plan: Plan;
  readonly program: string;
  readonly upstream: ChosenUpstream;
  readonly ui: Interface;
  readonly key: string;
  readonly front: Front;
  readonly onThere: () => void;
  /** Called with what passes a signal to the app. */
  readonly onApp: (pass: Pass) => void;
};

/** `next dev`, `npm run web:dev`: not a folder of this name. */
function isDevelopment(command: readonly string[]): boolean {
  const words = command.join(' ').split(/[\s"']+/);
  return words.some((word) => /^(?:[^/\\]+[:-])?dev(?:[:-][^/\\]+)?$/.test(word));
}

/** Answers say the build's own id, whatever the release is called. */
async function noteModules(front: Front, build: string | undefined): Promise<void> {
  const files = build === undefined ? [] : await readNextModules(process.cwd());
  if (build !== undefined && files.length > 0) front.noteModules(build, files);
}

/** @returns the exit status of the app, when that has ended and its errors are sent */
async function runApp({ plan, program, upstream, ui, key, front, onThere, onApp }: Running): Promise<number> {
  const { command, to } = plan;
  const recorder = { base: ui.base, app: plan.app, key };
  const address = createAddressFinder();
  const { awaited: port } = upstream;
  const served = watchServedBuild({
    folder: process.cwd(),
    isDevelopment: isDevelopment(command),
    findProcess: createProcessFinder(port, () => app.pid),
  });
  const log = watchAppLog({
    address: ui.readRecorder,
    warn: complain,
    readRelease: () => plan.release ?? served.readRelease(),
    readStartedAt: served.readStartedAt,
  });
  const env = withVariables({
    PORT: String(upstream.port),
    FLIGHT_RECORDER: formatRecorderUrl(recorder),
    FLIGHT_RELEASE: plan.release,
    ...(plan.namesTraces ? tellExporter(`${ui.base}${appTracesPath(plan.app)}`, key) : {}),
  });
  const onOutput = (stream: AppStream, chunk: Uint8Array) => {
    address.write(chunk);
    log.write(stream, chunk);
  };
  const app = startApp({ command, env, onOutput }, complain);
  onApp(app.pass);
  const explain = () => explainAbsence(upstream, to, address.find(), { program, command });
  const onListening = () => {
    void noteModules(front, served.note());
    onThere();
  };
  const stop = port === undefined ? undefined : expectListening({ port, explain, onThere: onListening });
  const status = await app.ended;
  stop?.();
  await log.end();
  return status;
}

/** What the app has answered is on its way to the client. */
const flushMs = 500;

export async function run(args: readonly string[], program: string): Promise<number> {
  const plan = readPlan(args);
  let stoppedBy: NodeJS.Signals | undefined;
  let pass: Pass | undefined;
  let isThere = false;
  const giveBack = takeSignals((signal) => {
    stoppedBy = signal;
    pass?.(signal);
  });
  const upstream = await chooseUpstream(plan.to);
  const key = await ensureAppKey(plan.app);
  const isStarting = () => !isThere && upstream.awaited !== undefined;
  let ui: Interface | undefined;
  const readRecorder = () => ui?.readRecorder();
  const installed = readInstalled(process.cwd());
  const front = await startFront(plan, { to: upstream.to, folder: plan.folder, isStarting, readRecorder, installed });
  try {
    ui = await startInterface({ port: plan.uiPort, folder: plan.folder, app: plan.app, program });
    introduce(plan, front.kept, ui);
    for (const line of printWeaknesses(installed, Date.now())) complain(line);
    if (stoppedBy) return 128 + constants.signals[stoppedBy];
    const onThere = () => void (isThere = true);
    return await runApp({
      plan,
      program,
      upstream,
      ui,
      key,
      front,
      onThere,
      onApp: (passSignal) => (pass = passSignal),
    });
  } finally {
    await front.stop(flushMs);
    await ui?.stop();
    giveBack();
  }
}
