import { formatBytes, formatCount, formatShare } from '#flight';
import { useState } from 'react';

import type { MapNode } from './map-node.ts';
import { TableHead } from '../table-head.tsx';

/** Listed at first: people seldom look for smaller parts. */
const firstParts = 10;

type BytePartsProps = {
  readonly node: MapNode;
  readonly total: number;
  readonly onChoose: (path: readonly number[]) => void;
};

/** What the map draws, as a table: exact, and for people who do not see the map. */
export function ByteParts({ node, total, onChoose }: BytePartsProps) {
  const [isWhole, setWhole] = useState(false);
  const { children } = node;
  const shown = isWhole ? children : children.slice(0, firstParts);
  const largest = Math.max(1, ...children.map(({ bytes }) => bytes));
  if (children.length === 0) return null;
  return (
    <div className="flight-map-parts">
      <table>
        <caption>
          In <strong className="flight-map-name">{node.name}</strong>: {formatBytes(node.bytes)}
        </caption>
        <TableHead columns={['Part', { number: 'Bytes' }, { number: 'Share' }]} />
        <tbody>
          {shown.map((child, index) => (
            <tr key={index}>
              <th scope="row">
                <span className="flight-map-bar" data-row-kind={child.tone} aria-hidden="true">
                  <span style={{ width: `${(child.bytes / largest) * 100}%` }} />
                </span>
                {child.children.length === 0 && !child.inside ? (
                  <span className="flight-map-name" title={child.title}>
                    {child.name}
                  </span>
                ) : (
                  <button
                    type="button"
                    className="flight-map-open"
                    title={child.title}
                    onClick={() => onChoose([index])}
                  >
                    {child.name}
                  </button>
                )}
              </th>
              <td data-number>{formatBytes(child.bytes)}</td>
              <td data-number>{formatShare(child.bytes, total)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {isWhole || children.length <= firstParts ? null : (
        <button type="button" className="button-small" onClick={() => setWhole(true)}>
          Show all {formatCount(children.length)}
        </button>
      )}
    </div>
  );
}
