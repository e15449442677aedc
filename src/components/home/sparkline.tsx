import type { HourCounts } from '#src/reports/faults/read-faults.ts';

const [barWidth, gap, height] = [4, 1, 20];
/** One occurrence must still be visible beside a thousand. */
const smallestBar = 2;

/** How often in each of the last hours, without axes: the numbers stand beside it. */
export function Sparkline({ recent: { counts } }: { recent: HourCounts }) {
  const most = Math.max(1, ...counts);
  const sum = counts.reduce((total, count) => total + count, 0);
  const width = counts.length * (barWidth + gap) - gap;
  return (
    <svg
      role="img"
      aria-label={`${sum} in the last ${counts.length} hours, at most ${Math.max(0, ...counts)} in one`}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      className="inline-block h-5 w-30 border-b border-line-strong align-bottom"
    >
      {counts.map((count, hour) =>
        count === 0 ? null : (
          <rect
            key={hour}
            x={hour * (barWidth + gap)}
            y={height - Math.max(smallestBar, (count / most) * height)}
            width={barWidth}
            height={Math.max(smallestBar, (count / most) * height)}
            fill="var(--error)"
          />
        ),
      )}
    </svg>
  );
}
