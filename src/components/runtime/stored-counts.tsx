import { formatBytes, formatCount } from '#flight';
import { Facts } from '#src/components/facts.tsx';
import { formatUtc } from '#src/components/format-time.ts';
import { LocalTime } from '#src/components/browser-time.tsx';
import { Moment } from '#src/components/moment.tsx';
import type { StoredCounts as Counts } from '#src/reports/incident.ts';

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

/** What the store holds, and what was received but is not there. */
export function StoredCounts({ counts, now }: { counts: Counts; now: number }) {
  return (
    <>
      <Facts
        facts={[
          { name: 'Server errors', value: formatCount(counts.errors) },
          { name: 'Reports of browsers', value: formatCount(counts.browserReports) },
          {
            name: 'Oldest',
            value: counts.oldestTime === undefined ? 'nothing yet' : <Moment time={counts.oldestTime} now={now} />,
          },
          { name: 'Database', value: formatBytes(counts.databaseBytes) },
          ...(counts.waiting ? [{ name: 'Too old', value: <Waiting {...counts.waiting} /> }] : []),
          { name: 'Not written', value: `${formatCount(counts.unstoredErrors)} since the start` },
        ]}
      />
      {counts.outcomes.length > 0 ? (
        <table className="fold">
          <caption>Not kept</caption>
          <thead>
            <tr>
              <th scope="col">What</th>
              <th scope="col">Why</th>
              <th scope="col">Dropped by</th>
              <th scope="col">Times</th>
            </tr>
          </thead>
          <tbody>
            {counts.outcomes.map(({ source, type, reason, count }) => (
              <tr key={`${source} ${type} ${reason}`}>
                <th scope="row">{type}</th>
                <td data-label="Why">{reason}</td>
                <td data-label="Dropped by">{source === 'receiver' ? 'this server' : 'the browser'}</td>
                <td data-label="Times">{formatCount(count)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : null}
    </>
  );
}
