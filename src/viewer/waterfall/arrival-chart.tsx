import { useRef, useState, type PointerEvent } from 'react';

import type { RowRole } from '#flight';

import { formatPosition, type Arrival } from '../arrival.ts';
import type { OpenedFlight } from '../opened-flight.ts';
import { describeTag, readRowTable, tagOf } from '../row-table.ts';
import { useNarrow } from '../use-narrow.ts';
import { readTicks, selectRange, type ZoomRange } from './zoom-range.ts';

/** Units of the picture's own: it is stretched to the width of its place. */
const width = 1000;
const height = 80;
/** Chunks that are closer than one bar share a bar. */
const bars = 250;

type Bar = { readonly x: number; readonly bytes: number };

/** Bytes that came in each of `bars` equal parts of the axis. */
function sumBars(chunks: OpenedFlight['chunks'], end: number): Bar[] {
  const sums = new Map<number, number>();
  for (const { ms, bytes } of chunks) {
    const bar = Math.max(0, Math.min(bars - 1, Math.floor((ms / end) * bars)));
    sums.set(bar, (sums.get(bar) ?? 0) + bytes);
  }
  return [...sums].map(([bar, bytes]) => ({ x: (bar / bars) * width, bytes })).sort((a, b) => a.x - b.x);
}

/** How many bytes had come, as a line of steps. */
function drawSum({ chunks, bytes }: OpenedFlight, end: number): string {
  let came = 0;
  let path = `M0 ${height}`;
  for (const bar of sumBars(chunks, end)) {
    came += bar.bytes;
    path += `H${bar.x.toFixed(1)}V${(height * (1 - came / Math.max(bytes.length, 1))).toFixed(1)}`;
  }
  return `${path}H${width}V${height}Z`;
}

type Strip = { readonly kind: RowRole; readonly x: number; readonly width: number };

/** Which kind of row the bytes belong to. Neighbouring rows of one kind are one strip. */
function readStrips({ flight, bytes }: OpenedFlight): Strip[] {
  const table = readRowTable(flight);
  const strips: Strip[] = [];
  const step = width / bars;
  let row = 0;
  for (let bar = 0; bar < bars; bar++) {
    const offset = ((bar + 0.5) / bars) * bytes.length;
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
  readonly onRange: (range: ZoomRange) => void;
  readonly time: number | undefined;
  readonly onTime: (ms: number | undefined) => void;
  readonly label: string;
};

/** The whole flight: how many bytes came when. Drag over it to zoom; click to see the flight as it was then. */
export function ArrivalChart({ opened, arrival, range, onRange, time, onTime, label }: ArrivalChartProps) {
  const isNarrow = useNarrow();
  const frame = useRef<HTMLDivElement>(null);
  const [drag, setDrag] = useState<{ from: number; to: number }>();
  const { end, unit } = arrival;
  const scale = (position: number) => (position / end) * width;
  const shown = drag ? selectRange(drag.from, drag.to, end) : range;
  const isWhole = shown.from === 0 && shown.to === end;

  function positionOf(event: PointerEvent): number {
    const box = frame.current?.getBoundingClientRect();
    const share = box ? (event.clientX - box.left) / box.width : 0;
    return Math.max(0, Math.min(1, share)) * end;
  }

  function finish(event: PointerEvent) {
    if (!drag) return;
    setDrag(undefined);
    const to = positionOf(event);
    if (Math.abs(to - drag.from) > end / 100) onRange(selectRange(drag.from, to, end));
    else if (unit === 'ms') onTime(to);
  }

  return (
    <div
      ref={frame}
      className="flight-chart"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        const from = positionOf(event);
        setDrag({ from, to: from });
      }}
      onPointerMove={(event) => {
        if (drag) setDrag({ ...drag, to: positionOf(event) });
      }}
      onPointerUp={finish}
      onPointerCancel={() => setDrag(undefined)}
    >
      <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={label}>
        {unit === 'ms' ? <Chunks opened={opened} end={end} /> : <Strips opened={opened} />}
        {isWhole ? null : (
          <>
            <rect className="flight-chart-outside" x={0} y={0} width={scale(shown.from)} height={height} />
            <rect
              className="flight-chart-outside"
              x={scale(shown.to)}
              y={0}
              width={width - scale(shown.to)}
              height={height}
            />
          </>
        )}
        {time === undefined ? null : (
          <rect className="flight-chart-time" x={scale(Math.min(time, end)) - 1} y={0} width={2} height={height} />
        )}
      </svg>
      <div className="flight-axis" aria-hidden="true">
        {readTicks({ from: 0, to: end }, isNarrow ? 3 : 6).map((tick) => (
          <span key={tick} style={{ insetInlineStart: `${(tick / end) * 100}%` }}>
            {formatPosition(unit, tick)}
          </span>
        ))}
      </div>
    </div>
  );
}

function Chunks({ opened, end }: { opened: OpenedFlight; end: number }) {
  const all = sumBars(opened.chunks, end);
  const most = Math.max(1, ...all.map((bar) => bar.bytes));
  return (
    <>
      <path className="flight-chart-sum" d={drawSum(opened, end)} />
      {all.map(({ x, bytes }) => {
        const tall = Math.max(5, (bytes / most) * height);
        return (
          <rect key={x} className="flight-chart-chunk" x={x} y={height - tall} width={width / bars} height={tall} />
        );
      })}
    </>
  );
}

function Strips({ opened }: { opened: OpenedFlight }) {
  return readStrips(opened).map(({ kind, x, width: wide }) => (
    <rect
      key={x}
      data-row-kind={kind}
      className="flight-chart-strip"
      x={x}
      y={height / 4}
      width={wide}
      height={height / 2}
    />
  ));
}
