import 'server-only';

import { setTimeout } from 'node:timers/promises';

import { understandError, type Understanding } from '#src/runtime/errors/error-record.ts';
import type { Store } from '#src/store/open-store.ts';
import { ownApp } from '#src/store/own-app.ts';
import type { EventRow } from '#src/store/schema.ts';

import { storeUnderstanding } from './record-error.ts';
import { isOfApp, selectEvents } from './select-events.ts';
import { readCauses } from './stored-json.ts';

/**
 * Completes errors whose process ended after their row was written and before source maps were read. Such rows have an
 * empty fingerprint. Only the build that made an error has the right maps. For an error of another build, only the
 * message is used.
 */

/** Each error takes a millisecond or two of the thread that serves pages. A crash leaves few of them. */
const batchSize = 20;
const pauseMs = 100;

type Row = Pick<EventRow, 'name' | 'message' | 'stack' | 'release' | 'causes_json'>;

/**
 * Both texts were cut and scrubbed. When the message is not found in the stack, its lines could be mistaken for frames.
 */
function understandRow(row: Row, ownRelease: string): Understanding {
  function withoutStrangeStack({ name, message, stack }: Pick<Row, 'name' | 'message' | 'stack'>) {
    const isUsable = row.release === ownRelease && stack.includes(message);
    return { name, message, stack: isUsable ? stack : '' };
  }
  return understandError(withoutStrangeStack(row), readCauses(row.causes_json).map(withoutStrangeStack));
}

/** Which errors: those of other servers may be in the middle of being completed by the one that made them. */
export type LeftErrors = {
  /** Milliseconds since 1970: those that were received before. */
  readonly before: number;
  readonly of: 'this-build' | 'any-build';
};

/**
 * @param release of this build
 * @returns how many errors were looked at
 */
export async function completeErrors(store: Store, release: string, left?: LeftErrors): Promise<number> {
  let count = 0;
  for (;;) {
    const rows = await selectEvents(store.db, 'server')
      .select(['id', 'release', 'name', 'message', 'stack', 'causes_json'])
      .where('fingerprint', '=', '')
      .where(isOfApp(ownApp))
      .$if(left !== undefined, (query) => query.where('received_at', '<', left?.before ?? 0))
      .$if(left?.of === 'this-build', (query) => query.where('release', '=', release))
      .limit(batchSize)
      .execute();
    if (rows.length === 0) return count;
    count += rows.length;
    const taken = await Promise.all(rows.map((row) => storeUnderstanding(store, row.id, understandRow(row, release))));
    // There is no room: the next start tries again.
    if (taken.includes(false)) return count;
    await setTimeout(pauseMs, undefined, { ref: false });
  }
}
