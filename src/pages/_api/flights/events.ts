import { listAppNames } from '#src/apps/for-operator/read-apps.ts';
import { parseEventsAddress } from '#src/flights/interface/events-address.ts';
import { parseFlightQuery, toFlightFilter } from '#src/flights/interface/flight-query.ts';
import { refuse } from '#src/server/http/refuse.ts';
import { streamFlightCounts } from '#src/flights/for-operator/flight-events.ts';
import { countUnseenFaults } from '#src/faults/grouping/count-unseen.ts';
import { onDraining } from '#src/server/http/draining.ts';

export async function GET(request: Request): Promise<Response> {
  const { search } = new URL(request.url);
  const filter = toFlightFilter(parseFlightQuery(search), await listAppNames());
  if (!filter) return refuse('malformed-request', 'json', 'not a digest');
  const { flightsSince, faultsSince } = parseEventsAddress(search);
  const countFaults = faultsSince === undefined ? undefined : () => countUnseenFaults(faultsSince, filter.app);
  return streamFlightCounts(filter, flightsSince, { onDraining, countFaults });
}
