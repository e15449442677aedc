import 'server-only';

import { existsSync } from 'node:fs';
import path from 'node:path';

import { isReachableByOthers } from '#src/server/environment/reachability.ts';
import { readSetting } from '#src/server/environment/read-setting.ts';
import { publicOrigin, serverSettings } from '#src/server/http/server-settings.ts';
import { dataFolder } from '#src/store/data-folder.ts';
import { hasServer } from '#src/store/instance.ts';
import { readInstance } from '#src/store/instance-file.ts';
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
function nameOtherFolder(): readonly string[] {
  return [
    `If yours runs on another folder: FLIGHT_DATA=<its folder> ${operatorCommand('login-link')},`,
    `or ${operatorCommand('login-link')} --data <its folder>.`,
  ];
}

function warn(lines: readonly string[]): void {
  process.stderr.write(`flight-recorder: ${lines.join('\n  ')}\n`);
}

/**
 * `login-link`: prints an address that signs in, once, within 15 minutes. Where no server runs it says so
 * beside the link. A server for other machines needs a way to sign in before its first start, so with its settings a missing
 * database is made. One for this machine alone prints a link at its first start: there a missing database means the wrong folder,
 * and nothing is made.
 */
export async function printLoginLink(args: readonly string[]): Promise<number> {
  const folder = readFolder(args);
  if (folder === undefined) return 2;
  // PostgreSQL's servers may all run on other machines, and who has its address has the right one.
  const isShared = args.length === 0 && readSetting('DATABASE_URL') !== undefined;
  const isNew = !isShared && !existsSync(path.join(folder, 'flight.db'));
  if (isNew && !isReachableByOthers(serverSettings())) {
    const start = 'A server for this machine alone prints a link when it starts.';
    warn([
      `there is no database in ${folder}: no server has run on it, and no link was made.`,
      start,
      ...nameOtherFolder(),
    ]);
    return 1;
  }
  const isRunning = hasServer(folder);
  const store = await openStore(isShared ? undefined : folder);
  try {
    const url = toLoginUrl(readOrigin(folder, isRunning), await createLoginLink(store));
    if (!isRunning && !isShared) {
      warn([
        `the link below opens the server that is started on the data folder ${folder}${isNew ? ', which is new' : ''}.`,
        'No server runs on it now.',
        ...nameOtherFolder(),
      ]);
    }
    process.stdout.write(`${url}\n`);
    return 0;
  } finally {
    await store.close();
  }
}
