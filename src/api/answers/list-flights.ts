import 'server-only';

import { listAppNames } from '#src/apps/for-operator/read-apps.ts';
import { type FlightQuery, parseFlightQuery, toFlightFilter } from '#src/components/flights/flight-query.ts';
import { readApiAddress } from '#src/http/addresses.ts';
import type { FlightFilter } from '#src/recorder/for-operator/match-flights.ts';
import { listFlights as list } from '#src/recorder/for-operator/queries.ts';
import { listSortedFlights, type FlightOrder } from '#src/recorder/for-operator/sort-flights.ts';

import type { ApiAnswer, ApiQuestion } from '../answer.ts';
import { usualPage } from '../list-parameters.ts';
import { readInteger } from '../parameters.ts';
import { chooseApp } from '../scope.ts';
import type { FlightList } from '../schemas/flights.ts';
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
  const { fields, access, origin } = question;
  const chosen = chooseApp(access, fields.get('app'));
  if (chosen.type === 'refused') return chosen;
  // The steps that the page's form has are not the only ones here.
  const query: FlightQuery = {
    ...parseFlightQuery(fields.toString()),
    app: chosen.app,
    slowerThanMs: readInteger(fields, 'slow'),
    largerThan: readInteger(fields, 'large'),
  };
  const filter = toFlightFilter(query, await listAppNames());
  if (!filter) {
    const problem = 'It cannot be a digest.';
    const more = { parameters: [{ name: 'digest', problem }] };
    return { type: 'refused', code: 'wrong-parameter', detail: 'no digest', more };
  }
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
