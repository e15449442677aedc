import { formatBytes, formatCount, formatShare } from '#flight';
import { useState } from 'react';

import type { MapNode } from './map-node.ts';
import { Table, type Column } from '../table.tsx';

/** Listed at first: people seldom look for smaller parts. */
const firstParts = 10;

type BytePartsProps = {
  readonly node: MapNode;
  readonly total: number;
  readonly onChoose: (path: readonly number[]) => void;
};

function PartName({ part, onOpen }: { readonly part: MapNode; readonly onOpen: () => void }) {
  if (part.children.length === 0 && !part.inside) {
    return (
      <span className="flight-map-name" title={part.title}>
        {part.name}
      </span>
    );
  }
  return (
    <button type="button" className="flight-map-open" title={part.title} onClick={onOpen}>
      {part.name}
    </button>
  );
}

function listColumns({ node: { children }, total, onChoose }: BytePartsProps): readonly Column<MapNode>[] {
  const largest = Math.max(1, ...children.map(({ bytes }) => bytes));
  return [
    {
      head: 'Part',
      isRowName: true,
      cell: (child) => (
        <>
          <span className="flight-map-bar" data-row-kind={child.tone} aria-hidden="true">
            <span style={{ width: `${(child.bytes / largest) * 100}%` }} />
          </span>
          <PartName part={child} onOpen={() => onChoose([children.indexOf(child)])} />
        </>
      ),
    },
    { head: 'Bytes', isNumber: true, cell: ({ bytes }) => formatBytes(bytes) },
    { head: 'Share', isNumber: true, cell: ({ bytes }) => formatShare(bytes, total) },
  ];
}

/** What the map draws, as a table: exact, and for people who do not see the map. */
export function ByteParts({ node, total, onChoose }: BytePartsProps) {
  const [isWhole, setWhole] = useState(false);
  const { children } = node;
  const shown = isWhole ? children : children.slice(0, firstParts);
  if (children.length === 0) return null;
  return (
    <div className="flight-map-parts">
      <Table
        className=""
        caption={
          <>
            In <strong className="flight-map-name">{node.name}</strong>: {formatBytes(node.bytes)}
          </>
        }
        columns={listColumns({ node, total, onChoose })}
        rows={shown}
        keyOf={(_, index) => index}
      />
      {isWhole || children.length <= firstParts ? null : (
        <button type="button" className="button-small" onClick={() => setWhole(true)}>
          Show all {formatCount(children.length)}
        </button>
      )}
    </div>
  );
}
