import { labPath } from '#src/http/addresses.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

import { MarkedText } from './marked-text.tsx';

export type ExperimentTexts = {
  readonly name: string;
  readonly title: string;
  /** Where no doc comment says it, the title is the name. */
  readonly isUntitled: boolean;
  /** One sentence or two: what it does. May be empty. */
  readonly happens: string;
  readonly lookFor: string;
};

/** What an experiment says about itself. */
export function ExperimentHead({ title, isUntitled, happens, lookFor }: Omit<ExperimentTexts, 'name'>) {
  return (
    <div className="stack-2">
      <title>{`${title} · Flight Recorder`}</title>
      <p className="text-quiet">
        <Link to={labPath}>Lab</Link>
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
        <p className="text-quiet">
          <strong className="font-medium text-ink">Look for:</strong> <MarkedText text={lookFor} />
        </p>
      ) : null}
    </div>
  );
}
