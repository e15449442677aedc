import { sql } from 'kysely';

import { openFlightsReader } from './flights-reader.ts';
import { ofApp } from './of-app.ts';

/** Empty where nothing says it. */
export type TabBuilds = {
  /** Of the document. */
  readonly loaded: string;
  /** Of the app's newest answer. */
  readonly served: string;
};

/** In their order of end. Without a build in so many, nothing says it. */
const rowsRead = 1_000;

/** @param document the id of the document's request, where a proxy has named it */
export async function readTabBuilds(app: string, document: string | undefined): Promise<TabBuilds> {
  const db = await openFlightsReader();
  if (!db) return { loaded: '', served: '' };
  // What was prefetched may come from a cache before the app, and be of an earlier build.
  const newest = db
    .selectFrom('flight')
    .select(['id', 'build', 'kind'])
    .where(ofApp(app))
    .orderBy('id', 'desc')
    .limit(rowsRead);
  const served = await db
    .selectFrom(newest.as('newest'))
    .select('build')
    .where('build', '!=', '')
    .where('kind', '!=', 'prefetch')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  const loaded =
    document === undefined
      ? undefined
      : await db
          .selectFrom('flight')
          .select('build')
          .where(sql<boolean>`substr(request_id, 1, 8) = ${document.slice(0, 8)}`)
          .where('request_id', '=', document)
          .where(ofApp(app))
          .executeTakeFirst();
  return { loaded: loaded?.build ?? '', served: served?.build ?? '' };
}
