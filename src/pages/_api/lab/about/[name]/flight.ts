import { experiments } from 'virtual:flight-recorder/experiments';

import { describePayload } from '#src/flights/interface/describe-payload.ts';
import { readSourcesOf } from '#src/flights/for-operator/sources-of-flight.ts';
import { experimentPath } from '#src/server/http/addresses.ts';
import { refuse } from '#src/server/http/refuse.ts';
import { listFlights, readFlight } from '#src/flights/for-operator/queries.ts';
import { waitForFlight } from '#src/flights/for-operator/wait-for-flight.ts';
import { ownApp } from '#src/store/own-app.ts';

type Context = { readonly params: { readonly name: string } };

async function findNewest(name: string): Promise<number | undefined> {
  const kinds = ['document', 'navigation', 'action'] as const;
  const page = await listFlights({ app: ownApp, route: experimentPath(name), kinds }, { limit: 1 });
  return page.flights[0]?.id;
}

/** `?of=` a request: its flight, as soon as it is written. Without it, the newest of the experiment. `null` where there is none. */
export async function GET(request: Request, { params }: Context): Promise<Response> {
  const experiment = experiments.find(({ name }) => name === params.name);
  const of = new URL(request.url).searchParams.get('of');
  if (!experiment || (of !== null && !/^[0-9a-f]{32}$/.test(of))) return refuse('not-found', 'json', 'no such flight');
  const id = of === null ? await findNewest(experiment.name) : (await waitForFlight(of, request.signal))?.id;
  const recorded = id === undefined ? undefined : await readFlight(id);
  return Response.json(recorded ? describePayload(recorded, await readSourcesOf(recorded)) : null, {
    headers: { 'cache-control': 'private, no-store' },
  });
}
