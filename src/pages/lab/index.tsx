import { experiments, ownGroup } from 'virtual:flight-recorder/experiments';

import { Panel } from '#viewer/panel.tsx';
import { MarkedText } from '#src/lab/interface/marked-text.tsx';
import { ProblemNotice } from '#src/lab/interface/problem-notice.tsx';
import { experimentPath, protocolPath } from '#src/server/http/addresses.ts';
import { describeProblem, type Experiment } from '#src/lab/list/experiment.ts';
import { FirstExperiment } from '#src/lab/list/first-experiment.tsx';
import { groupExperiments } from '#src/lab/list/group-experiments.ts';
import { DevList } from '#src/lab/saves/dev-list.tsx';
import { Link } from '#src/runtime/navigation/link.tsx';

/** Nothing is prefetched: an experiment must not begin before it is asked for, and some fail, and some never end. */
function ExperimentItem(experiment: Experiment) {
  const { name, file, title, isUntitled, happens, status } = experiment;
  const fails = status === 'working' && experiment.fails;
  return (
    <li className="stack-1 border-b border-line py-3 first:pt-0 last:border-b-0 last:pb-0">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <h3>
          {fails ? (
            <a href={experimentPath(name)}>{title}</a>
          ) : (
            <Link to={experimentPath(name)} prefetch="never">
              {title}
            </Link>
          )}
        </h3>
        <span className="flex gap-x-4 text-sm">
          {fails ? (
            <Link to={experimentPath(name)} prefetch="never" aria-label={`${title}, by navigation`}>
              by navigation
            </Link>
          ) : null}
          <Link to={experimentPath('about', name)} prefetch="never" aria-label={`${title}: row by row`}>
            row by row
          </Link>
        </span>
      </div>
      {experiment.problem ? <ProblemNotice>{describeProblem(experiment.problem)}</ProblemNotice> : null}
      {isUntitled ? <p className="text-sm text-quiet">{file} has no doc comment at its top.</p> : null}
      {happens ? (
        <p>
          <MarkedText text={happens} />
        </p>
      ) : null}
    </li>
  );
}

export default function LabIndexPage() {
  return (
    <div className="stack-6">
      <title>Lab · Flight Recorder</title>
      {import.meta.env.DEV ? <DevList /> : null}
      <div className="stack-2">
        <h1>Lab</h1>
        <p>
          Every page here is one file that makes one thing happen. See what it sends, byte by byte; or break one, copy
          the digest from the error page, and look it up.
        </p>
        <p>
          New to React Server Components? Take the course: read the question, say what you expect, and go row by row.{' '}
          <Link to={protocolPath} prefetch="intent">
            The protocol, token by token
          </Link>{' '}
          explains every sign.
        </p>
      </div>
      <div className="gap-4 *:mb-4 *:break-inside-avoid lg:columns-2">
        {groupExperiments(experiments, ownGroup).map((group) => (
          <Panel key={group.title} title={group.title}>
            {group.experiments.length > 0 ? (
              <ul className="list-none">
                {group.experiments.map((experiment) => (
                  <ExperimentItem key={experiment.file} {...experiment} />
                ))}
              </ul>
            ) : (
              <FirstExperiment folder={group.title} />
            )}
          </Panel>
        ))}
      </div>
    </div>
  );
}

export async function getConfig() {
  // In development it follows the files.
  return { render: import.meta.env.DEV ? 'dynamic' : 'static' } as const;
}
