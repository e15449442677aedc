import { formatBytes, formatCount, formatDuration } from '#flight';
import { formatClock } from '#src/ui/format-time.ts';
import type { FlightSummary } from '../flight/flight-record.ts';

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

function describe(flight: FlightSummary): string {
  const { flight: bytes } = flight.sizes;
  const size = bytes === undefined ? '' : `${formatBytes(bytes)}, `;
  const hits = flight.lastAt === undefined ? '' : `, the first of ${describeHits(flight)}`;
  const when = `${formatClock(flight.startedAt)} UTC`;
  return `${when} ${flight.kind} ${nameFlight(flight)}: ${size}${formatDuration(flight.durationMs)}${hits}`;
}

/** Each flight of the list as one bar in the colour of its kind, the last one first: its Flight above the line, its time below. */
export function FlightsChart({ flights }: { flights: readonly FlightSummary[] }) {
  if (flights.length === 0) return null;
  const shown = flights.toReversed();
  const mostBytes = Math.max(...shown.map(({ sizes }) => sizes.flight ?? 0));
  const mostMs = Math.max(...shown.map((flight) => flight.durationMs));
  const slots = Math.max(fewestBars, shown.length);
  const width = slots * (barWidth + barGap);
  const offset = slots - shown.length;
  const most = `at most ${formatBytes(mostBytes)} of Flight and ${formatDuration(mostMs)}`;
  const count = shown.length === 1 ? 'the flight' : `the ${formatCount(shown.length)} flights`;
  return (
    <figure
      className="flights-chart"
      title="One bar is one flight, the first of the list on the right. Up: Flight. Down: time."
    >
      <svg
        role="img"
        aria-label={`Flight and time of ${count} below: ${most}`}
        viewBox={`0 0 ${width} ${half * 2 + gapBetween}`}
        preserveAspectRatio="none"
        className="block h-10 w-full"
      >
        <rect x="0" y={half} width={width} height={gapBetween} fill="var(--line-strong)" />
        {shown.map((flight, index) => {
          const x = (offset + index) * (barWidth + barGap);
          const up = scale(flight.sizes.flight ?? 0, mostBytes);
          return (
            <g key={flight.id} data-kind={flight.kind} fill="var(--kind)">
              <title>{describe(flight)}</title>
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
        up: Flight, to {formatBytes(mostBytes)}
        <br />
        down: time, to {formatDuration(mostMs)}
      </figcaption>
    </figure>
  );
}
