import 'server-only';

import { existsSync } from 'node:fs';
import path from 'node:path';

import { publicOrigin, serverSettings } from '#src/http/server-settings.ts';
import { dataFolder } from '#src/store/data-folder.ts';
import { hasServer, readInstance } from '#src/store/instance.ts';
import { openStore } from '#src/store/open-store.ts';

import { createLoginLink, toLoginUrl } from '../login-links.ts';
import { operatorCommand } from '../operator-command.ts';

/**
 * The address at which people reach the server: the one of the server that runs on this folder, else the one that this
 * environment's settings give.
 */
function readOrigin(folder: string, isRunning: boolean): string {
  const instance = isRunning ? readInstance(folder) : undefined;
  return instance?.origin ?? publicOrigin(serverSettings());
}

/** Undefined: called wrongly. @throws when the folder that was named holds no database: a folder that is typed is there already */
function readFolder([option, folder, ...rest]: readonly string[]): string | undefined {
  if (option === undefined) return dataFolder();
  if (option !== '--data' || folder === undefined || folder === '' || rest.length > 0) return undefined;
  const named = path.resolve(folder);
  if (existsSync(path.join(named, 'flight.db'))) return named;
  throw new Error(`${named} is not the data folder of a Flight Recorder: there is no flight.db in it`);
}

/** A link for another folder than the server's looks right and opens nothing, so this is said before it is tried. */
function warnOfNoServer(folder: string, isNew: boolean): void {
  const lines = [
    `no server runs on the data folder ${folder}${isNew ? ', which is new' : ''}.`,
    'The link opens a server that is started on this folder, and no other one.',
    `If yours runs on another folder: FLIGHT_DATA=<its folder> ${operatorCommand('login-link')},`,
    `or ${operatorCommand('login-link')} --data <its folder>.`,
  ];
  process.stderr.write(`flight-recorder: ${lines.join('\n  ')}\n`);
}

/**
 * `login-link`: prints an address that signs in, once, within 15 minutes. It makes the database when there is none yet,
 * so that a server for a network can have a way to sign in before it starts. Where no server runs it says so beside the link.
 */
export async function printLoginLink(args: readonly string[]): Promise<number> {
  const folder = readFolder(args);
  if (folder === undefined) return 2;
  const isNew = !existsSync(path.join(folder, 'flight.db'));
  const isRunning = hasServer(folder);
  const store = await openStore(folder);
  try {
    const url = toLoginUrl(readOrigin(folder, isRunning), await createLoginLink(store));
    if (!isRunning) warnOfNoServer(folder, isNew);
    process.stdout.write(`${url}\n`);
    return 0;
  } finally {
    await store.close();
  }
}
