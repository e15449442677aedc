import { parseFlightId } from '#src/flights/interface/flight-query.ts';
import { toFlightFile } from '#src/flights/flight/to-flight-file.ts';
import { writeFlightFile } from '#flight';
import { refuse } from '#src/server/http/refuse.ts';
import { readFlight } from '#src/flights/for-operator/queries.ts';
import { readServerTime } from '#src/flights/for-operator/read-spans.ts';

type Context = { readonly params: { readonly id: string } };

export async function GET(_: Request, { params }: Context): Promise<Response> {
  const id = parseFlightId(params.id);
  const recorded = id === undefined ? undefined : await readFlight(id);
  if (!recorded) return refuse('not-found', 'json', 'no such flight');
  return new Response(writeFlightFile(toFlightFile(recorded, await readServerTime(recorded))), {
    headers: {
      'content-type': 'application/json',
      'content-disposition': `attachment; filename="flight-${recorded.id}.json"`,
      'cache-control': 'private, no-store',
    },
  });
}
