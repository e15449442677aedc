import 'server-only';

import { type Kysely, type Selectable, sql } from 'kysely';

import { requireOperator } from '#src/operator/require-operator.ts';
import type { ServerErrorRecord } from '#src/runtime/errors/error-record.ts';
import { runtimeSettings } from '#src/runtime/settings.ts';
import { compileOnce } from '#src/store/compile-once.ts';
import { openStore } from '#src/store/open-store.ts';
import type { ErrorTable, ReportTable, Tables } from '#src/store/schema.ts';

import type { Breadcrumb, BrowserReport, ErrorSummary, Incident, StoredCounts } from './incident.ts';
import { chartOccurrences } from './occurrences.ts';
import { countUnstoredErrors, whenComplete } from './record-error.ts';
import { readRetentionWait } from './retention.ts';
import { readBreadcrumbs, readCauses, readFrames } from './stored-json.ts';

const othersShown = 20;
/**
 * Anyone who read a digest can post reports for it. The browser that had the error posts within seconds. So the first
 * reports are the likeliest to be real, and later ones cannot push them out.
 */
const reportsShown = 20;

/**
 * Among errors of the same millisecond, the one that was stored last comes first. An index on the time ends with the
 * rowid, so SQLite reads in order and sorts nothing.
 */
const storedLast = sql`rowid`;

const summaryColumns = ['app', 'fingerprint', 'time', 'name', 'message', 'path'] as const;

function selectServerErrors(db: Kysely<Tables>, app?: string) {
  return db
    .selectFrom('error')
    .$if(app !== undefined, (query) => query.where('app', '=', app ?? ''))
    .select(({ fn }) => fn.coalesce('digest', 'id').as('digest'))
    .select([...summaryColumns, 'phase', 'kind'])
    .orderBy('time', 'desc')
    .orderBy(storedLast, 'desc');
}

/** Browser reports whose digest no server error has: the first report for each digest. */
function selectBrowserErrors(db: Kysely<Tables>, app?: string) {
  return db
    .selectFrom('report')
    .$if(app !== undefined, (query) => query.where('app', '=', app ?? ''))
    .select([...summaryColumns, 'digest'])
    .$narrowType<{ digest: string }>()
    .where('side', '=', sql.lit('browser'))
    .where('digest', 'is not', null)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('error').select('error.digest').whereRef('error.digest', '=', 'report.digest'))),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('report as earlier')
            .select('earlier.digest')
            .whereRef('earlier.digest', '=', 'report.digest')
            .where('earlier.side', '=', sql.lit('browser'))
            // This range stands alone. In one `or` with the rest, SQLite would use the index on the side and read all
            // reports for each report: seconds with ten thousand reports.
            .whereRef('earlier.received_at', '<=', 'report.received_at')
            .where(({ eb, or }) =>
              or([
                eb('earlier.received_at', '<', eb.ref('report.received_at')),
                eb('earlier.event_id', '<', eb.ref('report.event_id')),
              ]),
            ),
        ),
      ),
    )
    .orderBy('time', 'desc')
    .orderBy(storedLast, 'desc');
}

type SummaryRow = Pick<Selectable<ErrorTable>, (typeof summaryColumns)[number]> & { readonly digest: string };

function summariseServer(row: SummaryRow & Pick<ErrorTable, 'phase' | 'kind'>): ErrorSummary {
  return { ...row, side: 'server' };
}

function summariseBrowser(row: SummaryRow): ErrorSummary {
  return { ...row, side: 'browser', phase: 'browser', kind: 'browser' };
}

/** How many errors the front page shows. */
const latestShown = 25;
/**
 * Anyone can post a browser report. So this many lines are for the server's own errors, as long as there are so many.
 */
const serverShown = 15;

/** The two kinds are in no order relative to each other. Of one app, or of all. */
function buildLatest(db: Kysely<Tables>, app: string | undefined) {
  const server = selectServerErrors(db, app).select(sql<'server' | 'browser'>`'server'`.as('side'));
  const browserErrors = selectBrowserErrors(db, app);
  const browser = browserErrors.select([
    sql<ErrorSummary['phase']>`'browser'`.as('phase'),
    sql<ErrorSummary['kind']>`'browser'`.as('kind'),
    sql<'server' | 'browser'>`'browser'`.as('side'),
  ]);
  const latest = db
    .selectFrom(server.limit(latestShown).as('serverError'))
    .select([...summaryColumns, 'digest', 'side'])
    // As text: a browser's error has values of its own there.
    .select(({ ref }) => [sql<string>`${ref('phase')}`.as('phase'), sql<string>`${ref('kind')}`.as('kind')])
    .unionAll(
      db
        .selectFrom(browser.limit(latestShown).as('browserError'))
        .select([...summaryColumns, 'digest', 'side', 'phase', 'kind']),
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
        .selectFrom(browserErrors.clearOrderBy().as('counted'))
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

function toServerError(row: Selectable<ErrorTable>): ServerErrorRecord {
  return {
    digest: row.digest ?? row.id,
    fingerprint: row.fingerprint,
    time: row.time,
    phase: row.phase,
    kind: row.kind,
    method: row.method,
    path: row.path,
    requestId: row.request_id,
    traceId: row.trace_id,
    release: row.release,
    name: row.name,
    message: row.message,
    stack: row.stack,
    frames: readFrames(row.frames_json),
    componentStack: row.component_stack ?? undefined,
    causes: readCauses(row.causes_json),
  };
}

function toBrowserReport(row: Selectable<ReportTable>): BrowserReport {
  return {
    eventId: row.event_id,
    time: row.time,
    path: row.path,
    name: row.name,
    message: row.message,
    frames: readFrames(row.frames_json),
    componentStack: row.component_stack ?? undefined,
    userAgent: row.user_agent ?? undefined,
    release: row.release ?? undefined,
    traceId: row.trace_id ?? undefined,
  };
}

/** Two reports of one page share most of their breadcrumbs. Each breadcrumb is shown once. */
function mergeBreadcrumbs(server: string, reports: readonly Selectable<ReportTable>[]): Breadcrumb[] {
  const distinct = new Map<string, Breadcrumb>();
  const browser = reports.flatMap((report) => readBreadcrumbs(report.breadcrumbs_json, 'browser'));
  for (const crumb of [...readBreadcrumbs(server, 'server'), ...browser]) {
    distinct.set(JSON.stringify([crumb.side, crumb.time, crumb.category, crumb.message]), crumb);
  }
  const all = [...distinct.values()].sort((a, b) => a.time - b.time);
  const kept = runtimeSettings.breadcrumbsKept;
  const newest = new Set([
    ...all.filter((crumb) => crumb.side === 'server').slice(-kept),
    ...all.filter((crumb) => crumb.side === 'browser').slice(-kept),
  ]);
  return all.filter((crumb) => newest.has(crumb));
}

async function readReports(db: Kysely<Tables>, digest: string): Promise<Selectable<ReportTable>[]> {
  return db
    .selectFrom('report')
    .selectAll()
    .where('digest', '=', digest)
    .where('side', '=', 'browser')
    .orderBy('received_at')
    .orderBy('event_id')
    .limit(reportsShown)
    .execute();
}

async function findServerOccurrences(
  db: Kysely<Tables>,
  digest: string,
  fingerprint: string,
): Promise<Incident['occurrences']> {
  const moments = db.selectFrom('error').select('time').where('fingerprint', '=', fingerprint);
  const others = await selectServerErrors(db)
    .where('fingerprint', '=', fingerprint)
    .where('digest', '!=', digest)
    .limit(othersShown)
    .execute();
  return { ...(await chartOccurrences(db, moments)), others: others.map(summariseServer) };
}

async function findBrowserOccurrences(
  db: Kysely<Tables>,
  digest: string,
  fingerprint: string,
): Promise<Incident['occurrences']> {
  const same = selectBrowserErrors(db).where('fingerprint', '=', fingerprint);
  const others = await same.where('digest', '!=', digest).limit(othersShown).execute();
  return { ...(await chartOccurrences(db, same.clearOrderBy())), others: others.map(summariseBrowser) };
}

/**
 * Everything known about `digest`, which must be in its stored form. Undefined when nothing is known. For an error that
 * happened a moment ago, this waits until its stack has been read.
 */
export async function findIncident(digest: string): Promise<Incident | undefined> {
  requireOperator();
  await whenComplete(digest);
  const { db } = await openStore();
  const server = await db.selectFrom('error').selectAll().where('digest', '=', digest).executeTakeFirst();
  const browserReports = await readReports(db, digest);
  const first = browserReports[0];
  const fingerprint = server?.fingerprint ?? first?.fingerprint;
  if (fingerprint === undefined) return undefined;
  return {
    digest,
    fingerprint,
    server: server && toServerError(server),
    browser: browserReports.map(toBrowserReport),
    breadcrumbs: mergeBreadcrumbs(server?.breadcrumbs_json ?? '[]', browserReports),
    occurrences: server
      ? await findServerOccurrences(db, digest, fingerprint)
      : await findBrowserOccurrences(db, digest, fingerprint),
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
