import { listAppNames } from '#src/apps/for-operator/read-apps.ts';
import { parseEventsAddress } from '#src/components/flights/events-address.ts';
import { parseFlightQuery, toFlightFilter } from '#src/components/flights/flight-query.ts';
import { refuse } from '#src/http/refuse.ts';
import { streamFlightNews } from '#src/recorder/for-operator/flight-events.ts';
import { countFaultNews } from '#src/reports/faults/count-news.ts';
import { onDraining } from '#src/http/draining.ts';

export async function GET(request: Request): Promise<Response> {
  const { search } = new URL(request.url);
  const filter = toFlightFilter(parseFlightQuery(search), await listAppNames());
  if (!filter) return refuse('malformed-request', 'json', 'not a digest');
  const { flightsSince, faultsSince } = parseEventsAddress(search);
  const countFaults = faultsSince === undefined ? undefined : () => countFaultNews(faultsSince, filter.app);
  return streamFlightNews(filter, flightsSince, { onDraining, countFaults });
}
