import { formatCount } from '#src/components/format-count.ts';
import { Panel } from '#src/components/panel.tsx';

import { formatSize } from '../flight/arrival.ts';
import type { FoundFlight } from './find-flights.ts';

type FoundListProps = {
  readonly name: string;
  readonly flights: readonly FoundFlight[];
  readonly onChoose: (found: FoundFlight) => void;
};

/** The most that are listed: an hour of browsing has a few hundred. */
const maxListed = 1000;

function describe({ content, facts }: FoundFlight): string {
  const kind = content.kind === 'response' ? 'response' : 'request';
  const known = facts.filter(({ name }) => name === 'Status' || name === 'Started' || name === 'From');
  return [kind, ...known.map(({ value }) => value)].join(' · ');
}

/** Asks which of several flights in one file to open. */
export function FoundList({ name, flights, onChoose }: FoundListProps) {
  return (
    <Panel title={`${formatCount(flights.length)} flights in ${name}`}>
      <ul className="found-list">
        {flights.slice(0, maxListed).map((found, index) => (
          <li key={index}>
            <button type="button" onClick={() => onChoose(found)}>
              <span className="code">{found.title}</span>
              <span className="text-quiet">{formatSize(found.size)}</span>
              <span className="basis-full text-sm text-quiet">{describe(found)}</span>
            </button>
          </li>
        ))}
      </ul>
      {flights.length > maxListed ? <p>Only the first {maxListed} are listed.</p> : null}
    </Panel>
  );
}
