import 'server-only';

import { sql } from 'kysely';

import { requireOperator } from '#src/operator/require-operator.ts';
import { compileOnce } from '#src/store/compile-once.ts';
import { openStore } from '#src/store/open-store.ts';

import type { ErrorSummary, StoredCounts } from './incident.ts';
import { countUnstoredErrors } from './record-error.ts';
import { readRetentionWait } from './retention.ts';
import { isOfApp, summaryColumns } from './select-errors.ts';

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
  const rows = await db
    .selectFrom('error')
    .select(['id', ...summaryColumns, 'phase', 'kind'])
    .where('fault', 'is', null)
    .where('time', '>', now - ungroupedMs)
    .$if(app !== undefined, (query) => query.where(isOfApp(app ?? '')))
    .orderBy('time', 'desc')
    .limit(ungroupedShown)
    .execute();
  return rows.map((row) => ({ ...row, side: 'server' }));
}

const countTables = compileOnce((db) => {
  return db.selectNoFrom([
    // Includes the file's free pages, but not the write-ahead log.
    sql<number>`(select page_count * page_size from pragma_page_count(), pragma_page_size())`.as('databaseBytes'),
    db
      .selectFrom('error')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .as('errors'),
    db
      .selectFrom('report')
      .where('side', '=', sql.lit('browser'))
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .as('browserReports'),
    db
      .selectFrom('error')
      .select(({ fn }) => fn.min('time').as('time'))
      .as('oldestError'),
    db
      .selectFrom('report')
      .select(({ fn }) => fn.min('time').as('time'))
      .as('oldestReport'),
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
  const oldest = [counts?.oldestError, counts?.oldestReport].filter((time) => typeof time === 'number');
  return {
    errors: counts?.errors ?? 0,
    browserReports: counts?.browserReports ?? 0,
    outcomes,
    unstoredErrors: countUnstoredErrors(),
    oldestTime: oldest.length > 0 ? Math.min(...oldest) : undefined,
    databaseBytes: counts?.databaseBytes ?? 0,
    waiting: readRetentionWait(),
  };
}
