import { memo } from 'react';

import { type Flight, printRow, readRow, formatBytes } from '#flight';

import { formatPosition, type Arrival } from '../arrival.ts';
import type { Place } from '../opened-flight.ts';
import { nameRow } from '../row-name.ts';
import { describeTag, tagOf, type RowTable } from '../row-table.ts';

type RowLineProps = {
  readonly id: string;
  readonly flight: Flight;
  readonly row: number;
  readonly line: number;
  readonly count: number;
  readonly table: RowTable;
  readonly arrival: Arrival;
  readonly isSelected: boolean;
  readonly isMatch: boolean;
  /** Whether a link has just led to it. */
  readonly isLit: boolean;
  /** Whether the client had the row at the time that is shown. */
  readonly hasCome: boolean;
  readonly onSelect: (place: Place) => void;
};

/** One row in one line; two on a narrow screen. */
export const RowLine = memo(function RowLine(props: RowLineProps) {
  const { id, flight, row, line, count, table, arrival, isSelected, isMatch, isLit, hasCome, onSelect } = props;
  const { name, kind } = describeTag(tagOf(table, row));
  const size = table.sizes[row] ?? 0;
  const end = flight.rows.starts[row + 1] ?? 0;
  return (
    <div
      role="option"
      id={id}
      aria-selected={isSelected}
      aria-posinset={line + 1}
      aria-setsize={count}
      tabIndex={-1}
      className="flight-row"
      data-match={isMatch || undefined}
      data-linked={isLit || undefined}
      data-late={!hasCome || undefined}
      onMouseDown={(event) => {
        if (event.button === 0) onSelect({ row });
      }}
    >
      <span className="font-mono font-semibold">{nameRow(flight, row)}</span>
      <span className="flight-kind" data-row-kind={kind}>
        {name}
      </span>
      <span className="flight-row-size">{formatBytes(size)}</span>
      <span className="flight-row-bar" aria-hidden="true" data-row-kind={kind}>
        <span style={{ width: `${(100 * size) / Math.max(table.largest, 1)}%` }} />
      </span>
      <span className="flight-row-time">{formatPosition(arrival.unit, arrival.at(end))}</span>
      <span className="flight-row-text">{printRow(flight, readRow(flight, row))}</span>
    </div>
  );
});
