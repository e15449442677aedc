import { memo } from 'react';

import { formatBytes, type RowRole } from '#flight';

import type { Arrival } from '../arrival.ts';
import type { OpenedFlight } from '../opened-flight.ts';
import { describeTag, readRowTable, tagOf } from '../row-table.ts';
import type { ZoomRange } from './zoom-range.ts';

/** Units of the picture's own: it is stretched to the width of its place. */
const width = 1000;
const height = 80;
/** Chunks that are closer than one bar share a bar. */
const bars = 250;

type Bar = { readonly x: number; readonly bytes: number; readonly sum: number };

/** The bytes that came in each of `bars` equal parts of what is shown, and those that had come by then. */
function readBars(arrival: Arrival, { from, to }: ZoomRange): Bar[] {
  const step = (to - from) / bars;
  const found: Bar[] = [];
  // What came at the very beginning is in the first bar.
  let before = from === 0 ? 0 : arrival.bytesAt(from);
  for (let bar = 0; bar < bars; bar++) {
    const sum = arrival.bytesAt(bar === bars - 1 ? to : from + (bar + 1) * step);
    if (sum > before || bar === 0) found.push({ x: (bar / bars) * width, bytes: sum - before, sum });
    before = sum;
  }
  return found;
}

/** How many bytes had come, as a line of steps. */
function drawSum(all: readonly Bar[], total: number): string {
  const steps = all.map(({ x, sum }) => `H${x.toFixed(1)}V${(height * (1 - sum / Math.max(total, 1))).toFixed(1)}`);
  return `M0 ${height}${steps.join('')}H${width}V${height}Z`;
}

type Strip = { readonly kind: RowRole; readonly x: number; readonly width: number };

/** Which kind of row the bytes belong to. Neighbouring rows of one kind are one strip. */
function readStrips({ flight }: OpenedFlight, { from, to }: ZoomRange): Strip[] {
  const table = readRowTable(flight);
  const strips: Strip[] = [];
  const step = width / bars;
  let row = 0;
  for (let bar = 0; bar < bars; bar++) {
    const offset = from + ((bar + 0.5) / bars) * (to - from);
    while (row < table.count - 1 && (flight.rows.starts[row + 1] ?? Infinity) <= offset) row++;
    const { kind } = describeTag(tagOf(table, row));
    const last = strips.at(-1);
    if (last?.kind === kind) strips[strips.length - 1] = { ...last, width: last.width + step };
    else strips.push({ kind, x: bar * step, width: step });
  }
  return strips;
}

type ArrivalChartProps = {
  readonly opened: OpenedFlight;
  readonly arrival: Arrival;
  readonly range: ZoomRange;
  readonly label: string;
};

/** How many bytes came when, in the part of the axis that is shown; without times, the kinds of row in their order. */
export const ArrivalChart = memo(function DrawArrival({ opened, arrival, range, label }: ArrivalChartProps) {
  return (
    <div className="flight-track-row flight-chart">
      <ChartLegend opened={opened} arrival={arrival} />
      <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={label}>
        {arrival.unit === 'ms' ? (
          <Chunks all={readBars(arrival, range)} total={opened.bytes.length} />
        ) : (
          <Strips strips={readStrips(opened, range)} />
        )}
      </svg>
    </div>
  );
});

/** Kinds of row that the legend names: there is room for no more. */
const maxKinds = 3;

/** What the area and the bars are. */
function ChartLegend({ opened, arrival }: Pick<ArrivalChartProps, 'opened' | 'arrival'>) {
  if (arrival.unit === 'bytes') {
    return (
      <p className="flight-chart-legend">
        <span>the bytes, by kind of row</span>
        {readRowTable(opened.flight)
          .kinds.slice(0, maxKinds)
          .map(({ tag }) => (
            <span key={tag} className="flight-kind" data-row-kind={describeTag(tag).kind}>
              {describeTag(tag).name}
            </span>
          ))}
      </p>
    );
  }
  return (
    <p className="flight-chart-legend">
      <span data-swatch="sum">all that had come, of {formatBytes(opened.bytes.length)}</span>
      <span data-swatch="chunk">what came then</span>
    </p>
  );
}

function Chunks({ all, total }: { readonly all: readonly Bar[]; readonly total: number }) {
  const most = Math.max(1, ...all.map((bar) => bar.bytes));
  return (
    <>
      <path className="flight-chart-sum" d={drawSum(all, total)} />
      {all
        .filter(({ bytes }) => bytes > 0)
        .map(({ x, bytes }) => {
          const tall = Math.max(5, (bytes / most) * height);
          return (
            <rect key={x} className="fill-(--document)" x={x} y={height - tall} width={width / bars} height={tall} />
          );
        })}
    </>
  );
}

function Strips({ strips }: { readonly strips: readonly Strip[] }) {
  return strips.map(({ kind, x, width: wide }) => (
    <rect key={x} data-row-kind={kind} className="fill-(--row)" x={x} y={height / 4} width={wide} height={height / 2} />
  ));
}
