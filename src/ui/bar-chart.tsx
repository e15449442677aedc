import { formatCount, formatDuration } from '#flight';
import { formatUtc } from './format-time.ts';
import { LocalTime } from './browser-time.tsx';

type BarChartProps = {
  /** What is counted, in the plural: `errors`. */
  readonly what: string;
  readonly bucketMs: number;
  /** Without gaps, oldest first. `start` in milliseconds since 1970. */
  readonly buckets: readonly { readonly start: number; readonly count: number }[];
  /** Moments within the buckets that are marked by a line. */
  readonly marks?: readonly { readonly time: number; readonly label: string }[];
};

const height = 56;
const barWidth = 10;
const gap = 2;
/** Fewer would be blocks, not bars. */
const fewestBars = 24;
/** One error must still be visible beside a thousand. */
const smallestBar = 3;

/** Before the first bucket there was nothing to count. */
function padStart(buckets: BarChartProps['buckets'], bucketMs: number): BarChartProps['buckets'] {
  const missing = Math.max(0, fewestBars - buckets.length);
  const firstStart = buckets[0]?.start ?? 0;
  const empty = Array.from({ length: missing }, (_, index) => ({
    start: firstStart - (missing - index) * bucketMs,
    count: 0,
  }));
  return [...empty, ...buckets];
}

/** `2026-11-21 00:08` */
function formatMinute(time: number): string {
  return formatUtc(time).slice(0, 16);
}

/** Counts over time, as an image with a text that says what it shows. */
export function BarChart({ what, bucketMs, buckets: counted, marks = [] }: BarChartProps) {
  const last = counted.at(-1);
  if (!last) return null;
  const buckets = padStart(counted, bucketMs);
  const first = buckets[0] ?? last;
  const peak = Math.max(1, ...buckets.map((bucket) => bucket.count));
  const total = buckets.reduce((sum, bucket) => sum + bucket.count, 0);
  const end = last.start + bucketMs;
  const width = buckets.length * (barWidth + gap) - gap;
  return (
    <figure className="stack-1">
      <svg
        role="img"
        aria-label={`${formatCount(total)} ${what} from ${formatUtc(first.start)} to ${formatUtc(end)}, at most ${formatCount(peak)} in ${formatDuration(bucketMs)}`}
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        className="block h-14 w-full border-b border-line-strong"
      >
        {buckets.map(({ start, count }, index) => {
          const barHeight = count === 0 ? 0 : Math.max(smallestBar, (count / peak) * height);
          return (
            <rect
              key={start}
              x={index * (barWidth + gap)}
              y={height - barHeight}
              width={barWidth}
              height={barHeight}
              fill="var(--error)"
            >
              <title>{`${formatUtc(start)}: ${count}`}</title>
            </rect>
          );
        })}
        {marks.map(({ time, label }) => {
          const x = ((time - first.start) / bucketMs) * (barWidth + gap);
          return (
            <line
              key={label}
              x1={x}
              x2={x}
              y1="0"
              y2={height}
              stroke="var(--line-strong)"
              strokeDasharray="3 3"
              vectorEffect="non-scaling-stroke"
            >
              <title>{`${label}, ${formatUtc(time)}`}</title>
            </line>
          );
        })}
      </svg>
      <figcaption className="grid grid-cols-2 text-[0.8125rem] text-quiet">
        <span>
          {formatMinute(first.start)} <LocalTime time={first.start} />
        </span>
        <span className="text-end">
          {formatMinute(end)} <LocalTime time={end} />
        </span>
        <span className="col-span-2">
          One bar is {formatDuration(bucketMs)}, the highest is {peak}; times in UTC where they are not local
          {marks.length > 0 ? `; dashed: ${marks.map(({ label }) => label).join(', ')}` : null}
        </span>
      </figcaption>
    </figure>
  );
}
