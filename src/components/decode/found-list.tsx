import { Panel } from '#src/components/panel.tsx';
import { countOf, formatBytes, type FoundFlight } from '#flight';

import type { OpenedFlight } from '#src/viewer/opened-flight.ts';
import { describeFound, sizeOf } from './describe-found.ts';

type FoundListProps = {
  readonly name: string;
  readonly flights: readonly FoundFlight[];
  readonly onChoose: (found: FoundFlight, title: string) => void;
};

/** The most that are listed: an hour of browsing has a few hundred. */
const maxListed = 1000;

const distinctive = new Set(['Status', 'Started', 'From', 'Cut', 'Lossy', 'Failed']);

/** What tells one from another, besides its title. */
function listDistinctive({ direction }: FoundFlight, facts: OpenedFlight['facts']): string {
  const known = facts.filter(({ name }) => distinctive.has(name));
  return [direction, ...known.map(({ value }) => value)].join(' · ');
}

/** Asks which of several flights in one file to open. */
export function FoundList({ name, flights, onChoose }: FoundListProps) {
  return (
    <Panel title={`${countOf(flights.length, 'flight')} in ${name}`}>
      <ul className="found-list">
        {flights.slice(0, maxListed).map((found, index) => {
          const { title, facts } = describeFound(found, name);
          return (
            <li key={index}>
              <button type="button" onClick={() => onChoose(found, title)}>
                <span className="code">{title}</span>
                <span className="text-quiet">{formatBytes(sizeOf(found))}</span>
                <span className="basis-full text-sm text-quiet">{listDistinctive(found, facts)}</span>
              </button>
            </li>
          );
        })}
      </ul>
      {flights.length > maxListed ? <p>Only the first {maxListed} are listed.</p> : null}
    </Panel>
  );
}
