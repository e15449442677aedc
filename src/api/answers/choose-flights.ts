import 'server-only';

import { listAppNames } from '#src/apps/for-operator/read-apps.ts';
import type { FlightFilter } from '#src/flights/for-operator/match-flights.ts';
import { type FlightQuery, parseFlightQuery, toFlightFilter } from '#src/flights/interface/flight-query.ts';

import type { ApiAnswer, ApiQuestion } from '../answer.ts';
import { readInteger } from '../parameters.ts';
import { chooseApp } from '../scope.ts';

type Chosen =
  | { readonly type: 'chosen'; readonly query: FlightQuery; readonly filter: FlightFilter }
  | Extract<ApiAnswer, { readonly type: 'refused' }>;

/** Which flights a question is about: by the filters of the page, of what its token may read. */
export async function chooseFlights({ fields, access }: ApiQuestion): Promise<Chosen> {
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
  if (filter) return { type: 'chosen', query, filter };
  const more = { parameters: [{ name: 'digest', problem: 'It cannot be a digest.' }] };
  return { type: 'refused', code: 'wrong-parameter', detail: 'no digest', more };
}
