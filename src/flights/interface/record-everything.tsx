import 'server-only';

import { countOf } from '#flight';
import { recordEverything } from '#src/flights/actions/record-everything.ts';
import { formatUtc } from '#src/ui/format-time.ts';
import { readAllLeftMs } from '#src/apps/policy.ts';

type RecordEverythingProps = {
  readonly app: string;
  /** Until when everything is recorded of it, milliseconds since 1970; 0: it was not asked for. */
  readonly until: number;
  /** What is recorded at other times, where that is said nowhere else. */
  readonly usually?: string;
};

const minuteMs = 60_000;

/** Offers to record everything for ten minutes, whatever `RECORD` says, where pages stay empty because of what is recorded. */
export function RecordEverything({ app, until, usually }: RecordEverythingProps) {
  const leftMs = readAllLeftMs(until);
  const isOn = leftMs > 0;
  return (
    <form action={recordEverything} className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <input type="hidden" name="app" value={app} />
      <input type="hidden" name="for" value={isOn ? 'stop' : '10-minutes'} />
      {isOn ? (
        <p>
          Everything is recorded for {countOf(Math.ceil(leftMs / minuteMs), 'more minute')}, until {formatUtc(until)},
          also over a restart.{usually === undefined ? null : ` After that: ${usually}.`}
        </p>
      ) : null}
      <button type="submit" className="button-small">
        {isOn ? 'Stop now' : 'Record everything for 10 minutes'}
      </button>
    </form>
  );
}
