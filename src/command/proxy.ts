import { parseDatabaseUrl } from '#src/server/environment/parse-database-url.ts';
import { readSetting } from '#src/server/environment/read-setting.ts';

import { WrongUse } from './command.ts';
import { defaultPort, proxyOptions } from './options.ts';
import { readOptions, readPort } from './read-options.ts';
import { takeDataFolder, ensureAppKey, findElsewhere } from './recorded-app.ts';
import { shareInterface, type SharedInterface } from './share-interface.ts';
import { takeSignals } from './signals.ts';
import { nameFront, readFront, startFront } from './start-front.ts';
import { readVariable } from '#src/server/environment/variables.ts';

/** What is in flight may take as long as the server itself lets its own. */
const drainMs = 10_000;

/** Where somebody finds it. The address is shown without its password. */
function describeRecording(folder: string, program: string): string {
  const url = readSetting('DATABASE_URL');
  if (url === undefined) return `${folder}; "${program}" with this folder shows it`;
  return `${parseDatabaseUrl(url)?.shown ?? 'PostgreSQL'}; an interface with this DATABASE_URL shows it`;
}

/** `proxy`: the recorder in front of an app that runs already. It ends at a signal, when what is in flight is answered. */
export async function proxy(args: readonly string[], program: string): Promise<number> {
  const { values, rest } = readOptions(proxyOptions, args);
  const to = values.get('--to');
  if (rest !== undefined) throw new WrongUse('it starts no app: there is nothing after --');
  if (to === undefined) throw new WrongUse('--to is missing: where the app listens');
  const plan = readFront(values, readPort(values, '--port', defaultPort));
  const folder = takeDataFolder(values.get('--data'));
  const elsewhere = findElsewhere(readVariable('FLIGHT_RECORDER'), values.get('--app'), folder);
  if (!elsewhere) await ensureAppKey(plan.app);
  const app = elsewhere?.address.app ?? plan.app;
  const recording = elsewhere ? { folder: elsewhere.folder, shipTo: elsewhere.address } : { folder };
  let ui: SharedInterface | undefined;
  const readRecorder = () => elsewhere?.address ?? ui?.readRecorder();
  const front = await startFront({ ...plan, app }, { to, ...recording, isStarting: () => false, readRecorder });
  const where = elsewhere
    ? `goes to ${elsewhere.address.base}; what that has not taken yet is in ${elsewhere.folder}`
    : describeRecording(folder, program);
  process.stderr.write(
    `Flight Recorder records ${app}.\n` +
      `  The app       ${nameFront(plan)}, which is ${to}\n` +
      `  The recording ${where}\n` +
      `  What is kept  ${front.kept}\n`,
  );
  if (!elsewhere) ui = shareInterface({ folder, app, program });
  await new Promise<void>((resolve) => {
    takeSignals(() => resolve());
  });
  takeSignals(() => process.exit(130));
  await front.stop(drainMs);
  await ui?.stop();
  return 0;
}
