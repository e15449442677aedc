import 'server-only';

import { sql, type Kysely } from 'kysely';

import type { FlightSummary } from '../flight/flight-record.ts';
import { ofApp } from '../recorder/of-app.ts';
import { listedColumns, toSummary } from '../flight/read-columns.ts';
import type { FlightTables } from '../flight/stored-tables.ts';
import { countChunks } from './count-chunks.ts';
import { findIdAt } from './find-id-at.ts';
import { findBottom, hasOlder } from './queries.ts';
import { readForOperator } from './read-for-operator.ts';

/**
 * Earlier responses of a route, to compare one with. Equal bodies are stored once, so whether a response is the same as another
 * is known without reading either.
 */
export type EarlierFlight = {
  readonly flight: FlightSummary;
  /** Its body is the same, byte for byte. */
  readonly isSame: boolean;
};

export type EarlierFlights = {
  /** Of the same kind and content, newest first: the last of them. */
  readonly alike: readonly EarlierFlight[];
  /** There are more than those, or may be beyond what was searched. */
  readonly isMore: boolean;
  /** The one that is nearest to a day before, when it is not among those. */
  readonly dayBefore: EarlierFlight | undefined;
  /** Of other kinds, newest first. */
  readonly others: readonly EarlierFlight[];
};

const shownAlike = 5;
const shownOthers = 3;
/** Flights that a search looks at: some 20 ms. */
const stretch = 20_000;

const day = 24 * 60 * 60 * 1_000;
/** Still about a day before. */
const tolerance = day / 2;

const none: EarlierFlights = { alike: [], isMore: false, dayBefore: undefined, others: [] };

type Of = Pick<FlightSummary, 'id' | 'app' | 'route' | 'kind' | 'content' | 'startedAt'>;

function selectBetween(db: Kysely<FlightTables>, { app, route }: Of, from: number, to: number) {
  return db
    .selectFrom('flight')
    .select([...listedColumns, 'body_id', countChunks(db)])
    .where(ofApp(app))
    .where('route', '=', route)
    .where('content', '!=', 'none')
    .where('id', '>', from)
    .where('id', '<', to);
}

/** Which of these bodies have the content of that one. PostgreSQL keeps a content once in each part of the recording. */
async function findSame(
  db: Kysely<FlightTables>,
  bodyId: number | null,
  among: readonly (number | null)[],
): Promise<ReadonlySet<number>> {
  if (bodyId === null) return new Set();
  const ids = among.filter((id) => id !== null);
  if (ids.length === 0) return new Set();
  const rows = await db
    .selectFrom('body')
    .select('id')
    .where('id', 'in', ids)
    .where('hash', '=', db.selectFrom('body').select('hash').where('id', '=', bodyId))
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/** Empty for a flight without a body. */
export async function listEarlierFlights(of: Of): Promise<EarlierFlights> {
  if (of.content === 'none') return none;
  return readForOperator(none, async (db) => {
    const own = await db.selectFrom('flight').select('body_id').where('id', '=', of.id).executeTakeFirst();
    const bottom = await findBottom(db, of.app, of.id, stretch);
    const now = Date.now();
    const recent = selectBetween(db, of, bottom, of.id).orderBy('id', 'desc');
    const foundRows = await recent
      .where('kind', '=', of.kind)
      .where('content', '=', of.content)
      .limit(shownAlike + 1)
      .execute();
    const alikeRows = foundRows.slice(0, shownAlike);
    const otherRows = await recent
      .where(({ or, eb }) => or([eb('kind', '!=', of.kind), eb('content', '!=', of.content)]))
      .limit(shownOthers)
      .execute();
    const dayId = await findIdAt(db, of.app, of.startedAt - day);
    const dayRow = await selectBetween(db, of, dayId - stretch / 2, Math.min(of.id, dayId + stretch / 2))
      .where('kind', '=', of.kind)
      .where('content', '=', of.content)
      .where('started_at', '>=', of.startedAt - day - tolerance)
      .where('started_at', '<=', of.startedAt - day + tolerance)
      .orderBy(sql`abs(started_at - ${of.startedAt - day})`)
      .limit(1)
      .executeTakeFirst();
    const rows = [...alikeRows, ...otherRows, ...(dayRow ? [dayRow] : [])];
    const same = await findSame(
      db,
      own?.body_id ?? null,
      rows.map((row) => row.body_id),
    );
    const toEarlier = (row: (typeof alikeRows)[number]): EarlierFlight => ({
      flight: toSummary(row, now),
      isSame: row.body_id !== null && same.has(row.body_id),
    });
    const isListed = dayRow !== undefined && alikeRows.some(({ id }) => id === dayRow.id);
    return {
      alike: alikeRows.map(toEarlier),
      isMore: foundRows.length > alikeRows.length || (bottom > 0 && (await hasOlder(db, of.app, bottom + 1))),
      dayBefore: dayRow && !isListed ? toEarlier(dayRow) : undefined,
      others: otherRows.map(toEarlier),
    };
  });
}
