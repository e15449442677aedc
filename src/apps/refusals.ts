import { sql } from 'kysely';

import type { ErrorCode } from '#src/server/http/error-codes.ts';
import { describeError } from '#boundary';
import { writeLog } from '#src/server/http/log.ts';
import { openStore } from '#src/store/open-store.ts';

/**
 * Counts what was sent for an app and refused, so that somebody who waits for the first error sees why there is none. Counts are
 * collected and written together: a sender with a wrong key may send hundreds a second.
 *
 * The app must be one that exists, and the reasons are a closed list: strangers cannot make the table grow.
 */
type RefusedAt = 'errors' | 'flights' | 'traces' | 'envelope' | 'source-maps' | 'browser';

export type Refusal = {
  readonly app: string;
  readonly endpoint: RefusedAt;
  readonly reason: ErrorCode;
};

export type CountedRefusal = {
  readonly endpoint: string;
  readonly reason: string;
  readonly count: number;
  /** Milliseconds since 1970. */
  readonly lastTime: number;
};

const writeEveryMs = 1_000;

const waiting = new Map<string, Refusal & { count: number; lastTime: number }>();
let timer: NodeJS.Timeout | undefined;

/** Writes what was counted so far. What cannot be written is lost: it is a count, and the disk is full. */
export async function writeRefusals(): Promise<void> {
  clearTimeout(timer);
  timer = undefined;
  const counted = [...waiting.values()];
  waiting.clear();
  if (counted.length === 0) return;
  try {
    const { commit } = await openStore();
    await commit(async (trx) => {
      for (const { lastTime, ...refusal } of counted) {
        await trx
          .insertInto('refusal')
          .values({ ...refusal, last_time: lastTime })
          .onConflict((conflict) =>
            conflict.columns(['app', 'endpoint', 'reason']).doUpdateSet({
              count: sql`refusal.count + excluded.count`,
              last_time: sql`excluded.last_time`,
            }),
          )
          .execute();
      }
    }, 'untrusted');
  } catch (error) {
    writeLog('warn', 'refusals-not-counted', { count: counted.length, reason: describeError(error) });
  }
}

/** @param refusal of an app that exists */
export function countRefusal(refusal: Refusal, by = 1): void {
  const key = `${refusal.app} ${refusal.endpoint} ${refusal.reason}`;
  const known = waiting.get(key);
  waiting.set(key, { ...refusal, count: (known?.count ?? 0) + by, lastTime: Date.now() });
  timer ??= setTimeout(() => void writeRefusals(), writeEveryMs).unref();
}

/** Lists what was refused of one app, the latest first. */
export async function readRefusals(app: string): Promise<readonly CountedRefusal[]> {
  await writeRefusals();
  const { db } = await openStore();
  return db
    .selectFrom('refusal')
    .select(['endpoint', 'reason', 'count', 'last_time as lastTime'])
    .where('app', '=', app)
    .orderBy('last_time', 'desc')
    .execute();
}
