import { parseFlightId } from '#src/flights/interface/flight-query.ts';
import { readPayload } from '#src/flights/flight/read-payload.ts';
import { refuse } from '#src/server/http/refuse.ts';
import { readFlightBody } from '#src/flights/for-operator/queries.ts';

type Context = { readonly params: { readonly id: string } };

/** The bytes as they are kept: the browser decodes them. As text they are compressed on the way. */
export async function GET(_: Request, { params }: Context): Promise<Response> {
  const id = parseFlightId(params.id);
  const recorded = id === undefined ? undefined : await readFlightBody(id);
  if (!recorded) return refuse('not-found', 'json', 'no such flight');
  return new Response(readPayload(recorded).slice(), {
    headers: { 'content-type': 'text/x-component', 'cache-control': 'private, no-store' },
  });
}
