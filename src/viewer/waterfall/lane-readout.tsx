import { countRowsWithin, formatBytes, formatCount, printRow, readRow } from '#flight';

import { formatPosition } from '../arrival.ts';
import { describeLane, describeOrigin, type Timing } from './waterfall-lane.tsx';
import type { ZoomRange } from './zoom-range.ts';

type LaneReadoutProps = {
  readonly timing: Timing;
  /** The row that is pointed at, or else selected. */
  readonly row: number | undefined;
  readonly chosen: ZoomRange | undefined;
};

/** The row's first words, where it comes from, and what happened to it. While dragging, what the drag has chosen. */
export function LaneReadout({ timing, row, chosen }: LaneReadoutProps) {
  if (chosen) return <p className="flight-readout flight-lane-readout">{describeRange(timing, chosen)}</p>;
  if (row === undefined) {
    return <p className="flight-readout flight-lane-readout">Point at a bar, or move with the arrow keys.</p>;
  }
  const { flight } = timing;
  const origin = describeOrigin(flight, row);
  return (
    <div className="flight-readout flight-lane-readout">
      <p>
        <code>{printRow(flight, readRow(flight, row))}</code>
        {origin === undefined ? null : <span className="text-quiet"> from {origin}</span>}
      </p>
      <p>{describeLane(timing, row)}</p>
    </div>
  );
}

function describeRange({ flight, arrival }: Timing, { from, to }: ZoomRange): string {
  const show = (position: number) => formatPosition(arrival.unit, position);
  const start = from === 0 ? 0 : arrival.bytesAt(from);
  const end = arrival.bytesAt(to);
  const rows = countRowsWithin(flight, end) - countRowsWithin(flight, start);
  const came = rows === 1 ? 'one row' : `${formatCount(rows)} rows`;
  return `From ${show(from)} to ${show(to)}: ${formatBytes(end - start)}, ${came} complete.`;
}
