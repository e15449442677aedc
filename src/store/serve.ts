import { readSetting } from '#src/server/environment/read-setting.ts';
import { writeLog } from '#src/server/http/log.ts';
import { onListening } from '#src/server/http/server-settings.ts';

import { openAgeClock, type AgeClock } from './age-clock.ts';
import { dataFolder } from './data-folder.ts';
import { takeInstance } from './instance.ts';
import type { Presence } from './instance-file.ts';
import { openStore, type Store } from './open-store.ts';
import { openWhenThere } from './open-when-there.ts';

/**
 * The data, as a part of the server: the folder is this server's alone, then the database is opened.
 * @param readPresence where this server is; asked again when it listens
 * @returns the store, and what gives both back: the last thing that a server does
 */
export async function openData(readPresence: () => Presence): Promise<{ store: Store; close: () => Promise<void> }> {
  const instance = takeInstance(dataFolder(), readPresence());
  onListening(() => instance.announce(readPresence()));
  const store = await (readSetting('DATABASE_URL') ? openWhenThere() : openStore());
  store.onDamage((reason) => writeLog('error', 'database-damaged', { reason }));
  async function close(): Promise<void> {
    await store.close();
    instance.release();
  }
  return { store, close };
}

/** How old what is kept is: a clock that cannot be set back. */
export function openAges(store: Store): Promise<AgeClock> {
  return openAgeClock(store, dataFolder());
}
