import type { ReactNode } from 'react';
import { labPath } from '#src/http/addresses.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

import { RequestFlights } from './flights/request-flights.tsx';
import { SourceView } from './source-view.tsx';

type LabPageProps = {
  readonly title: string;
  /** One sentence: what it does. */
  readonly happens: string;
  readonly lookFor: string;
  /** Its modules, the most important one first. */
  readonly sources: readonly { readonly file: string; readonly source: string }[];
  readonly children: ReactNode;
};

/** The frame of an experiment: what happens, what to look for, the experiment, and its own source. */
export function LabPage({ title, happens, lookFor, sources, children }: LabPageProps) {
  return (
    <div className="stack-6">
      <title>{`${title} · Flight Recorder`}</title>
      <div className="stack-2">
        <p className="text-quiet">
          <Link to={labPath}>Lab</Link>
        </p>
        <h1>{title}</h1>
        <p>{happens}</p>
        <p className="text-quiet">
          <strong className="font-medium text-ink">Look for:</strong> {lookFor}
        </p>
      </div>
      <div className="panel stack-3 px-4 py-4 sm:px-5 [&_form]:flex [&_form]:flex-wrap [&_form]:items-center [&_form]:gap-x-3 [&_form]:gap-y-2 [&_form>p]:basis-full [&_label]:max-w-full [&>h2]:pt-5">
        {children}
      </div>
      <RequestFlights />
      <div className="stack-1.5">
        {sources.map(({ file, source }) => (
          <SourceView key={file} file={file} source={source} />
        ))}
      </div>
    </div>
  );
}
