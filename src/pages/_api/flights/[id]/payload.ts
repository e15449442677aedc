import { parseFlightId } from '#src/components/flights/flight-query.ts';
import { readPayload } from '#src/recorder/read-payload.ts';
import { refuse } from '#src/http/refuse.ts';
import { readFlight } from '#src/recorder/for-operator/queries.ts';

type Context = { readonly params: { readonly id: string } };

export async function GET(_: Request, { params }: Context): Promise<Response> {
  const id = parseFlightId(params.id);
  const recorded = id === undefined ? undefined : await readFlight(id);
  if (!recorded) return refuse('not-found', 'json', 'no such flight');
  return new Response(readPayload(recorded).slice(), {
    headers: { 'content-type': 'application/octet-stream', 'cache-control': 'private, no-store' },
  });
}
