import 'server-only';

import type { FlightSummary } from '../flight/flight-record.ts';
import { listedColumns, toSummary } from '../flight/read-columns.ts';
import { isOfApp } from '../recorder/of-app.ts';
import { countChunks } from './count-chunks.ts';
import { idMatches } from './queries.ts';
import { readForOperator } from './read-for-operator.ts';

/** A request and its moment; an id is empty where it is not known. */
export type RequestTraits = {
  readonly app: string;
  readonly requestId: string;
  readonly traceId: string;
  /** Milliseconds since 1970. */
  readonly time: number;
};

/** A trace is a document with all that followed, which may be a day's work in one tab. */
const aroundMs = 60_000;
/** A document prefetches a dozen pages. */
const flightsShown = 20;

/** The flights of this request and those of its trace within a minute: those nearest in time, the request's own in any case. */
export async function listFlightsAround(request: RequestTraits): Promise<readonly FlightSummary[]> {
  const { app, requestId, traceId, time } = request;
  return readForOperator([], async (db) => {
    if (requestId === '' && traceId === '') return [];
    const rows = await db
      .selectFrom('flight')
      .select([...listedColumns, countChunks(db)])
      // A function of the column: the ids find the few rows.
      .where(isOfApp(app))
      .where('started_at', '>=', time - aroundMs)
      .where('started_at', '<=', time + aroundMs)
      .where(({ or }) =>
        or([
          ...(requestId === '' ? [] : [idMatches('request_id', requestId)]),
          ...(traceId === '' ? [] : [idMatches('trace_id', traceId)]),
        ]),
      )
      .limit(500)
      .execute();
    const now = Date.now();
    const distance = ({ requestId: id, startedAt }: FlightSummary) =>
      id === requestId ? -1 : Math.abs(startedAt - time);
    return rows
      .map((row) => toSummary(row, now))
      .toSorted((a, b) => distance(a) - distance(b))
      .slice(0, flightsShown);
  });
}
