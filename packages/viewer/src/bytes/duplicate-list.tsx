import { useState } from 'react';

import { Panel } from '../panel.tsx';
import { formatBytes, formatCount, formatShare, type Duplicate, type Duplicates } from '#flight';

import type { PanelProps } from '../opened-flight.ts';
import { PlaceLink } from '../place-link.tsx';
import { TableHead } from '../table-head.tsx';

/** Listed at once. The first ones waste most. */
const step = 10;

const cutWords = ' This payload is too large to compare completely, so some repeated values are missing here.';

type DuplicateListProps = Pick<PanelProps, 'opened' | 'onOpen'> & {
  readonly duplicates: Duplicates;
  readonly total: number;
};

/** What was sent more than once, how many bytes that took, and where both copies are. */
export function DuplicateList({ opened, onOpen, duplicates, total }: DuplicateListProps) {
  const [count, setCount] = useState(step);
  const { list, wasted, compressed, isCut } = duplicates;
  if (list.length === 0) {
    return (
      <Panel title="Sent more than once">
        <p className="text-quiet">
          Nothing: no text of 16 characters or more, no structure, and no row came twice.
          {isCut ? cutWords : ''}
        </p>
      </Panel>
    );
  }
  return (
    <Panel
      title="Sent more than once"
      aside={
        <span className="text-sm">
          {formatBytes(wasted)} repeated, {formatShare(wasted, total)} of the payload; ≈ {formatBytes(compressed)} after
          compression
        </span>
      }
    >
      <table className="fold">
        <TableHead
          columns={[
            'What',
            'Where',
            { number: 'Times' },
            { number: 'Each' },
            { number: 'Repeated' },
            { number: 'Compressed' },
          ]}
        />
        <tbody>
          {list.slice(0, count).map((duplicate, index) => (
            <tr key={index}>
              <th scope="row" className="flight-map-name">
                {duplicate.text}
              </th>
              <td>
                <Where duplicate={duplicate} opened={opened} onOpen={onOpen} />
              </td>
              <td data-number data-beside data-label="Times">
                {formatCount(duplicate.count)}
              </td>
              <td data-number data-beside data-label="Each">
                {formatBytes(duplicate.bytes)}
              </td>
              <td data-number data-beside data-label="Repeated">
                {formatBytes(duplicate.wasted)}
              </td>
              <td data-number data-beside data-label="Compressed">
                ≈ {formatBytes(duplicate.compressed)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="text-sm text-quiet">
        Times counts every copy. A copy inside a larger repeated value is counted in the bytes of that larger value.
        {isCut ? cutWords : ''}
      </p>
      {count >= list.length ? null : (
        <button type="button" className="button-small" onClick={() => setCount(count + step)}>
          Show more
        </button>
      )}
    </Panel>
  );
}

/** The first copy and the next. Further copies look the same. */
function Where({
  duplicate,
  opened,
  onOpen,
}: Pick<DuplicateListProps, 'opened' | 'onOpen'> & { duplicate: Duplicate }) {
  return (
    <ul className="flex flex-wrap gap-x-[0.9rem] list-none">
      {duplicate.places.slice(0, 2).map((place, index) => (
        <li key={index}>
          <PlaceLink flight={opened.flight} place={place} onOpen={onOpen}>
            {`${index === 0 ? 'first' : 'again'}${place.inside === '' ? '' : ` in ${place.inside}`}`}
          </PlaceLink>
        </li>
      ))}
    </ul>
  );
}
