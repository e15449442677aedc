import { formatBytes, formatDuration } from '#flight';
import { formatClock } from '#src/components/format-time.ts';
import type { FlightSummary } from '#src/recorder/flight-record.ts';

import { describeHits } from './flight-tags.tsx';
import { nameFlight } from './name-flight.ts';

const half = 44;
const gapBetween = 1;
const barWidth = 8;
const barGap = 2;
/** Fewer would be blocks, not bars. */
const fewestBars = 40;
const leastHeight = 1.5;

function scale(value: number, most: number): number {
  return value <= 0 || most <= 0 ? 0 : Math.max(leastHeight, (value / most) * half);
}

function isCounted({ lastAt }: FlightSummary): boolean {
  return lastAt !== undefined;
}

/** Each flight of the list as one bar in the colour of its kind, oldest first: bytes above the line, time below it. */
export function FlightsChart({ flights }: { flights: readonly FlightSummary[] }) {
  if (flights.length === 0) return null;
  const shown = flights.toReversed();
  const mostBytes = Math.max(...shown.map((flight) => flight.bytes));
  const mostMs = Math.max(...shown.map((flight) => flight.durationMs));
  const slots = Math.max(fewestBars, shown.length);
  const width = slots * (barWidth + barGap);
  const offset = slots - shown.length;
  return (
    <figure className="stack-1">
      <svg
        role="img"
        aria-label={`Bytes and time of the ${shown.length} flights below: at most ${formatBytes(mostBytes)} and ${formatDuration(mostMs)}`}
        viewBox={`0 0 ${width} ${half * 2 + gapBetween}`}
        preserveAspectRatio="none"
        className="block h-24 w-full"
      >
        <rect x="0" y={half} width={width} height={gapBetween} fill="var(--line-strong)" />
        {shown.map((flight, index) => {
          const x = (offset + index) * (barWidth + barGap);
          const up = scale(flight.bytes, mostBytes);
          return (
            <g key={flight.id} data-kind={flight.kind} fill="var(--kind)">
              <title>{`${formatClock(flight.startedAt)} ${flight.kind} ${nameFlight(flight)}: ${formatBytes(flight.bytes)}, ${formatDuration(flight.durationMs)}${isCounted(flight) ? `, the first of ${describeHits(flight)}` : ''}`}</title>
              <rect x={x} y={half - up} width={barWidth} height={up} />
              <rect
                x={x}
                y={half + gapBetween}
                width={barWidth}
                height={scale(flight.durationMs, mostMs)}
                fillOpacity="0.5"
              />
            </g>
          );
        })}
      </svg>
      <figcaption className="text-[0.8125rem] text-quiet">
        One bar is one flight, the newest on the right. Up: bytes, at most {formatBytes(mostBytes)}. Down: time, at most{' '}
        {formatDuration(mostMs)}.{shown.some(isCounted) ? ' Of counted hits it is the first.' : ''}
      </figcaption>
    </figure>
  );
}
