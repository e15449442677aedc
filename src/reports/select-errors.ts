import 'server-only';

import { type Kysely, sql } from 'kysely';

import type { Tables } from '#src/store/schema.ts';

/** The lines of lists of errors. Whoever runs these queries asks first who wants to know. */

/**
 * Beside a condition that finds a few rows. As a function of the column it uses no index: SQLite would take the one on the app,
 * and read thousands of rows.
 */
export function isOfApp(app: string) {
  return sql<boolean>`coalesce(app, '') = ${app}`;
}

/**
 * Among errors of the same millisecond, the one that was stored last comes first. An index on the time ends with the
 * rowid, so SQLite reads in order and sorts nothing.
 */
const storedLast = sql`rowid`;

export const summaryColumns = ['digest', 'app', 'fingerprint', 'time', 'name', 'message', 'path'] as const;

/** @param app of which they are, by the index on app and time; undefined: of all */
export function selectServerErrors(db: Kysely<Tables>, app?: string) {
  return db
    .selectFrom('error')
    .$if(app !== undefined, (query) => query.where('app', '=', app ?? ''))
    .select(['id', ...summaryColumns, 'phase', 'kind'])
    .orderBy('time', 'desc')
    .orderBy(storedLast, 'desc');
}

/** Browser reports whose digest no server error has: the first report for each digest. */
export function selectBrowserErrors(db: Kysely<Tables>, app?: string) {
  return db
    .selectFrom('report')
    .$if(app !== undefined, (query) => query.where('app', '=', app ?? ''))
    .select(['event_id as id', ...summaryColumns])
    .where('side', '=', sql.lit('browser'))
    .where('digest', 'is not', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('error')
            .select('error.digest')
            .whereRef('error.digest', '=', 'report.digest')
            .where(sql<boolean>`coalesce(error.app, '') = report.app`),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('report as earlier')
            .select('earlier.digest')
            .whereRef('earlier.digest', '=', 'report.digest')
            .where(sql<boolean>`coalesce(earlier.app, '') = report.app`)
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
