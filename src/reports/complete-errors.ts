import 'server-only';

import { setTimeout } from 'node:timers/promises';

import { understandError } from '#src/runtime/errors/error-record.ts';
import type { Store } from '#src/store/open-store.ts';

import { storeUnderstanding } from './record-error.ts';

/**
 * Errors whose process ended between their row and what source maps say of them. They have an empty fingerprint. The build
 * that made them has the right maps; of any other only the message is known to fit.
 */

/** Each takes a millisecond or two of the thread that serves pages, and few are left by a crash. */
const batchSize = 20;
const pauseMs = 100;

/** @param release of this build @returns how many were looked at */
export async function completeErrors(store: Store, release: string): Promise<number> {
  let count = 0;
  for (;;) {
    const rows = await store.db
      .selectFrom('error')
      .select(['digest', 'release', 'name', 'message', 'stack'])
      .where('fingerprint', '=', '')
      .limit(batchSize)
      .execute();
    if (rows.length === 0) return count;
    count += rows.length;
    const taken = await Promise.all(
      rows.map(({ digest, name, message, ...row }) =>
        storeUnderstanding(digest, understandError({ name, message, stack: row.release === release ? row.stack : '' })),
      ),
    );
    // No room: the next start tries again.
    if (taken.includes(false)) return count;
    await setTimeout(pauseMs, undefined, { ref: false });
  }
}
