import { formatUtc } from './format-time.ts';
import { LocalTime, RelativeTime, Time } from './browser-time.tsx';

/** A time as its age, as it is in the log, and where the reader is. In a dense list, only the age: its title says the rest. */
export function Moment({ time, now, isDense = false }: { time: number; now: number; isDense?: boolean }) {
  const age = <RelativeTime time={time} now={now} />;
  if (isDense) return <Time time={time}>{age}</Time>;
  return (
    <time dateTime={new Date(time).toISOString()}>
      <span className="whitespace-nowrap">{age}</span> <AbsoluteTime time={time} />
    </time>
  );
}

/** A time as it is in the log, and where the reader is. */
export function AbsoluteTime({ time }: { time: number }) {
  return (
    <span className="text-[0.8125rem] text-quiet">
      <span className="whitespace-nowrap">{formatUtc(time)}</span> <LocalTime time={time} />
    </span>
  );
}
