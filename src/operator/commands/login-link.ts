import 'server-only';

import { publicOrigin, serverSettings } from '#src/http/server-settings.ts';
import { dataFolder } from '#src/store/data-folder.ts';
import { readInstance } from '#src/store/instance.ts';
import { openStore } from '#src/store/open-store.ts';

import { createLoginLink, toLoginUrl } from '../login-links.ts';

/** Where people reach the server: as the one that runs on this folder says, else as this environment says it will. */
function readOrigin(): string {
  const instance = readInstance(dataFolder());
  return instance?.state === 'running' ? instance.origin : publicOrigin(serverSettings());
}

/**
 * `login-link`: prints an address that signs in, once, within 15 minutes. Makes the database where there is none yet, so
 * that a server which others can reach has a way in before it starts.
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
