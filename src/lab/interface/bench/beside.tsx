import { readSources } from '#src/flights/for-operator/sources.ts';
import { experimentPath } from '#src/server/http/addresses.ts';
import { Panel } from '#viewer/panel.tsx';

import type { Experiment } from '../../list/experiment.ts';
import { hideThrown, SourceView } from '../source-view.tsx';
import { SentAlone } from './sent-alone.tsx';

type BesideProps = { readonly experiment: Experiment; readonly query: string };

/** What the browser shows by itself, where it has no JavaScript. */
function Links({ name, query }: { readonly name: string; readonly query: string }) {
  const asked = query === '' ? '' : `?${query}`;
  return (
    <noscript>
      <Panel title="Its payload and its result">
        <p>
          <a href={`${experimentPath('about', name, 'alone')}${asked}`}>The payload alone, as text</a>, and{' '}
          <a href={`${experimentPath(name)}${asked}`}>the result, in its page</a>. Row by row they are shown with
          JavaScript.
        </p>
      </Panel>
    </noscript>
  );
}

/** Its source, its payload alone, and the result. */
export function Beside({ experiment, query }: BesideProps) {
  const { name, title, sources, status } = experiment;
  const files = new Set(sources.map(({ file }) => file));
  return (
    <div className="bench">
      <div className="bench-source">
        <Panel title="Source">
          {sources.map(({ file, source }, index) => (
            <SourceView key={file} file={file} source={source} isOpen={index === 0} />
          ))}
        </Panel>
      </div>
      {status === 'working' ? (
        <>
          <SentAlone
            key={name}
            name={name}
            title={title}
            query={query}
            texts={sources.map(({ file, source }) => ({ title: `Source of ${file}`, text: hideThrown(source) }))}
            sources={[...readSources()].filter(([, file]) => files.has(file))}
          />
          <Links name={name} query={query} />
        </>
      ) : null}
    </div>
  );
}
