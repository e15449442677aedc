import type { CSSProperties } from 'react';

import {
  printRow,
  printRowOrigin,
  readRow,
  readRowOrigin,
  formatBytes,
  formatDuration,
  type Flight,
  type Hole,
  type RowCause,
} from '#flight';

import { formatPosition, type Arrival } from '../arrival.ts';
import { nameRow } from '../row-name.ts';
import { describeTag, readRowTable, tagOf } from '../row-table.ts';
import { readRowTimes, type Waits } from './row-waits.ts';
import type { ZoomRange } from './zoom-range.ts';

/** What the lanes are drawn from. Without waits, nothing is known yet of what was waited for. */
export type Timing = { readonly flight: Flight; readonly arrival: Arrival; readonly waits: Waits | undefined };

/** The component that rendered a row, and where it is written, as far as development says so. */
export function describeOrigin(flight: Flight, row: number): string | undefined {
  const origin = readRowOrigin(flight, row);
  return origin && (printRowOrigin(origin) || undefined);
}

/** Client code between a boundary and its row may have a boundary of its own. */
function tellWaited({ around }: Hole): string {
  return around.kind === 'none' ? 'waited' : 'may have waited';
}

/** Times alone say that one came right after the other. */
export function tellRequest(request: RowCause | undefined): string {
  if (!request) return '';
  return `, perhaps because of ${request.name}, which took ${formatDuration(request.until - request.from)} until then`;
}

/** What happened to a row, in words: for the line under the chart, and for people who do not see the bars. */
export function describeLane({ flight, arrival, waits }: Timing, row: number): string {
  const table = readRowTable(flight);
  const { first, last } = readRowTimes(flight, arrival, row);
  const { name } = describeTag(tagOf(table, row));
  const show = (position: number) => formatPosition(arrival.unit, position);
  const what = `Row ${nameRow(flight, row)}, ${name}, ${formatBytes(table.sizes[row] ?? 0)}`;
  const place = arrival.unit === 'ms' ? `complete at ${show(last)}` : `from ${show(first)} to ${show(last)}`;
  const took = arrival.unit === 'ms' && last > first ? `, ${show(last - first)} in coming` : '';
  const wait = waits?.byRow.get(row);
  const waited = wait
    ? `; ${wait.hole.name} had come at ${show(wait.from)} and ${tellWaited(wait.hole)} ${show(wait.until - wait.from)} for it${tellRequest(wait.request)}`
    : '';
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
  readonly onPoint: (row: number | undefined) => void;
};

/** One row's bar: striped while its boundary waited for the row, full while its bytes came. */
export function WaterfallLane(props: WaterfallLaneProps) {
  const { id, timing, row, range, isSelected, hasCome, line, count, onPoint } = props;
  const { flight, arrival, waits } = timing;
  const { first, last } = readRowTimes(flight, arrival, row);
  const wait = waits?.byRow.get(row);
  const { kind } = describeTag(tagOf(readRowTable(flight), row));
  const length = range.to - range.from;
  const share = (position: number) => `${((position - range.from) / length) * 100}%`;
  return (
    <div
      role="option"
      id={id}
      tabIndex={-1}
      aria-selected={isSelected}
      aria-posinset={line + 1}
      aria-setsize={count}
      className="flight-lane"
      data-row={row}
      data-late={!hasCome || undefined}
      onMouseEnter={() => onPoint(row)}
      onMouseLeave={() => onPoint(undefined)}
    >
      <span className="truncate pe-3 font-mono text-[0.75rem] leading-[24px]">
        <span className="font-mono font-semibold">{nameRow(flight, row)}</span> {printRow(flight, readRow(flight, row))}
        <span className="sr-only">. {describeLane(timing, row)}</span>
      </span>
      <span className="flight-lane-track" data-row-kind={kind}>
        {wait ? (
          <LaneWait from={wait.from} to={Math.max(wait.from, first)} range={range} name={wait.hole.name} />
        ) : null}
        <span
          className="flight-lane-bar"
          style={{
            width: `${((last - first) / length) * 100}%`,
            // A bar without length at the very end would begin where the track ends.
            insetInlineStart: first <= range.to ? `min(${share(first)}, 100% - 4px)` : share(first),
          }}
        />
        {last < range.from ? <span className="flight-lane-off">‹</span> : null}
        {(wait?.from ?? first) > range.to ? <span className="flight-lane-off ms-auto">›</span> : null}
      </span>
    </div>
  );
}

type LaneWaitProps = { readonly from: number; readonly to: number; readonly range: ZoomRange; readonly name: string };

/**
 * Where a name stands that may be longer than its bar: it begins where the bar begins, or ends where that ends, whichever has more room.
 * @param start of the bar, in shares of the track
 */
export function placeName(start: number, end: number): CSSProperties {
  return 1 - start >= end
    ? { insetInlineStart: `${start * 100}%`, maxWidth: `${(1 - start) * 100}%` }
    : { insetInlineEnd: `${(1 - end) * 100}%`, maxWidth: `${end * 100}%` };
}

/** Only the part that is shown, so that the boundary's name is seen however far the picture is zoomed. */
function LaneWait({ from, to, range, name }: LaneWaitProps) {
  const start = Math.max(from, range.from);
  const end = Math.min(to, range.to);
  if (end <= start) return null;
  const length = range.to - range.from;
  return (
    <>
      <span
        className="flight-lane-wait"
        style={{
          insetInlineStart: `${((start - range.from) / length) * 100}%`,
          width: `${((end - start) / length) * 100}%`,
        }}
      />
      <span
        className="flight-lane-wait-name"
        aria-hidden="true"
        style={placeName((start - range.from) / length, (end - range.from) / length)}
      >
        {name}
      </span>
    </>
  );
}
