import { sql } from 'kysely';

import { ownApp } from '#src/store/own-app.ts';

/**
 * Flights of one app. The index `flight_app` leaves out our own (writer/migrations.ts), and SQLite uses it only when the
 * query says so itself, as a literal. Ours are then found by reading the newest rows.
 */
export function ofApp(app: string) {
  const own = sql.lit(ownApp);
  return app === ownApp ? sql<boolean>`app = ${own}` : sql<boolean>`app = ${app} and app != ${own}`;
}

/** Beside a condition that finds a few flights. As a function of the column it uses no index, and the others are asked first. */
export function isOfApp(app: string) {
  return sql<boolean>`coalesce(app, '') = ${app}`;
}

/** Whether flights of this app alone can be found without reading others. */
export function hasIndex(app: string | undefined): app is string {
  return app !== undefined && app !== ownApp;
}
