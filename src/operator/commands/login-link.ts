import 'server-only';

import { publicOrigin, serverSettings } from '#src/http/server-settings.ts';
import { dataFolder } from '#src/store/data-folder.ts';
import { readInstance } from '#src/store/instance.ts';
import { openStore } from '#src/store/open-store.ts';

import { createLoginLink, toLoginUrl } from '../login-links.ts';

/**
 * The address at which people reach the server: the one of the server that runs on this folder, else the one that this
 * environment's settings give.
 */
function readOrigin(): string {
  const instance = readInstance(dataFolder());
  return instance?.state === 'running' ? instance.origin : publicOrigin(serverSettings());
}

/**
 * `login-link`: prints an address that signs in, once, within 15 minutes. It makes the database when there is none yet,
 * so that a server for a network can have a way to sign in before it starts.
 */
export async function printLoginLink(args: readonly string[]): Promise<number> {
  if (args.length > 0) return 2;
  const store = await openStore();
  try {
    process.stdout.write(`${toLoginUrl(readOrigin(), await createLoginLink(store))}\n`);
    return 0;
  } finally {
    await store.close();
  }
}
