import 'server-only';

import { sql, type Kysely } from 'kysely';

import type { FlightSummary } from '../flight/flight-record.ts';
import { readNewestId } from '../recorder/flights-reader.ts';
import { listedColumns, toSummary } from '../flight/read-columns.ts';
import type { FlightTables } from '../flight/stored-tables.ts';
import { flightSize, responseSize } from './flight-size.ts';
import { matchFlights, type FlightFilter } from './match-flights.ts';
import { countChunks } from './count-chunks.ts';
import { findBottom, hasOlder, stretch } from './queries.ts';
import { readForOperator } from './read-for-operator.ts';

/**
 * The list in another order than that of time. No such order has an index, so what is sorted is a bounded stretch of the recording: the
 * newest flights, or those before them when somebody asks for these. The answer says how many were compared, and where the
 * next stretch begins.
 */
const sorts = {
  time: sql<number | null>`id`,
  flight: flightSize,
  response: responseSize,
  transferred: sql<number | null>`sent_bytes`,
  duration: sql<number | null>`duration_ms`,
  status: sql<number | null>`status`,
} as const;

type FlightSort = keyof typeof sorts;

export type FlightOrder = { readonly by: FlightSort; readonly isAscending: boolean };

export type SortedPage = {
  readonly flights: readonly FlightSummary[];
  /** How many flights match in this stretch: all of them were put in order. */
  readonly sorted: number;
  /** What was sorted is below this id: the next page of the same stretch names it. */
  readonly top: number;
  /** The `top` of the stretch before this one; undefined at the end of the recording. */
  readonly older: number | undefined;
  /** The newest id of all at that time, 0 when there is none. */
  readonly newest: number;
};

type Range = {
  /** The `top` of a stretch; undefined for the newest. */
  readonly before?: number;
  readonly skip: number;
  readonly limit: number;
};

/** The ids of one page. Nothing else goes through the sorter, so the rows of a page alone are read whole. */
async function rank(
  db: Kysely<FlightTables>,
  filter: FlightFilter,
  order: FlightOrder,
  range: Required<Range>,
  bottom: number,
) {
  const key = sorts[order.by];
  const way = order.isAscending ? 'asc' : 'desc';
  const within = db
    .selectFrom('flight')
    .where('id', '<', range.before)
    .where('id', '>', bottom)
    .where(matchFlights(filter));
  const { sorted } = await within.select(({ fn }) => fn.countAll<number>().as('sorted')).executeTakeFirstOrThrow();
  const ranked = await within
    .select('id')
    // What is not known is last both ways.
    .orderBy(sql`${key} is null`)
    .orderBy(key, way)
    .orderBy('id', 'desc')
    .limit(range.limit)
    .offset(range.skip)
    .execute();
  return { sorted, ids: ranked.map(({ id }) => id) };
}

export async function listSortedFlights(filter: FlightFilter, order: FlightOrder, range: Range): Promise<SortedPage> {
  const nothing = { flights: [], sorted: 0, top: 0, older: undefined, newest: 0 };
  return readForOperator<SortedPage>(nothing, async (db) => {
    const newest = await readNewestId(db);
    const top = Math.min(range.before ?? Infinity, newest + 1);
    // As in a list by time: each digest has few flights.
    const bottom = filter.digest === undefined ? await findBottom(db, filter.app, top, stretch) : 0;
    const { sorted, ids } = await rank(db, filter, order, { ...range, before: top }, bottom);
    const rows =
      ids.length === 0
        ? []
        : await db
            .selectFrom('flight')
            .select([...listedColumns, countChunks(db)])
            .where('id', 'in', ids)
            .execute();
    const now = Date.now();
    const byId = new Map(rows.map((row) => [row.id, toSummary(row, now)]));
    const isMore = bottom > 0 && (await hasOlder(db, filter.app, bottom + 1));
    return {
      flights: ids.flatMap((id) => byId.get(id) ?? []),
      sorted,
      top,
      older: isMore ? bottom + 1 : undefined,
      newest,
    };
  });
}
