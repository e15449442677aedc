import { Fragment, type ReactNode } from 'react';

import { describeServerWaits, type ServerTime, type ServerWaitWords, type ShellWait } from '#flight';

/** Shows a text with the places of sources in it. */
export type ShowPlaces = (text: string) => ReactNode;

function ShownWords({ words, showPlaces }: { words: ServerWaitWords['title']; showPlaces: ShowPlaces }) {
  return words.map((part, index) =>
    typeof part === 'string' ? (
      <Fragment key={index}>{showPlaces(part)}</Fragment>
    ) : (
      <code key={index}>{part.code}</code>
    ),
  );
}

type FindingsProps = {
  readonly time: ServerTime;
  readonly shell: readonly ShellWait[];
  readonly showPlaces: ShowPlaces;
};

/** What the times show comes first. What is guessed from them stands apart, and says that it is that. */
export function ServerTimeFindings({ time, shell, showPlaces }: FindingsProps) {
  const findings = describeServerWaits(time, shell);
  if (findings.length === 0) return null;
  return (
    <ul className="stack-1 text-sm">
      {findings.map(({ title, guess, advice }, index) => (
        <li key={index}>
          <ShownWords words={title} showPlaces={showPlaces} />
          {guess.length === 0 ? null : (
            <>
              {' '}
              <em className="server-time-guess">
                A guess, by their times alone: <ShownWords words={guess} showPlaces={showPlaces} />
              </em>
            </>
          )}
          {advice.length === 0 ? null : ' '}
          <ShownWords words={advice} showPlaces={showPlaces} />
        </li>
      ))}
    </ul>
  );
}
