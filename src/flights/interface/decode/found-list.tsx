import { formatBytes, type FoundFlight } from '#flight';

import type { OpenedFlight } from '#viewer/opened-flight.ts';
import { ChooseBox, type Choosing } from './choose-box.tsx';
import { describeFound, sizeOf } from './describe-found.ts';

type FoundListProps = {
  readonly file: string;
  readonly name: string;
  readonly flights: readonly FoundFlight[];
  readonly choosing: Choosing;
  readonly onOpen: (index: number) => void;
};

/** The most that are listed: a page has a few payloads, a framed body some dozens. */
const maxListed = 1000;

const distinctive = new Set(['From', 'Cut', 'Lossy', 'Failed']);

/** What tells one from another, besides its title. */
function listDistinctive({ direction }: FoundFlight, facts: OpenedFlight['facts']): string {
  const known = facts.filter(({ name }) => distinctive.has(name));
  return [direction, ...known.map(({ value }) => value)].join(' · ');
}

/** The flights in a file that is no HAR: a page's, a framed body's, an exported flight's. */
export function FoundList({ file, name, flights, choosing, onOpen }: FoundListProps) {
  return (
    <>
      <ul className="found-list">
        {flights.slice(0, maxListed).map((found, index) => {
          const { title, facts } = describeFound(found, name);
          return (
            <li key={index}>
              <ChooseBox flight={{ file, flight: index, title }} choosing={choosing} />
              <button type="button" onClick={() => onOpen(index)}>
                <span className="code">{title}</span>
                <span className="text-quiet">{formatBytes(sizeOf(found))}</span>
                <span className="basis-full text-sm text-quiet">{listDistinctive(found, facts)}</span>
              </button>
            </li>
          );
        })}
      </ul>
      {flights.length > maxListed ? <p>Only the first {maxListed} are listed.</p> : null}
    </>
  );
}
