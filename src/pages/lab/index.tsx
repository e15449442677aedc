import { experimentPath } from '#src/http/addresses.ts';
import { Panel } from '#src/components/panel.tsx';
import { SourceView } from '#src/components/source-view.tsx';
import {
  describeExperiment,
  experimentGroups,
  experiments,
  type Experiment,
  type ExperimentName,
} from '#src/lab/experiments.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

/** Nothing is prefetched: an experiment must not begin before it is asked for, and some fail, and some never end. */
function ExperimentItem({ name }: { name: ExperimentName }) {
  const experiment: Experiment = experiments[name];
  return (
    <li className="stack-1 border-b border-line py-3 first:pt-0 last:border-b-0 last:pb-0">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <h3>
          {experiment.isFailing ? (
            <a href={experimentPath(name)}>{experiment.title}</a>
          ) : (
            <Link to={experimentPath(name)} prefetch="never">
              {experiment.title}
            </Link>
          )}
        </h3>
        {experiment.isFailing ? (
          <Link
            to={experimentPath(name)}
            prefetch="never"
            className="text-sm"
            aria-label={`${experiment.title}, by navigation`}
          >
            by navigation
          </Link>
        ) : null}
      </div>
      <p>{experiment.happens}</p>
      <p className="text-sm text-quiet">Look for: {experiment.lookFor}</p>
      {experiment.isFailing
        ? describeExperiment(name).sources.map(({ file, source }) => (
            <SourceView key={file} file={file} source={source} />
          ))
        : null}
    </li>
  );
}

export default function LabIndexPage() {
  return (
    <div className="stack-6">
      <title>Lab · Flight Recorder</title>
      <div className="stack-2">
        <h1>Lab</h1>
        <p>
          Every page here makes one thing happen, most of them something bad. Break one, copy the digest from the error
          page, and look it up.
        </p>
      </div>
      <div className="gap-4 *:mb-4 *:break-inside-avoid lg:columns-2">
        {experimentGroups.map((group) => (
          <Panel key={group.title} title={group.title}>
            <ul className="list-none">
              {group.names.map((name) => (
                <ExperimentItem key={name} name={name} />
              ))}
            </ul>
          </Panel>
        ))}
      </div>
    </div>
  );
}

export async function getConfig() {
  return { render: 'static' } as const;
}
