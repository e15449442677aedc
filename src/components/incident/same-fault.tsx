import { formatCount } from '#flight';
import { BarChart } from '#src/components/bar-chart.tsx';
import { DigestLink } from '#src/components/digest-link.tsx';
import { Facts } from '#src/components/facts.tsx';
import { FaultBadges } from '#src/components/faults/fault-badges.tsx';
import { findCarrier } from '#src/components/flights/find-carrier.ts';
import { Moment } from '#src/components/moment.tsx';
import { Panel } from '#src/components/panel.tsx';
import { faultPath } from '#src/http/addresses.ts';
import { countedSide, countOccurrences } from '#src/reports/faults/counted.ts';
import { type KeptOccurrence, listLatestOfSide } from '#src/reports/faults/kept-occurrences.ts';
import { readFaultChart } from '#src/reports/faults/read-fault-chart.ts';
import { type FaultSummary, readFault } from '#src/reports/faults/read-faults.ts';
import type { Incident } from '#src/reports/incident.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

const othersShown = 10;

/** The page of its digest, where that names this one alone; else its place on the fault's page. */
async function OtherLink({ other, fault, incident }: { other: KeptOccurrence; fault: string; incident: Incident }) {
  const { names, app } = incident;
  if (names === 'occurrence' && other.digest !== null) return <DigestLink digest={other.digest} app={app} />;
  const carrier = await findCarrier({ ...other, app, requestId: '', traceId: '' });
  return (
    <Link to={faultPath(fault, other.key)} prefetch="intent" className="code min-w-0">
      {other.path || (carrier ? `${carrier.path} (from its flight)` : 'page not known')}
    </Link>
  );
}

type OthersProps = { readonly incident: Incident; readonly fault: FaultSummary; readonly now: number };

/** Reports of this same error are beside it already. */
function isOther({ key, digest }: KeptOccurrence, incident: Incident): boolean {
  if (key === incident.server?.id || incident.browser.some(({ eventId }) => eventId === key)) return false;
  return incident.names === 'fault' || digest === null || digest !== incident.digest;
}

/** A browser's report of what a server has told is no other occurrence, so only the side that counts is listed. */
async function Others({ incident, fault, now }: OthersProps) {
  const occurrences = await listLatestOfSide(fault.id, countedSide(fault), othersShown + incident.browser.length + 1);
  const others = occurrences.filter((one) => isOther(one, incident)).slice(0, othersShown);
  if (others.length === 0) return null;
  return (
    <div className="stack-1.5">
      <h3 className="text-sm">The latest others</h3>
      <ul className="list-none text-sm">
        {others.map((other) => (
          <li key={`${other.side} ${other.key}`} className="flex flex-wrap justify-between gap-x-4 py-0.5">
            <OtherLink other={other} fault={fault.id} incident={incident} />
            <Moment time={other.time} now={now} isDense />
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Leads to the fault, at this occurrence. */
export async function FaultLink({ incident }: { incident: Incident }) {
  if (incident.fault === null) {
    return <p className="text-quiet">Its stack is still being read. Then this page says which fault it is one of.</p>;
  }
  const fault = await readFault(incident.fault);
  if (!fault) return null;
  const total = countOccurrences(fault);
  const key = incident.server?.id ?? incident.browser[0]?.eventId;
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <Link to={faultPath(fault.id, key)} prefetch="intent">
        {total === 1 ? 'The only occurrence of this fault' : `One of ${formatCount(total)} occurrences of this fault`}
      </Link>
      <FaultBadges fault={fault} />
    </p>
  );
}

/** Of which fault this is an occurrence: how often, when, and under which other digests. */
export async function SameFault({ incident, now }: { incident: Incident; now: number }) {
  const fault = incident.fault === null ? undefined : await readFault(incident.fault);
  if (!fault) return null;
  const chart = await readFaultChart(fault, now);
  return (
    <Panel title="Same fault">
      {chart ? <BarChart what="occurrences" bucketMs={chart.bucketMs} buckets={chart.buckets} /> : null}
      <Facts
        facts={[
          { name: 'First received', value: <Moment time={fault.firstTime} now={now} /> },
          { name: 'Last received', value: <Moment time={fault.lastTime} now={now} /> },
          { name: 'Fingerprint', value: <span className="code">{incident.fingerprint}</span> },
        ]}
      />
      <Others incident={incident} fault={fault} now={now} />
    </Panel>
  );
}
