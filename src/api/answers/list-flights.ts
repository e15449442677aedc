import 'server-only';

import type { FlightQuery } from '#src/flights/interface/flight-query.ts';
import { readApiAddress } from '#src/server/http/addresses.ts';
import type { FlightFilter } from '#src/flights/for-operator/match-flights.ts';
import { listFlights as list } from '#src/flights/for-operator/queries.ts';
import { listSortedFlights, type FlightOrder } from '#src/flights/for-operator/sort-flights.ts';

import type { ApiAnswer, ApiQuestion } from '../answer.ts';
import { usualPage } from '../list-parameters.ts';
import { readInteger } from '../parameters.ts';
import type { FlightList } from '../schemas/flights.ts';
import { chooseFlights } from './choose-flights.ts';
import { writeFlight } from './write-flight.ts';

/** The same list from another place. */
function toPath(fields: URLSearchParams, at: { before?: number | undefined; skip?: number | undefined }): string {
  const next = new URLSearchParams(fields);
  for (const name of ['before', 'skip'] as const) {
    const value = at[name];
    if (value === undefined) next.delete(name);
    else next.set(name, String(value));
  }
  return `${readApiAddress('flights')}?${next.toString()}`;
}

async function listSorted(
  { fields, origin }: ApiQuestion,
  { before, skip }: FlightQuery,
  order: FlightOrder,
  filter: FlightFilter,
  limit: number,
): Promise<FlightList> {
  const from = before === undefined ? {} : { before };
  const { flights, sorted, top, older, newest } = await listSortedFlights(filter, order, { ...from, skip, limit });
  const end = skip + flights.length;
  const ofOlder = older === undefined ? null : toPath(fields, { before: older });
  return {
    flights: flights.map((flight) => writeFlight(flight, origin)),
    sorted,
    newest,
    next: end < sorted && flights.length > 0 ? toPath(fields, { before: top, skip: end }) : ofOlder,
  };
}

export async function listFlights(question: ApiQuestion): Promise<ApiAnswer> {
  const { fields, origin } = question;
  const chosen = await chooseFlights(question);
  if (chosen.type === 'refused') return chosen;
  const { query, filter } = chosen;
  const limit = readInteger(fields, 'limit') ?? usualPage;
  if (query.order) return { type: 'json', body: await listSorted(question, query, query.order, filter, limit) };
  const { before } = query;
  const { flights, next, newest } = await list(filter, { ...(before === undefined ? {} : { before }), limit });
  const body: FlightList = {
    flights: flights.map((flight) => writeFlight(flight, origin)),
    sorted: null,
    newest,
    next: next === undefined ? null : toPath(fields, { before: next }),
  };
  return { type: 'json', body };
}
