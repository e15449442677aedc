import 'server-only';

import { type Kysely, sql } from 'kysely';

import { requireOperator } from '#src/access/require-operator.ts';
import { dialectOf } from '#src/store/dialect.ts';
import { openStore } from '#src/store/open-store.ts';
import { sides } from '#src/store/event-columns.ts';
import type { EventRow, Side, Tables } from '#src/store/schema.ts';

import { isOfApp, selectEvents } from '../kept/select-events.ts';
import { type Asked, type AskedTime, longestPath, toPath } from './asked-time.ts';

/**
 * An error page that says “Digest: none” showed an error that has no digest: of the browser, or of an answer whose error nobody told.
 * What a person knows of it then is about when it was, and where.
 */
export type WithoutDigest = Pick<EventRow, 'id' | 'app' | 'side' | 'fault' | 'time' | 'name' | 'message' | 'path'>;

/** Who looks at a clock says the minute; who remembers is wrong by some. */
const nearMs = 10 * 60_000;
/** Of each side. Of these the page is looked at. */
const rowsLooked = 10_000;
const rowsRead = 1_000;
const listed = 20;

const none = /\bdigest["'“”’`]?\s*[:=]?\s*["'“”’`]?(?:none|null|undefined|unknown|n\/a|[-–—]+)(?![\w/-])/i;

/** “Digest: none”, among other words or alone. */
export function saysNoDigest(typed: string): boolean {
  return none.test(typed.slice(0, 1_000));
}

/** All that `toPath` may make this page of: with a query or slashes behind it, cut, or without a slash before it. */
function mayBeAt(page: string) {
  const length = sql`length(cast(${page} as text))`;
  return sql<boolean>`(
    (substr(path, 1, ${length}) = ${page} and substr(path, ${length} + 1, 1) in ('', '?', '#', '/'))
    or substr(path, 1, 1) <> '/' or length(path) > ${longestPath}
  )`;
}

/** The newest of that time. An index of those without a digest has them in this order. */
export function newestWithoutDigest(
  db: Kysely<Tables>,
  side: Side,
  app: string | undefined,
  at: AskedTime | undefined,
) {
  return selectEvents(db, side)
    .select(['id', 'path', 'received_at'])
    .where('digest', 'is', null)
    .$if(app !== undefined, (query) => query.where(isOfApp(app ?? '')))
    .$if(at !== undefined, (query) =>
      query
        .where('received_at', '>=', (at?.time ?? 0) - nearMs)
        .where('received_at', '<=', (at?.time ?? 0) + (at?.stepMs ?? 0) + nearMs),
    )
    .orderBy('received_at', 'desc')
    .limit(rowsLooked);
}

/** Those of that time and page, the nearest first; without a time the newest. */
export async function listWithoutDigest(app: string | undefined, asked: Asked): Promise<readonly WithoutDigest[]> {
  requireOperator();
  const { at, path } = asked;
  const { db } = await openStore();
  const found: (WithoutDigest & { readonly received_at: number })[] = [];
  for (const side of sides) {
    const near = await db
      .selectFrom(newestWithoutDigest(db, side, app, at).as('newest'))
      .select('id')
      .$if(path !== undefined, (query) => query.where(mayBeAt(path ?? '')))
      .orderBy('received_at', 'desc')
      .limit(rowsRead)
      .execute();
    if (near.length === 0) continue;
    const rows = await selectEvents(db, side)
      .select(['id', 'app', 'event.side', 'fault', 'time', 'name', 'message', 'path', 'received_at'])
      .where(
        dialectOf(db).isOneOf(
          sql.ref('id'),
          near.map(({ id }) => id),
        ),
      )
      .execute();
    found.push(...rows.filter((row) => path === undefined || toPath(row.path) === path));
  }
  const distance = (row: { received_at: number }) =>
    at === undefined ? -row.received_at : Math.abs(row.received_at - at.time);
  return found.toSorted((a, b) => distance(a) - distance(b)).slice(0, listed);
}
