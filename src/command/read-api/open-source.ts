import { existsSync } from 'node:fs';
import path from 'node:path';

import { toPlainJson } from '#boundary';
import { chooseDataFolder } from '#src/store/prepare-data.ts';

import { WrongUse } from '../command.ts';
import { readVariable, setVariable } from '#src/server/environment/variables.ts';
import type { ApiSource, SourceOptions } from './api-source.ts';

/** An address of http or https. A path in it is where the interface is mounted. */
function readUrl(text: string): URL {
  const url = URL.parse(text);
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new WrongUse(`--url is ${toPlainJson(text)}; it must be an address like https://flight.example`);
  }
  if (url.username || url.password) {
    throw new WrongUse('--url has a password in it; the token is FLIGHT_RECORDER_TOKEN');
  }
  return url;
}

/**
 * Opens what `--url` and `--data` say. The data of this machine is read by the server's own queries, in this process: so it works
 * whether a server runs or not, and asks for no token, since a person who can read the folder may read what is in it.
 * @throws when there is no data here
 */
export async function openSource({ url, data }: SourceOptions): Promise<ApiSource> {
  if (url !== undefined && data !== undefined) throw new WrongUse('--url and --data exclude each other');
  if (url !== undefined) {
    const { openRemote } = await import('./open-remote.ts');
    return openRemote(readUrl(url), readVariable('FLIGHT_RECORDER_TOKEN') ?? '');
  }
  const folder = chooseDataFolder(data ?? readVariable('FLIGHT_DATA'));
  if (!readVariable('DATABASE_URL') && !existsSync(path.join(folder, 'flight.db'))) {
    throw new Error(`there is no database in ${folder}; name the folder with --data, or a server with --url`);
  }
  const database = readVariable('DATABASE_URL');
  if (database) await (await import('./require-tables.ts')).requireTables(database);
  setVariable('FLIGHT_DATA', folder);
  const { openLocal } = await import('./open-local.ts');
  return openLocal(folder);
}
