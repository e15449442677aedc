import { useState } from 'react';

import { Panel } from '../panel.tsx';
import { formatBytes, formatCount, formatShare, nameTransfer, type Duplicate, type Duplicates } from '#flight';

import type { PanelProps } from '../opened-flight.ts';
import { PlaceLink } from '../place-link.tsx';
import { Table, type Column } from '../table.tsx';

/** Listed at once. The first ones waste most. */
const step = 10;

const cutWords = ' This payload is too large to compare completely, so some repeated values are missing here.';

type DuplicateListProps = Pick<PanelProps, 'opened' | 'onOpen'> & {
  readonly duplicates: Duplicates;
  readonly total: number;
};

function listColumns({ opened, onOpen }: Pick<PanelProps, 'opened' | 'onOpen'>): readonly Column<Duplicate>[] {
  const figure = { isNumber: true, isBeside: true };
  return [
    { head: 'What', isRowName: true, className: 'flight-map-name', cell: ({ text }) => text },
    {
      head: 'Where',
      isPlain: true,
      cell: (duplicate) => <Where duplicate={duplicate} opened={opened} onOpen={onOpen} />,
    },
    { head: 'Times', ...figure, cell: ({ count }) => formatCount(count) },
    { head: 'Each', ...figure, cell: ({ bytes }) => formatBytes(bytes) },
    { head: 'Repeated', ...figure, cell: ({ wasted }) => formatBytes(wasted) },
    {
      head: opened.response?.transfer ? 'Sent' : 'Compressed',
      ...figure,
      cell: ({ compressed }) => `≈ ${formatBytes(compressed)}`,
    },
  ];
}

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
          {formatBytes(wasted)} repeated, {formatShare(wasted, total)} of the payload; ≈ {formatBytes(compressed)}{' '}
          {nameTransfer(opened.response?.transfer)}
        </span>
      }
    >
      <Table columns={listColumns({ opened, onOpen })} rows={list.slice(0, count)} keyOf={(_, index) => index} />
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
