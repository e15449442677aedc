import { constants } from 'node:os';

import { formatRecorderUrl } from '#src/apps/recorder-url.ts';

import { WrongUse } from './command.ts';
import { defaultPort, defaultUiPort, runOptions } from './options.ts';
import { findFreePort } from './ports.ts';
import { readOptions, readPort } from './read-options.ts';
import { chooseDataFolder, ensureAppKey } from './recorded-app.ts';
import { createAddressFinder } from './run/find-address.ts';
import { startApp } from './run/start-app.ts';
import { type Interface, startInterface } from './run/start-interface.ts';
import { expectListening } from './run/expect-listening.ts';
import { takeSignals } from './signals.ts';
import { readFront, startFront, type Front, type FrontPlan } from './start-front.ts';
import { complain } from './usage.ts';
import { withVariables } from './variables.ts';

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
  const folder = chooseDataFolder(values.get('--data'));
  return { ...front, folder, command: [file, ...words], uiPort, to: values.get('--to') };
}

/** The port that the app is told, and the address at which it is asked. */
async function chooseUpstream(to: string | undefined): Promise<{ port: number; to: string }> {
  if (to === undefined) {
    const port = await findFreePort();
    return { port, to: `http://localhost:${port}` };
  }
  const named = URL.canParse(to) ? Number(new URL(to).port) : 0;
  return { port: named || (await findFreePort()), to };
}

function introduce(plan: Plan, ui: Interface): void {
  const rows = [
    ['The app', `http://${plan.host === '127.0.0.1' ? 'localhost' : plan.host}:${plan.port}`],
    ['The recorder', ui.isShared ? `${ui.origin} (it runs already)` : ui.origin],
    ...(ui.loginUrl === undefined ? [] : [['Sign in', `${ui.loginUrl} (once, within 15 minutes)`]]),
  ];
  const lines = rows.map(([name = '', value = '']) => `  ${name.padEnd(13)} ${value}\n`);
  process.stderr.write(`Flight Recorder records ${plan.app}.\n${lines.join('')}`);
}

type Parts = { readonly plan: Plan; readonly front: Front; readonly ui: Interface; readonly key: string };

async function runApp(parts: Parts, port: number, program: string, onApp: (pass: Pass) => void): Promise<number> {
  const { plan, ui, key, front } = parts;
  const address = createAddressFinder();
  const app = startApp(
    {
      command: plan.command,
      env: withVariables({
        PORT: String(port),
        FLIGHT_RECORDER: formatRecorderUrl({ base: ui.base, app: plan.app, key }),
      }),
      onOutput: address.write,
    },
    complain,
  );
  onApp(app.pass);
  const expected = expectListening({ port, program, command: plan.command, findAddress: address.find });
  const status = await app.ended;
  expected.stop();
  await front.stop(0);
  return status;
}

type Pass = (signal: NodeJS.Signals) => void;

export async function run(args: readonly string[], program: string): Promise<number> {
  const plan = readPlan(args);
  const { folder } = plan;
  let stoppedBy: NodeJS.Signals | undefined;
  let pass: Pass | undefined;
  const giveBack = takeSignals((signal) => {
    stoppedBy = signal;
    pass?.(signal);
  });
  const upstream = await chooseUpstream(plan.to);
  const key = await ensureAppKey(plan.app);
  const front = await startFront(plan, { to: upstream.to, folder });
  let ui: Interface | undefined;
  try {
    const onEnd = () => complain('the interface has ended; the app goes on, and is still recorded');
    ui = await startInterface({ port: plan.uiPort, folder, program, onEnd });
    introduce(plan, ui);
    if (stoppedBy) return 128 + constants.signals[stoppedBy];
    return await runApp({ plan, front, ui, key }, upstream.port, program, (passSignal) => (pass = passSignal));
  } finally {
    await front.stop(0);
    await ui?.stop();
    giveBack();
  }
}
