import { printRow, readRow, formatBytes } from '#flight';

import { formatPosition } from '../arrival.ts';
import { nameRow } from '../row-name.ts';
import { describeTag, readRowTable, tagOf } from '../row-table.ts';
import { readRowTimes, type Timing } from './row-times.ts';
import type { ZoomRange } from './zoom-range.ts';

/** What happened to a row, in words: for the line under the chart, and for people who do not see the bars. */
export function describeLane(timing: Timing, row: number): string {
  const { flight, arrival } = timing;
  const table = readRowTable(flight);
  const { first, last, promised } = readRowTimes(timing, row);
  const { name } = describeTag(tagOf(table, row));
  const show = (position: number) => formatPosition(arrival.unit, position);
  const what = `Row ${nameRow(flight, row)}, ${name}, ${formatBytes(table.sizes[row] ?? 0)}`;
  const place = arrival.unit === 'ms' ? `complete at ${show(last)}` : `from ${show(first)} to ${show(last)}`;
  const took = arrival.unit === 'ms' && last > first ? `, ${show(last - first)} in coming` : '';
  const waited =
    promised === undefined || promised >= last
      ? ''
      : `; promised at ${show(promised)}, ${show(last - promised)} before`;
  return `${what}: ${place}${took}${waited}.`;
}

type WaterfallLaneProps = {
  readonly id: string;
  readonly timing: Timing;
  readonly row: number;
  readonly range: ZoomRange;
  readonly isSelected: boolean;
  readonly hasCome: boolean;
  readonly line: number;
  readonly count: number;
  readonly onSelect: (row: number) => void;
  readonly onPoint: (row: number | undefined) => void;
};

/** One row's bar: striped while the client waited for the row, full while its bytes came. */
export function WaterfallLane(props: WaterfallLaneProps) {
  const { id, timing, row, range, isSelected, hasCome, line, count, onSelect, onPoint } = props;
  const { flight } = timing;
  const { first, last, promised } = readRowTimes(timing, row);
  const { kind } = describeTag(tagOf(readRowTable(flight), row));
  const length = range.to - range.from;
  const share = (position: number) => `${((position - range.from) / length) * 100}%`;
  const span = (from: number, to: number) => ({
    insetInlineStart: share(from),
    width: `${((to - from) / length) * 100}%`,
  });
  return (
    <div
      role="option"
      id={id}
      tabIndex={-1}
      aria-selected={isSelected}
      aria-posinset={line + 1}
      aria-setsize={count}
      className="flight-lane"
      data-late={!hasCome || undefined}
      onMouseDown={(event) => {
        if (event.button === 0) onSelect(row);
      }}
      onMouseEnter={() => onPoint(row)}
      onMouseLeave={() => onPoint(undefined)}
    >
      <span className="flight-lane-name">
        <span className="flight-row-id">{nameRow(flight, row)}</span> {printRow(flight, readRow(flight, row))}
        <span className="flight-sr-only">. {describeLane(timing, row)}</span>
      </span>
      <span className="flight-lane-track" data-row-kind={kind}>
        {promised === undefined || promised >= last ? null : (
          <span className="flight-lane-wait" style={span(promised, Math.max(promised, first))} />
        )}
        <span
          className="flight-lane-bar"
          // A bar without length at the very end would begin where the track ends.
          style={{
            ...span(first, last),
            ...(first <= range.to ? { insetInlineStart: `min(${share(first)}, 100% - 4px)` } : {}),
          }}
        />
        {last < range.from ? <span className="flight-lane-off">‹</span> : null}
        {(promised ?? first) > range.to ? <span className="flight-lane-off ms-auto">›</span> : null}
      </span>
    </div>
  );
}
