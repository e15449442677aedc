import { experiments } from 'virtual:flight-recorder/experiments';

import { parseFlightId } from '#src/flights/interface/flight-query.ts';
import { readFlight } from '#src/flights/for-operator/queries.ts';
import { saveFlight } from '#src/flights/for-operator/save-flights.ts';
import { hideThrown } from '#src/lab/interface/source-view.tsx';
import { experimentPath } from '#src/server/http/addresses.ts';
import { refuse } from '#src/server/http/refuse.ts';
import { ownApp } from '#src/store/own-app.ts';

type Context = { readonly params: { readonly name: string } };

/** A flight of an experiment, with the source and the viewer in one file. */
export async function GET(request: Request, { params }: Context): Promise<Response> {
  const experiment = experiments.find(({ name }) => name === params.name);
  const id = parseFlightId(new URL(request.url).searchParams.get('flight'));
  const recorded = experiment && id !== undefined ? await readFlight(id) : undefined;
  const isOfExperiment = recorded?.app === ownApp && recorded.route === experimentPath(params.name);
  if (!experiment || !recorded || !isOfExperiment) return refuse('not-found', 'json', 'no such flight');
  const texts = experiment.sources.map(({ file, source }) => ({
    title: `Source of ${file}`,
    text: hideThrown(source),
  }));
  return (
    (await saveFlight(recorded, { title: `Experiment: ${experiment.title}`, texts })) ??
    refuse('not-found', 'json', 'the flight has no payload')
  );
}
