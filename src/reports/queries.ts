import 'server-only';

import { type Kysely, sql } from 'kysely';

import { requireOperator } from '#src/operator/require-operator.ts';
import { compileOnce } from '#src/store/compile-once.ts';
import { openStore } from '#src/store/open-store.ts';
import type { Tables } from '#src/store/schema.ts';

import type { ErrorSummary, StoredCounts } from './incident.ts';
import { countUnstoredErrors } from './record-error.ts';
import { readRetentionWait } from './retention.ts';
import { selectBrowserErrors, selectServerErrors, summaryColumns } from './select-errors.ts';

/** How many errors the front page shows. */
const latestShown = 25;
/**
 * Anyone can post a browser report. So this many lines are for the server's own errors, as long as there are so many.
 */
const serverShown = 15;

/** The two kinds are in no order relative to each other. */
function buildLatest(db: Kysely<Tables>, app: string | undefined) {
  const server = selectServerErrors(db, app).select(sql<'server' | 'browser'>`'server'`.as('side'));
  const browser = selectBrowserErrors(db, app).select([
    sql<ErrorSummary['phase']>`'browser'`.as('phase'),
    sql<ErrorSummary['kind']>`'browser'`.as('kind'),
    sql<'server' | 'browser'>`'browser'`.as('side'),
  ]);
  const latest = db
    .selectFrom(server.limit(latestShown).as('serverError'))
    .select(['id', ...summaryColumns, 'side'])
    // As text: a browser's error has values of its own there.
    .select(({ ref }) => [sql<string>`${ref('phase')}`.as('phase'), sql<string>`${ref('kind')}`.as('kind')])
    .unionAll(
      db
        .selectFrom(browser.limit(latestShown).as('browserError'))
        .select(['id', ...summaryColumns, 'side', 'phase', 'kind']),
    );
  return db
    .selectFrom(latest.as('latest'))
    .selectAll()
    .select([
      db
        .selectFrom('error')
        .$if(app !== undefined, (query) => query.where('app', '=', app ?? ''))
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .as('serverTotal'),
      db
        .selectFrom(selectBrowserErrors(db, app).clearOrderBy().as('counted'))
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .as('browserTotal'),
    ]);
}

const selectLatest = compileOnce((db) => buildLatest(db, undefined));

/** Newest first. Browsers' claims only get the lines that the server's errors leave free. */
function chooseLatest(errors: readonly ErrorSummary[]): ErrorSummary[] {
  const sorted = errors.toSorted((a, b) => b.time - a.time);
  const reserved = new Set(sorted.filter(({ side }) => side === 'server').slice(0, serverShown));
  let room = latestShown - reserved.size;
  return sorted.filter((error) => reserved.has(error) || (room -= 1) >= 0);
}

/**
 * The newest errors of the server, and those that only browsers reported, newest first.
 * @param app of which they are; undefined: of all
 * @returns `total`: how many there are, whether shown or not
 */
export async function listLatestErrors(
  app?: string,
): Promise<{ readonly errors: ErrorSummary[]; readonly total: number }> {
  requireOperator();
  const { db } = await openStore();
  const rows = app === undefined ? await selectLatest(db) : await buildLatest(db, app).execute();
  const [first] = rows;
  return {
    errors: chooseLatest(rows.map(({ serverTotal: _server, browserTotal: _browser, ...error }) => error)),
    total: first ? (first.serverTotal ?? 0) + (first.browserTotal ?? 0) : 0,
  };
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
