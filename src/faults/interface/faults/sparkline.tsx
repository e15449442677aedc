import { formatCount } from '#flight';
import type { HourCounts } from '#src/faults/grouping/read-faults.ts';

const height = 20;
const barWidth = 3;
const gap = 1;
/** One error must still be visible beside a thousand. */
const smallestBar = 2;
const dayHours = 24;

/** An hour each, or a day each where there are more than two days of them. */
function toBars({ counts }: HourCounts): readonly number[] {
  if (counts.length <= 2 * dayHours) return counts;
  const days = Math.ceil(counts.length / dayHours);
  return Array.from({ length: days }, (_, day) =>
    counts.slice(day * dayHours, (day + 1) * dayHours).reduce((sum, count) => sum + count, 0),
  );
}

function describe(counts: HourCounts, bars: readonly number[]): string {
  const isHourly = bars.length === counts.counts.length;
  const total = bars.reduce((sum, count) => sum + count, 0);
  const span = isHourly ? `${bars.length} hours` : `${bars.length} days`;
  if (total === 0) return `none in the last ${span}`;
  return `${formatCount(total)} in the last ${span}, at most ${formatCount(Math.max(...bars))} in ${isHourly ? 'an hour' : 'a day'}`;
}

/** How often something occurred, hour by hour or day by day, as a picture as high as a line of text. */
export function Sparkline({ recent }: { recent: HourCounts }) {
  const bars = toBars(recent);
  const peak = Math.max(1, ...bars);
  const width = bars.length * (barWidth + gap) - gap;
  const text = describe(recent, bars);
  return (
    <svg
      role="img"
      aria-label={text}
      viewBox={`0 0 ${Math.max(1, width)} ${height}`}
      preserveAspectRatio="none"
      className="sparkline"
    >
      <title>{text}</title>
      {bars.map((count, index) => {
        const barHeight = count === 0 ? 0 : Math.max(smallestBar, (count / peak) * height);
        // Bars have no identity but their place.
        // oxlint-disable-next-line react/no-array-index-key
        return count === 0 ? null : (
          <rect key={index} x={index * (barWidth + gap)} y={height - barHeight} width={barWidth} height={barHeight} />
        );
      })}
    </svg>
  );
}
