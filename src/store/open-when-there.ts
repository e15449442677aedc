import { setTimeout as pause } from 'node:timers/promises';

import { describeError } from '#boundary';
import { writeLog } from '#src/server/http/log.ts';

import { openStore, type Store } from './open-store.ts';
import { isOfServer } from './postgres/postgres-errors.ts';

/** A platform starts a server and its database together; a failover takes some ten seconds. */
const usual = { waitMs: 60_000, pauseMs: 1_000 };

/**
 * The server's store. A PostgreSQL that does not answer yet is waited for. Commands do not wait: there a person does.
 * @throws what `openStore` throws, at once when waiting helps nothing
 */
export async function openWhenThere(
  open: () => Promise<Store> = openStore,
  { waitMs, pauseMs } = usual,
): Promise<Store> {
  const since = performance.now();
  let isTold = false;
  for (;;) {
    try {
      return await open();
    } catch (error) {
      // A wrong password stays wrong.
      if (!isOfServer(error)) throw error;
      const reason = describeError(error);
      if (performance.now() - since > waitMs) {
        throw new Error(`${reason}. It was waited for, ${waitMs / 1_000} s.`, { cause: error });
      }
      if (!isTold) writeLog('warn', 'database-away-at-start', { reason, waitsSeconds: waitMs / 1_000 });
      isTold = true;
      await pause(pauseMs);
    }
  }
}
