import 'server-only';

import { sql } from 'kysely';

/** What queries of errors share. Whoever runs one asks first who wants to know. */

/**
 * Beside a condition that finds a few rows. As a function of the column it uses no index: SQLite would take the one on the app,
 * and read thousands of rows.
 */
export function isOfApp(app: string) {
  return sql<boolean>`coalesce(app, '') = ${app}`;
}

export const summaryColumns = ['digest', 'app', 'fingerprint', 'time', 'name', 'message', 'path'] as const;
