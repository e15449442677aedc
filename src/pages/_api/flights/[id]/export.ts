import { parseFlightId } from '#src/components/flights/flight-query.ts';
import { toFlightFile } from '#src/recorder/to-flight-file.ts';
import { writeFlightFile } from '#flight';
import { refuse } from '#src/http/refuse.ts';
import { readFlight } from '#src/recorder/for-operator/queries.ts';

type Context = { readonly params: { readonly id: string } };

export async function GET(_: Request, { params }: Context): Promise<Response> {
  const id = parseFlightId(params.id);
  const recorded = id === undefined ? undefined : await readFlight(id);
  if (!recorded) return refuse('not-found', 'json', 'no such flight');
  return new Response(writeFlightFile(toFlightFile(recorded)), {
    headers: {
      'content-type': 'application/json',
      'content-disposition': `attachment; filename="flight-${recorded.id}.json"`,
      'cache-control': 'private, no-store',
    },
  });
}
