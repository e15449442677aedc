import { BarChart } from '#src/components/bar-chart.tsx';
import { DigestLink } from '#src/components/digest-link.tsx';
import { Facts } from '#src/components/facts.tsx';
import { Moment } from '#src/components/moment.tsx';
import { Panel } from '#src/components/panel.tsx';
import type { Incident } from '#src/reports/incident.ts';

/** How often the same fault occurred, when, and under which other digests. */
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
              <li key={`${other.digest} ${other.time}`} className="flex flex-wrap justify-between gap-x-4 py-0.5">
                <DigestLink digest={other.digest} />
                <Moment time={other.time} now={now} isDense />
              </li>
            ))}
          </ul>
        </div>
      ) : null}
    </Panel>
  );
}
