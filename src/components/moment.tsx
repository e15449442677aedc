import { formatUtc } from './format-time.ts';
import { RelativeTime } from './relative-time.tsx';

/** A time as its age and as what stands in the log. */
export function Moment({ time, now }: { time: number; now: number }) {
  return (
    <time dateTime={new Date(time).toISOString()}>
      <span className="whitespace-nowrap">
        <RelativeTime time={time} now={now} />
      </span>{' '}
      <span className="text-[0.8125rem] whitespace-nowrap text-quiet">{formatUtc(time)}</span>
    </time>
  );
}
