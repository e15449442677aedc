import type { ReactNode } from 'react';

import { labPath } from '#src/server/http/addresses.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

import { MarkedText } from './marked-text.tsx';

export type ExperimentTexts = {
  readonly name: string;
  readonly title: string;
  /** Where no doc comment says it, the title is the name. */
  readonly isUntitled: boolean;
  /** Some sentences: what it does, and what it asks. May be empty. */
  readonly happens: string;
  /** Closed at first, or the answer would stand beside its question. */
  readonly lookFor: string;
};

type ExperimentHeadProps = Omit<ExperimentTexts, 'name'> & {
  /** Where else to go, beside the way back. */
  readonly link?: ReactNode;
};

/** What an experiment says about itself. */
export function ExperimentHead({ title, isUntitled, happens, lookFor, link }: ExperimentHeadProps) {
  return (
    <div className="stack-2">
      <title>{`${title} · Flight Recorder`}</title>
      <p className="flex flex-wrap gap-x-4 gap-y-2 text-quiet">
        <Link to={labPath}>Lab</Link>
        {link}
      </p>
      <h1>{title}</h1>
      {isUntitled ? (
        <p className="text-quiet">The file has no doc comment at its top. Its first line would be the title.</p>
      ) : null}
      {happens ? (
        <p>
          <MarkedText text={happens} />
        </p>
      ) : null}
      {lookFor ? (
        // Of the next experiment it is closed again.
        <details key={title}>
          <summary>Look for</summary>
          <p className="text-quiet">
            <MarkedText text={lookFor} />
          </p>
        </details>
      ) : null}
    </div>
  );
}
