import path from 'node:path';

import { isAppId } from '#src/apps/app-id.ts';
import { nameApp } from '#src/apps/name-app.ts';
import { parseRecorderUrl, type RecorderAddress } from '#report/recorder-url.ts';
import { toPlainJson } from '#boundary';

import { WrongUse } from './command.ts';
import { chooseDataFolder, prepareData } from '#src/store/prepare-data.ts';
import { readVariable, setVariable } from '#src/server/environment/variables.ts';

/** Which app is recorded, and where: what `run` and `proxy` are told alike. */

/**
 * The app's id: what the option says, else the name of what is in `folder`.
 * @throws WrongUse when the option is no id
 */
export function chooseAppId(given: string | undefined, folder: string): string {
  if (given === undefined) return nameApp(folder);
  if (isAppId(given)) return given;
  throw new WrongUse(`--app is ${toPlainJson(given)}; use up to 40 lower-case letters, digits and single hyphens`);
}

/** The data folder, which is made, and which the modules of the server in this process then use. */
export function takeDataFolder(given: string | undefined): string {
  const folder = chooseDataFolder(given ?? readVariable('FLIGHT_DATA'));
  prepareData(folder);
  setVariable('FLIGHT_DATA', folder);
  return folder;
}

/** A recorder elsewhere, and the folder for what it has not taken yet. */
export type Elsewhere = { readonly address: RecorderAddress; readonly folder: string };

/**
 * @param text what `FLIGHT_RECORDER` says
 * @param given the app's id, as the option says it
 * @returns undefined where the variable is not set: then the recording is in the data folder here. The folder is one inside
 * the data folder, since what is sent is deleted from it: it must never be the recording of an interface on this machine.
 * @throws WrongUse when it is no such address, or names another app than the option
 */
export function findElsewhere(
  text: string | undefined,
  given: string | undefined,
  dataFolder: string,
): Elsewhere | undefined {
  if (text === undefined || text === '') return undefined;
  const address = parseRecorderUrl(text);
  // The value holds a key: it is not shown.
  if (!address) throw new WrongUse('FLIGHT_RECORDER is not of the form http://<key>@<host>/<app>');
  if (given !== undefined && given !== address.app) {
    throw new WrongUse(`--app is ${toPlainJson(given)}, and FLIGHT_RECORDER names ${toPlainJson(address.app)}`);
  }
  return { address, folder: path.join(dataFolder, `spool-${address.app}`) };
}

/** The secret key of the app, which is added when it is not there. The database is closed again. */
export async function ensureAppKey(id: string): Promise<string> {
  const [{ ensureApp }, { openStore }] = await Promise.all([
    import('#src/apps/apps.ts'),
    import('#src/store/open-store.ts'),
  ]);
  const store = await openStore();
  try {
    return (await ensureApp(id, store)).secretKey;
  } finally {
    await store.close();
  }
}
