import 'server-only';

import type { ComponentType, ReactNode } from 'react';

import { ExperimentPage } from '#src/lab/interface/experiment-page.tsx';
import { ProblemNotice } from '#src/lab/interface/problem-notice.tsx';

import { DevSaves } from '../saves/dev-saves.tsx';
import { isSave } from '../saves/is-save.ts';
import { describeProblem, type Experiment, type ExperimentProps } from './experiment.ts';
import { loadExperiment } from './load-experiment.ts';

/** A page of an experiment, as a file under src/pages would be. It is loaded with its page: the server starts without it. */
type PageFile = {
  readonly default: ComponentType<PageProps>;
  readonly getConfig: () => Promise<{ readonly render: 'static' | 'dynamic' }>;
};

type PageProps = { readonly query?: string };

type PageFunction = (props: PageProps) => Promise<ReactNode>;

function toPageFile(component: ComponentType<PageProps> | PageFunction, render: 'static' | 'dynamic'): PageFile {
  return { default: component, getConfig: async () => ({ render }) };
}

/** Rendered, it throws what the import of a file threw. In development the error page then shows where. */
export function makeFailingPage(error: unknown): PageFile {
  return toPageFile(function FailingPage() {
    throw error;
  }, 'dynamic');
}

function makeSaves({ name, status }: Experiment): ReactNode {
  return import.meta.env.DEV ? <DevSaves name={name} canBeShown={status === 'working'} /> : null;
}

export async function makePage(experiment: Experiment): Promise<PageFile> {
  if (experiment.status === 'broken') {
    return toPageFile(
      () => (
        <ExperimentPage {...experiment} saves={makeSaves(experiment)}>
          <ProblemNotice>{describeProblem(experiment.problem)}</ProblemNotice>
        </ExperimentPage>
      ),
      'dynamic',
    );
  }
  const { render } = experiment;
  function frame(Component: ComponentType<ExperimentProps>, query = ''): ReactNode {
    const shown = <Component query={new URLSearchParams(query)} />;
    // What is measured is the experiment, and not the page around it.
    if (import.meta.env.DEV && isSave()) return shown;
    return (
      <ExperimentPage {...experiment} saves={makeSaves(experiment)}>
        {shown}
      </ExperimentPage>
    );
  }
  // The file may change while this page stays.
  if (import.meta.env.DEV) {
    return toPageFile(async ({ query }) => frame(await loadExperiment(experiment), query), render);
  }
  try {
    const Component = await loadExperiment(experiment);
    return toPageFile(({ query }) => frame(Component, query), render);
  } catch (error) {
    return makeFailingPage(error);
  }
}
