import { formatUtc } from './format-time.ts';
import { RelativeTime } from './relative-time.tsx';

/** A time as its age and as it is in the log. In a dense list, only the age. */
export function Moment({ time, now, isDense = false }: { time: number; now: number; isDense?: boolean }) {
  const dateTime = new Date(time).toISOString();
  if (isDense) {
    return (
      <time dateTime={dateTime} title={formatUtc(time)}>
        <RelativeTime time={time} now={now} />
      </time>
    );
  }
  return (
    <time dateTime={dateTime}>
      <span className="whitespace-nowrap">
        <RelativeTime time={time} now={now} />
      </span>{' '}
      <span className="inline-block text-[0.8125rem] text-quiet sm:whitespace-nowrap">{formatUtc(time)}</span>
    </time>
  );
}
