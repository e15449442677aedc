import { formatBytes, formatCount } from '#flight';
import { Facts } from '#viewer/facts.tsx';
import { formatUtc } from '#src/ui/format-time.ts';
import { LocalTime } from '#src/ui/browser-time.tsx';
import { Moment } from '#src/ui/moment.tsx';
import { notKeptPath } from '#src/server/http/addresses.ts';
import type { StoredCounts as Counts } from '#src/faults/kept/error-details.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

/**
 * Rows that are old by a clock that is not believed yet. The time when they are deleted is in the future, so it is not
 * shown as an age.
 */
function Waiting({ rows, until }: { rows: number; until: number }) {
  return (
    <>
      {formatCount(rows)}, by a clock that was set or after a long pause. They are deleted at{' '}
      <time dateTime={new Date(until).toISOString()}>
        {formatUtc(until)} <LocalTime time={until} />
      </time>
    </>
  );
}

function countNotKept({ outcomes }: Counts): string {
  return formatCount(outcomes.reduce((sum, { count }) => sum + count, 0));
}

/** What the store holds, and what was received but is not there. */
export function StoredCounts({ counts, now }: { counts: Counts; now: number }) {
  return (
    <Facts
      facts={[
        { name: 'Server errors', value: formatCount(counts.errors) },
        { name: 'Errors of browsers', value: formatCount(counts.browserErrors) },
        {
          name: 'Oldest',
          value: counts.oldestTime === undefined ? 'nothing yet' : <Moment time={counts.oldestTime} now={now} />,
        },
        { name: 'Database', value: `${counts.database}, ${formatBytes(counts.databaseBytes)}` },
        ...(counts.waiting ? [{ name: 'Too old', value: <Waiting {...counts.waiting} /> }] : []),
        {
          name: 'Not kept',
          value: <Link to={notKeptPath}>{countNotKept(counts)}</Link>,
        },
        { name: 'Not written', value: `${formatCount(counts.unstoredErrors)} since the start` },
      ]}
    />
  );
}
