import 'server-only';

import { setTimeout } from 'node:timers/promises';

import { understandError, type Understanding } from '#src/runtime/errors/error-record.ts';
import type { Store } from '#src/store/open-store.ts';
import type { ErrorTable } from '#src/store/schema.ts';

import { storeUnderstanding } from './record-error.ts';

/**
 * Errors whose process ended between their row and what source maps say of them. They have an empty fingerprint. The build
 * that made them has the right maps; of any other only the message is known to fit.
 */

/** Each takes a millisecond or two of the thread that serves pages, and few are left by a crash. */
const batchSize = 20;
const pauseMs = 100;

type Row = Pick<ErrorTable, 'name' | 'message' | 'stack' | 'release'>;

/** Both texts were cut and scrubbed. Where the message is not found in the stack, lines of it could be taken for frames. */
function understandRow({ name, message, stack, release }: Row, ownRelease: string): Understanding {
  const isUsable = release === ownRelease && stack.includes(message);
  return understandError({ name, message, stack: isUsable ? stack : '' });
}

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
      rows.map((row) => storeUnderstanding(store, row.digest, understandRow(row, release))),
    );
    // No room: the next start tries again.
    if (taken.includes(false)) return count;
    await setTimeout(pauseMs, undefined, { ref: false });
  }
}
