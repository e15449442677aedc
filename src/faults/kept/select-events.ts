import 'server-only';

import { type Kysely, type RawBuilder, sql } from 'kysely';

import type { Side, Tables } from '#src/store/schema.ts';

/** What queries of events share. Whoever runs one asks first who wants to know. */

/** What this side told. It is in words: with a value in its place no index of one side (src/store/tables.ts) would be used. */
export function selectEvents(db: Kysely<Tables>, side: Side) {
  return db.selectFrom('event').where('event.side', '=', sql.lit(side));
}

/**
 * Beside a condition that finds a few rows. As a function of the column it uses no index: SQLite would take the one on the app,
 * and read thousands of rows.
 */
export function isOfApp(app: string | RawBuilder<unknown>) {
  return sql<boolean>`coalesce(app, '') = ${app}`;
}

/**
 * Under this digest, of this app: the index of digests has them in the order of their time. Whoever may make errors can make a hundred
 * thousand of one digest, so a query that has one names its app so.
 */
export function isUnder(digest: string | RawBuilder<unknown>, app: string | RawBuilder<unknown>) {
  return sql<boolean>`event.digest = ${digest} and event.app = ${app}`;
}

/** When a server's error happened is believed. Of an untrusted error only when it came is known. */
export const timeColumns = { server: 'time', browser: 'received_at' } as const satisfies Record<Side, string>;

export const summaryColumns = ['digest', 'app', 'fingerprint', 'time', 'name', 'message', 'path'] as const;
