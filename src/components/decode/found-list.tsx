import { formatCount } from '#src/components/format-count.ts';
import { Panel } from '#src/components/panel.tsx';
import type { FoundFlight } from '#flight';

import { formatSize } from '../flight/arrival.ts';
import { describeFound, sizeOf } from './describe-found.ts';

type FoundListProps = {
  readonly name: string;
  readonly flights: readonly FoundFlight[];
  readonly onChoose: (found: FoundFlight, title: string) => void;
};

/** Listed: an hour of browsing has a few hundred. */
const maxListed = 1000;

type FoundButtonProps = Pick<FoundListProps, 'name' | 'onChoose'> & { readonly found: FoundFlight };

function FoundButton({ found, name, onChoose }: FoundButtonProps) {
  const { title, facts } = describeFound(found, name);
  const known = facts.filter((fact) => fact.name === 'Status' || fact.name === 'Started' || fact.name === 'From');
  return (
    <button type="button" onClick={() => onChoose(found, title)}>
      <span className="code">{title}</span>
      <span className="text-quiet">{formatSize(sizeOf(found))}</span>
      <span className="basis-full text-sm text-quiet">
        {[found.direction, ...known.map(({ value }) => value)].join(' · ')}
      </span>
    </button>
  );
}

/** Several flights in one file: which one? */
export function FoundList({ name, flights, onChoose }: FoundListProps) {
  return (
    <Panel title={`${formatCount(flights.length)} flights in ${name}`}>
      <ul className="found-list">
        {flights.slice(0, maxListed).map((found, index) => (
          <li key={index}>
            <FoundButton found={found} name={name} onChoose={onChoose} />
          </li>
        ))}
      </ul>
      {flights.length > maxListed ? <p>Only the first {maxListed} are listed.</p> : null}
    </Panel>
  );
}
