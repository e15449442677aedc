import { parseFlightId } from '#src/components/flights/flight-query.ts';
import { toFlightFile } from '#src/components/flights/to-flight-file.ts';
import { writeFlightFile } from '#flight';
import { readFlight } from '#src/recorder/for-operator/queries.ts';

type Context = { readonly params: { readonly id: string } };

export async function GET(_: Request, { params }: Context): Promise<Response> {
  const id = parseFlightId(params.id);
  const recorded = id === undefined ? undefined : await readFlight(id);
  if (!recorded) return Response.json({ detail: 'no such flight' }, { status: 404 });
  return new Response(writeFlightFile(toFlightFile(recorded)), {
    headers: {
      'content-type': 'application/json',
      'content-disposition': `attachment; filename="flight-${recorded.id}.json"`,
      'cache-control': 'private, no-store',
    },
  });
}
