import { formatCount } from '#flight';
import { BarChart } from '#src/ui/bar-chart.tsx';
import { DigestLink } from '#src/ui/digest-link.tsx';
import { Facts } from '#viewer/facts.tsx';
import { FaultBadges } from '#src/faults/interface/faults/fault-badges.tsx';
import { Moment } from '#src/ui/moment.tsx';
import { Panel } from '#viewer/panel.tsx';
import { faultPath } from '#src/server/http/addresses.ts';
import { countedSide, countErrors } from '#src/faults/grouping/counted.ts';
import { type KeptError, listLatestOfSide } from '#src/faults/grouping/kept-errors.ts';
import { readFaultChart } from '#src/faults/grouping/read-fault-chart.ts';
import { type FaultSummary, readFault } from '#src/faults/grouping/read-faults.ts';
import type { ErrorDetails } from '#src/faults/kept/error-details.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

import { PageOfError } from './page-of-error.tsx';

const othersShown = 10;

/** The page of its digest, where that names this one alone; else its place on the fault's page. */
function OtherLink({ other, fault, details }: { other: KeptError; fault: string; details: ErrorDetails }) {
  const { names, app } = details;
  if (names === 'error' && other.digest !== null) return <DigestLink digest={other.digest} app={app} />;
  return (
    <Link to={faultPath(fault, other.key)} prefetch="intent" className="code min-w-0">
      <PageOfError app={app} error={other} />
    </Link>
  );
}

type OthersProps = { readonly details: ErrorDetails; readonly fault: FaultSummary; readonly now: number };

/** Reports of this same error are beside it already. */
function isOther({ key, digest }: KeptError, details: ErrorDetails): boolean {
  if (key === details.server?.id || details.browser.some(({ eventId }) => eventId === key)) return false;
  return details.names === 'fault' || digest === null || digest !== details.digest;
}

/** A browser's error of what a server has told is no other error, so only the side that counts is listed. */
async function Others({ details, fault, now }: OthersProps) {
  const errors = await listLatestOfSide(fault.id, countedSide(fault), othersShown + details.browser.length + 1);
  const others = errors.filter((one) => isOther(one, details)).slice(0, othersShown);
  if (others.length === 0) return null;
  return (
    <div className="stack-1.5">
      <h3 className="text-sm">The latest others</h3>
      <ul className="list-none text-sm">
        {others.map((other) => (
          <li key={`${other.side} ${other.key}`} className="flex flex-wrap justify-between gap-x-4 py-0.5">
            <OtherLink other={other} fault={fault.id} details={details} />
            <Moment time={other.time} now={now} isDense />
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Leads to the fault, at this error. */
export async function FaultLink({ details }: { details: ErrorDetails }) {
  if (details.fault === null) {
    return <p className="text-quiet">Its stack is still being read. Then this page says which fault it is one of.</p>;
  }
  const fault = await readFault(details.fault);
  if (!fault) return null;
  const total = countErrors(fault);
  const key = details.server?.id ?? details.browser[0]?.eventId;
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <Link to={faultPath(fault.id, key)} prefetch="intent">
        {total === 1 ? 'The only error of this fault' : `One of ${formatCount(total)} errors of this fault`}
      </Link>
      <FaultBadges fault={fault} />
    </p>
  );
}

/** Shows the fault of this error: how often, when, and under which other digests. */
export async function SameFault({ details, now }: { details: ErrorDetails; now: number }) {
  const fault = details.fault === null ? undefined : await readFault(details.fault);
  if (!fault) return null;
  const chart = await readFaultChart(fault, now);
  return (
    <Panel title="Same fault">
      {chart ? <BarChart what="errors" bucketMs={chart.bucketMs} buckets={chart.buckets} /> : null}
      <Facts
        facts={[
          { name: 'First received', value: <Moment time={fault.firstTime} now={now} /> },
          { name: 'Last received', value: <Moment time={fault.lastTime} now={now} /> },
          { name: 'Fingerprint', value: <span className="code">{details.fingerprint}</span> },
        ]}
      />
      <Others details={details} fault={fault} now={now} />
    </Panel>
  );
}
