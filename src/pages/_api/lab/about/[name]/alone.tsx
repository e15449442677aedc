import { experiments } from 'virtual:flight-recorder/experiments';

import { loadExperiment } from '#src/lab/list/load-experiment.ts';
import { renderAlone } from '#src/runtime/renderer/render-alone.ts';
import { refuse } from '#src/server/http/refuse.ts';

type Context = { readonly params: { readonly name: string } };

/** The payload of an experiment alone: what its component sends, without page and layout. `?…` is the query that it is given. */
export async function GET(request: Request, { params }: Context): Promise<Response> {
  const experiment = experiments.find(({ name }) => name === params.name);
  if (experiment?.status !== 'working') return refuse('not-found', 'json', 'no such experiment');
  const Experiment = await loadExperiment(experiment);
  return renderAlone(<Experiment query={new URL(request.url).searchParams} />);
}
