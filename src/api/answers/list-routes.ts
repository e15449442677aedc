import 'server-only';

import { sumRoutes } from '#src/flights/for-operator/summaries.ts';
import { flightsPath } from '#src/server/http/addresses.ts';

import type { ApiAnswer, ApiQuestion } from '../answer.ts';
import type { RouteList } from '../schemas/routes.ts';
import { chooseFlights } from './choose-flights.ts';

export async function listRoutes(question: ApiQuestion): Promise<ApiAnswer> {
  const chosen = await chooseFlights(question);
  if (chosen.type === 'refused') return chosen;
  const { fields, origin } = question;
  const totals = await sumRoutes(chosen.filter);
  const body: RouteList = {
    routes: totals.map(
      ({ route, kind, flights, failures, bytes, responseBytes, transferredBytes, p50Ms, p95Ms, p99Ms, vitals }) => ({
        route,
        kind,
        flights,
        failures,
        sizes: { flight: bytes, response: responseBytes ?? null, transferred: transferredBytes ?? null },
        p50Ms,
        p95Ms,
        p99Ms,
        vitals: vitals ? { lcp: vitals.lcp ?? null, inp: vitals.inp ?? null, cls: vitals.cls ?? null } : null,
      }),
    ),
    page: `${origin}${flightsPath}?${new URLSearchParams([...fields, ['view', 'routes']]).toString()}`,
  };
  return { type: 'json', body };
}
