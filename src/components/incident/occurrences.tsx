import { BarChart } from '#src/components/bar-chart.tsx';
import { ErrorLink } from '#src/components/error-link.tsx';
import { Facts } from '#src/components/facts.tsx';
import { Moment } from '#src/components/moment.tsx';
import { Panel } from '#src/components/panel.tsx';
import type { ErrorSummary, Incident } from '#src/reports/incident.ts';
import { errorPath } from '#src/http/addresses.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

/** Where all have one digest, the page and the time tell them apart. */
function OtherLink({ other, names }: { other: ErrorSummary; names: Incident['names'] }) {
  if (names === 'occurrence') return <ErrorLink error={other} />;
  return (
    <Link to={errorPath(other.id)} prefetch="intent" className="code min-w-0">
      {other.path || 'page not known'}
    </Link>
  );
}

/** How often the same fault occurred, when, and where, or under which other digests. */
export function Occurrences({ incident, now }: { incident: Incident; now: number }) {
  const { total, firstTime, lastTime, bucketMs, buckets, others } = incident.occurrences;
  return (
    <Panel
      title="Same fault"
      aside={<span className="text-sm text-quiet">{total === 1 ? 'once' : `${total} times`}</span>}
    >
      <BarChart what="occurrences" bucketMs={bucketMs} buckets={buckets} />
      <Facts
        facts={[
          { name: 'First', value: <Moment time={firstTime} now={now} /> },
          { name: 'Last', value: <Moment time={lastTime} now={now} /> },
          { name: 'Fingerprint', value: <span className="code">{incident.fingerprint}</span> },
        ]}
      />
      {others.length > 0 ? (
        <div className="stack-1.5">
          <h3 className="text-sm">Other occurrences</h3>
          <ul className="list-none text-sm">
            {others.map((other) => (
              <li key={other.id} className="flex flex-wrap justify-between gap-x-4 py-0.5">
                <OtherLink other={other} names={incident.names} />
                <Moment time={other.time} now={now} isDense />
              </li>
            ))}
          </ul>
          {total > others.length + 1 ? (
            <p className="text-sm text-quiet">The latest {others.length} are listed.</p>
          ) : null}
        </div>
      ) : null}
    </Panel>
  );
}
