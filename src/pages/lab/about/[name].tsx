import { experiments } from 'virtual:flight-recorder/experiments';
import { unstable_notFound as notFound } from 'waku/router/server';

import { LastFlights } from '#src/components/lab/last-flights.tsx';
import { ExperimentHead } from '#src/components/lab/experiment-head.tsx';
import { ProblemNotice } from '#src/components/lab/problem-notice.tsx';
import { SourceView } from '#src/components/lab/source-view.tsx';
import { Panel } from '#src/components/panel.tsx';
import { experimentPath } from '#src/http/addresses.ts';
import { describeProblem } from '#src/lab/list/experiment.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

/** What a page of an experiment cannot show itself: one that fails shows nothing but its error. */
export default function AboutExperimentPage({ name }: { name: string }) {
  const experiment = experiments.find((one) => one.name === name);
  if (!experiment) notFound();
  const { sources, status } = experiment;
  const now = Date.now();
  return (
    <div className="stack-6">
      <ExperimentHead {...experiment} />
      {status === 'broken' ? <ProblemNotice>{describeProblem(experiment.problem)}</ProblemNotice> : null}
      <p>
        {status === 'working' && experiment.fails ? (
          <a href={experimentPath(name)}>Make it happen</a>
        ) : (
          <Link to={experimentPath(name)} prefetch="never">
            Open the experiment
          </Link>
        )}
      </p>
      <Panel title="Source">
        {sources.map(({ file, source }, index) => (
          <SourceView key={file} file={file} source={source} isOpen={index === 0} />
        ))}
      </Panel>
      <LastFlights name={name} now={now} />
    </div>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}
