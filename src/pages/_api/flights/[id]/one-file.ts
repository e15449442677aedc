import { parseFlightId } from '#src/flights/interface/flight-query.ts';
import { readFlight } from '#src/flights/for-operator/queries.ts';
import { saveComparison, saveFlight } from '#src/flights/for-operator/save-flights.ts';
import { refuse } from '#src/server/http/refuse.ts';

type Context = { readonly params: { readonly id: string } };

async function find(text: string) {
  const id = parseFlightId(text);
  return id === undefined ? undefined : await readFlight(id);
}

/** A flight with its viewer in one file; `?with=` another, the two compared. */
export async function GET(request: Request, { params }: Context): Promise<Response> {
  const recorded = await find(params.id);
  const other = new URL(request.url).searchParams.get('with');
  const before = other === null ? undefined : await find(other);
  if (!recorded || (other !== null && !before)) return refuse('not-found', 'json', 'no such flight');
  const saved = before ? await saveComparison(before, recorded) : await saveFlight(recorded);
  return saved ?? refuse('not-found', 'json', 'the flight has no payload');
}
