import { experiments } from 'virtual:flight-recorder/experiments';
import { unstable_notFound as notFound } from 'waku/router/server';

import { Beside } from '#src/lab/interface/bench/beside.tsx';
import { LastFlights } from '#src/lab/interface/last-flights.tsx';
import { ExperimentHead } from '#src/lab/interface/experiment-head.tsx';
import { ProblemNotice } from '#src/lab/interface/problem-notice.tsx';
import { experimentPath, protocolPath } from '#src/server/http/addresses.ts';
import { describeProblem } from '#src/lab/list/experiment.ts';
import { findNext } from '#src/lab/list/group-experiments.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

/** An experiment taken apart; also one whose own page shows nothing but its error. */
export default function AboutExperimentPage({ name, query }: { name: string; query: string }) {
  const experiment = experiments.find((one) => one.name === name);
  if (!experiment) notFound();
  const { status } = experiment;
  const next = findNext(experiment, experiments);
  const now = Date.now();
  return (
    <div className="stack-6">
      <ExperimentHead
        {...experiment}
        link={
          <>
            {status === 'working' && experiment.fails ? (
              <a href={experimentPath(name)}>Make it happen</a>
            ) : (
              <Link to={experimentPath(name)} prefetch="never">
                Open the experiment
              </Link>
            )}
            <Link to={protocolPath} prefetch="intent">
              Every sign, explained
            </Link>
            {next ? (
              <Link to={experimentPath('about', next.name)} prefetch="never">
                Next: {next.title}
              </Link>
            ) : null}
          </>
        }
      />
      {status === 'broken' ? <ProblemNotice>{describeProblem(experiment.problem)}</ProblemNotice> : null}
      <Beside experiment={experiment} query={query} />
      <LastFlights name={name} now={now} />
    </div>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}
