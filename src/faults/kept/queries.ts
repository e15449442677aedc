import 'server-only';

import { type Kysely, sql } from 'kysely';

import { requireOperator } from '#src/access/require-operator.ts';
import { compileOnce } from '#src/store/compile-once.ts';
import { dialectOf } from '#src/store/dialect.ts';
import { addOthers } from '#src/store/other-counts.ts';
import { openStore } from '#src/store/open-store.ts';
import type { Side, Tables } from '#src/store/schema.ts';

import type { ErrorSummary, StoredCounts } from './error-details.ts';
import { countUnstoredErrors } from './record-error.ts';
import { readRetentionWait } from './retention.ts';
import { isOfApp, selectEvents, summaryColumns } from './select-events.ts';

/** Some lines of the front page. Their stacks are read within a second, so there are nearly always none. */
const ungroupedShown = 5;
/** Older ones wait for something else, and are found by their digest. */
const ungroupedMs = 10 * 60_000;

/**
 * Errors of the last minutes that belong to no fault yet, because their stacks are not read: the newest first.
 * @param app of which they are; undefined: of all
 */
export async function listUngroupedErrors(app?: string, now: number = Date.now()): Promise<readonly ErrorSummary[]> {
  requireOperator();
  const { db } = await openStore();
  const rows = await selectEvents(db, 'server')
    .select(['id', ...summaryColumns, 'event.side', 'phase', 'kind'])
    .where('fault', 'is', null)
    .where('time', '>', now - ungroupedMs)
    .$if(app !== undefined, (query) => query.where(isOfApp(app ?? '')))
    .orderBy('time', 'desc')
    .limit(ungroupedShown)
    .execute();
  return rows;
}

/** Reads the number of rows from the counters: counting a million takes half a second. */
function countKept(db: Kysely<Tables>, side: Side) {
  const kept = db.selectFrom('kept_app').where('side', '=', sql.lit(`event-${side}` as const));
  return kept.select(sql<number>`coalesce(sum(rows), 0)`.as('count'));
}

function findOldest(db: Kysely<Tables>, side: Side) {
  return selectEvents(db, side).select(({ fn }) => fn.min('received_at').as('time'));
}

const countTables = compileOnce((db) => {
  return db.selectNoFrom([
    dialectOf(db).name.as('database'),
    dialectOf(db).bytes.as('databaseBytes'),
    countKept(db, 'server').as('errors'),
    countKept(db, 'browser').as('untrusted'),
    findOldest(db, 'server').as('oldestError'),
    findOldest(db, 'browser').as('oldestUntrusted'),
  ]);
});

const selectOutcomes = compileOnce((db) =>
  db
    .selectFrom('outcome')
    .select(['source', 'type', 'reason', 'count', 'last_time as lastTime'])
    .orderBy('count', 'desc')
    .orderBy('source')
    .orderBy('type')
    .orderBy('reason'),
);

/** Counts what the store holds and how much room it takes. */
export async function countStored(): Promise<StoredCounts> {
  requireOperator();
  const { db } = await openStore();
  const [counts] = await countTables(db);
  const outcomes = await selectOutcomes(db);
  const oldest = [counts?.oldestError, counts?.oldestUntrusted].filter((time) => typeof time === 'number');
  return {
    errors: counts?.errors ?? 0,
    browserErrors: counts?.untrusted ?? 0,
    outcomes,
    unstoredErrors: addOthers('unstored', countUnstoredErrors()),
    oldestTime: oldest.length > 0 ? Math.min(...oldest) : undefined,
    database: counts?.database ?? '',
    databaseBytes: counts?.databaseBytes ?? 0,
    waiting: readRetentionWait(),
  };
}
