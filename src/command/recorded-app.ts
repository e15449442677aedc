import { readFileSync } from 'node:fs';
import path from 'node:path';

import { nameToId, isAppId } from '#src/apps/app-id.ts';
import { toPlainJson } from '#src/http/escape-text.ts';
import { isRecord } from '#src/http/is-record.ts';

import { WrongUse } from './command.ts';
import { readVariable, setVariable } from './variables.ts';

/** Which app is recorded, and where: what `run` and `proxy` are told alike. */

function readPackageName(folder: string): string {
  try {
    const manifest: unknown = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
    return isRecord(manifest) && typeof manifest['name'] === 'string' ? manifest['name'] : '';
  } catch {
    // There is none, or one that npm could not read either.
    return '';
  }
}

/**
 * The app's id: what the option says, else what package.json in `folder` calls itself, else the folder's name.
 * @throws WrongUse when the option is no id
 */
export function chooseAppId(given: string | undefined, folder: string): string {
  if (given === undefined) return nameToId(readPackageName(folder)) ?? nameToId(path.basename(folder)) ?? 'app';
  if (isAppId(given)) return given;
  throw new WrongUse(`--app is ${toPlainJson(given)}; use up to 40 lower-case letters, digits and single hyphens`);
}

/** The data folder, which the modules of the server in this process then use. */
export function chooseDataFolder(given: string | undefined): string {
  const folder = path.resolve((given ?? readVariable('FLIGHT_DATA')) || 'data');
  setVariable('FLIGHT_DATA', folder);
  return folder;
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
