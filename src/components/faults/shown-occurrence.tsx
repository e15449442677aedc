import { formatCount } from '#flight';
import { EmptyState } from '#src/components/empty-state.tsx';
import { DigestFlights } from '#src/components/flights/digest-flights.tsx';
import { BrowserReports } from '#src/components/incident/browser-reports.tsx';
import { CausePanel } from '#src/components/incident/cause-panel.tsx';
import { RequestFacts } from '#src/components/incident/request-facts.tsx';
import { SaidPanel } from '#src/components/incident/said-panel.tsx';
import { Timeline } from '#src/components/incident/timeline.tsx';
import { Moment } from '#src/components/moment.tsx';
import { Panel } from '#src/components/panel.tsx';
import { DigestLink } from '#src/components/digest-link.tsx';
import type { FaultDetails } from '#src/reports/faults/find-fault-page.ts';
import type { KeptOccurrence, ShownOccurrence as Shown } from '#src/reports/faults/kept-occurrences.ts';
import { countOccurrences } from '#src/reports/faults/counted.ts';
import { findIncidentById, findIncidentOfReport } from '#src/reports/find-incident.ts';
import type { Incident } from '#src/reports/incident.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

import { formatFaultPage, type FaultPageQuery } from './fault-page-query.ts';

/** `1st`, `2nd`, `11th` */
function formatOrdinal(number: number): string {
  const isTeen = Math.floor((number % 100) / 10) === 1;
  const ending = isTeen ? 'th' : (['th', 'st', 'nd', 'rd'][number % 10] ?? 'th');
  return `${formatCount(number)}${ending}`;
}

/** `the newest`, `2nd newest`, `the oldest`, of those that are kept. */
function describePosition({ position, older }: Shown, { kept, keptClaims }: FaultDetails): string {
  if (kept === 1) return 'The only one that is kept';
  const place =
    position === 1 ? 'The newest' : older === undefined ? 'The oldest' : `${formatOrdinal(position)} newest`;
  const all = `${place} of ${formatCount(kept)} kept`;
  // Steps lead through both; the header counts them apart.
  return keptClaims > 0 && keptClaims < kept ? `${all} with the ${formatCount(keptClaims)} of browsers` : all;
}

function Step({ to, name }: { to: string | undefined; name: string }) {
  if (to === undefined) return <span className="text-quiet">{name}</span>;
  return (
    <Link to={to} prefetch="intent" scroll={false}>
      {name}
    </Link>
  );
}

type PagerProps = {
  readonly fault: FaultDetails;
  readonly shown: Shown;
  readonly asked: FaultPageQuery;
  readonly now: number;
};

function Pager({ fault, shown, asked, now }: PagerProps) {
  function address(key: string | undefined): string | undefined {
    return key === undefined ? undefined : formatFaultPage(fault.id, { occurrence: key, from: asked.from });
  }
  const { side, time, digest } = shown.shown;
  return (
    <nav aria-label="Occurrences one by one" className="stack-1" id="occurrence">
      <p className="flex flex-wrap gap-x-5 gap-y-1">
        <Step to={address(shown.newest)} name="Newest" />
        <Step to={address(shown.newer)} name="Newer" />
        <Step to={address(shown.older)} name="Older" />
        <Step to={address(shown.oldest)} name="Oldest" />
      </p>
      <p className="flex flex-wrap gap-x-3 text-sm text-quiet">
        <span>
          {describePosition(shown, fault)}
          {side === 'browser' ? ', the report of a browser: a claim' : ''}
        </span>
        <Moment time={time} now={now} />
        {digest === null ? null : <DigestLink digest={digest} app={fault.app} />}
      </p>
    </nav>
  );
}

async function findIncident({ key, side }: KeptOccurrence): Promise<Incident | undefined> {
  return side === 'server' ? findIncidentById(key) : findIncidentOfReport(key);
}

type ShownOccurrenceProps = {
  readonly fault: FaultDetails;
  readonly shown: Shown | undefined;
  readonly isAskedGone: boolean;
  readonly asked: FaultPageQuery;
  readonly now: number;
};

/** Counts stay for good, rows do not. */
function NothingKept({ fault }: { fault: FaultDetails }) {
  return (
    <Panel title="Occurrence">
      <EmptyState title="None of its occurrences is kept any more">
        <p>
          {formatCount(countOccurrences(fault))} were counted. Their stacks and requests were deleted, because they were
          too old or there was no more room. The next one is shown here.
        </p>
      </EmptyState>
    </Panel>
  );
}

/** One occurrence with all that is known of it, and the ways to the others. */
export async function ShownOccurrence({ fault, shown, isAskedGone, asked, now }: ShownOccurrenceProps) {
  if (!shown) return <NothingKept fault={fault} />;
  const incident = await findIncident(shown.shown);
  return (
    <>
      <Pager fault={fault} shown={shown} asked={asked} now={now} />
      {isAskedGone ? (
        <p role="note" className="panel max-w-none px-4 py-3">
          The occurrence of this address is not kept any more. This is the newest.
        </p>
      ) : null}
      {incident ? (
        <OccurrencePanels incident={incident} side={shown.shown.side} now={now} />
      ) : (
        <NothingKept fault={fault} />
      )}
    </>
  );
}

function OccurrencePanels({ incident, side, now }: { incident: Incident; side: 'server' | 'browser'; now: number }) {
  const { app, server, browser } = incident;
  const [report] = browser;
  return (
    <>
      {side === 'browser' ? <BrowserReports reports={browser} app={app} now={now} /> : null}
      {server ? <CausePanel error={server} /> : null}
      <Timeline incident={incident} />
      {side === 'server' ? <BrowserReports reports={browser} app={app} now={now} /> : null}
      {server ? <RequestFacts error={server} now={now} /> : null}
      {server && side === 'server' ? <SaidPanel said={server.said} /> : null}
      {report && side === 'browser' ? <SaidPanel said={report.said} /> : null}
      <DigestFlights incident={incident} now={now} />
    </>
  );
}
