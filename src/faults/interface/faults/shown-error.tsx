import { formatCount } from '#flight';
import { EmptyState } from '#viewer/empty-state.tsx';
import { DigestFlights } from '#src/faults/interface/digest-flights.tsx';
import { BrowserErrors, MaybeErrors } from '#src/faults/interface/error/browser-errors.tsx';
import { CausePanel } from '#src/faults/interface/error/cause-panel.tsx';
import { MaskedNote } from '#src/faults/interface/error/masked-note.tsx';
import { PrintedTooNote } from '#src/faults/interface/error/printed-too.tsx';
import { RequestFacts } from '#src/faults/interface/error/request-facts.tsx';
import { Timeline } from '#src/faults/interface/error/timeline.tsx';
import { Moment } from '#src/ui/moment.tsx';
import { Panel } from '#viewer/panel.tsx';
import { DigestLink } from '#src/ui/digest-link.tsx';
import type { FaultDetails } from '#src/faults/grouping/find-fault-page.ts';
import type { KeptError, ShownError as Shown } from '#src/faults/grouping/kept-errors.ts';
import { countErrors } from '#src/faults/grouping/counted.ts';
import { findErrorDetailsById, findBrowserErrorDetails } from '#src/faults/digests/find-error-details.ts';
import { mapSaid } from '#src/faults/event/said-words.ts';
import type { ErrorDetails, Said } from '#src/faults/kept/error-details.ts';
import { Link } from '#src/runtime/navigation/link.tsx';
import { Facts, type Fact } from '#viewer/facts.tsx';

import { formatFaultPage, type FaultPageQuery } from './fault-page-query.ts';
import { isOfMismatch } from '../error/mismatch.tsx';

function listFacts(texts: Readonly<Record<string, string>>): Fact[] {
  return Object.entries(texts).map(([name, value]) => ({
    name,
    value: <span className="code whitespace-pre-wrap">{value}</span>,
  }));
}

/** What the sender said of this error besides the error. Nothing where it said nothing. */
function SaidPanel({ said }: { said: Said }) {
  const { user, tags, extra } = said;
  const words = mapSaid((word) => said[word]);
  const known = listFacts(
    Object.fromEntries(Object.entries({ ...tags, ...words, user }).filter(([, value]) => value !== '')),
  );
  const more = listFacts(Object.fromEntries(Object.entries(extra).filter(([name]) => !isOfMismatch(name))));
  if (known.length + more.length === 0) return null;
  return (
    <Panel title="Tags of this error">
      {known.length > 0 ? <Facts facts={known} /> : null}
      {more.length > 0 ? (
        <details className="stack-1.5" open={known.length === 0}>
          <summary className="text-sm">Contexts and extra data</summary>
          <Facts facts={more} />
        </details>
      ) : null}
    </Panel>
  );
}

/** `1st`, `2nd`, `11th` */
function formatOrdinal(number: number): string {
  const isTeen = Math.floor((number % 100) / 10) === 1;
  const ending = isTeen ? 'th' : (['th', 'st', 'nd', 'rd'][number % 10] ?? 'th');
  return `${formatCount(number)}${ending}`;
}

function namePlace({ position, older }: Shown): string {
  if (position === 1) return 'The newest';
  if (older === undefined) return 'The oldest';
  return position === undefined ? 'One' : `${formatOrdinal(position)} newest`;
}

/** `the newest`, `2nd newest`, `the oldest`, of those that are kept. */
function describePosition(shown: Shown, { kept, keptUntrusted }: FaultDetails): string {
  if (kept === 1) return 'The only one that is kept';
  const all = `${namePlace(shown)} of ${formatCount(kept)} kept`;
  // Steps lead through both; the header counts them apart.
  return keptUntrusted > 0 && keptUntrusted < kept ? `${all} with the ${formatCount(keptUntrusted)} of browsers` : all;
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
    return key === undefined ? undefined : formatFaultPage(fault.id, { error: key, from: asked.from });
  }
  const { side, time, digest } = shown.shown;
  return (
    <nav aria-label="Errors one by one" className="stack-1" id="error">
      <p className="flex flex-wrap gap-x-5 gap-y-1">
        <Step to={address(shown.newest)} name="Newest" />
        <Step to={address(shown.newer)} name="Newer" />
        <Step to={address(shown.older)} name="Older" />
        <Step to={address(shown.oldest)} name="Oldest" />
      </p>
      <p className="flex flex-wrap gap-x-3 text-sm text-quiet">
        <span>
          {describePosition(shown, fault)}
          {side === 'browser' ? ', untrusted: only a browser reported it' : ''}
        </span>
        <Moment time={time} now={now} />
        {digest === null ? null : <DigestLink digest={digest} app={fault.app} />}
      </p>
    </nav>
  );
}

async function findErrorDetails({ key, side }: KeptError): Promise<ErrorDetails | undefined> {
  return side === 'server' ? findErrorDetailsById(key) : findBrowserErrorDetails(key);
}

type ShownErrorProps = {
  readonly fault: FaultDetails;
  readonly shown: Shown | undefined;
  readonly isAskedGone: boolean;
  readonly asked: FaultPageQuery;
  readonly now: number;
};

/** Counts stay for good, rows do not. */
function NothingKept({ fault }: { fault: FaultDetails }) {
  return (
    <Panel title="Error">
      <EmptyState title="None of its errors is kept any more">
        <p>
          {formatCount(countErrors(fault))} were counted. Their stacks and requests were deleted, because they were too
          old or there was no more room. The next one is shown here.
        </p>
      </EmptyState>
    </Panel>
  );
}

/** One error with all that is known of it, and the ways to the others. */
export async function ShownError({ fault, shown, isAskedGone, asked, now }: ShownErrorProps) {
  if (!shown) return <NothingKept fault={fault} />;
  const details = await findErrorDetails(shown.shown);
  return (
    <>
      <Pager fault={fault} shown={shown} asked={asked} now={now} />
      {isAskedGone ? (
        <p role="note" className="panel max-w-none px-4 py-3">
          The error of this address is not kept any more. This is the newest.
        </p>
      ) : null}
      {details ? <ErrorPanels details={details} side={shown.shown.side} now={now} /> : <NothingKept fault={fault} />}
    </>
  );
}

function ErrorPanels({ details, side, now }: { details: ErrorDetails; side: 'server' | 'browser'; now: number }) {
  const { app, server, browser, maybe } = details;
  const [error] = browser;
  const message = (server ?? error)?.message ?? '';
  return (
    <>
      <MaskedNote message={message} app={app} isReported={Boolean(server?.runtime)} />
      <PrintedTooNote printedToo={details.printedToo} now={now} />
      {side === 'browser' ? <BrowserErrors errors={browser} app={app} now={now} /> : null}
      {server ? <CausePanel error={server} /> : null}
      <Timeline error={details} />
      {side === 'server' ? <BrowserErrors errors={browser} app={app} now={now} /> : null}
      <MaybeErrors errors={maybe} app={app} now={now} />
      {server ? <RequestFacts error={server} now={now} /> : null}
      {server && side === 'server' ? <SaidPanel said={server.said} /> : null}
      {error && side === 'browser' ? <SaidPanel said={error.said} /> : null}
      <DigestFlights details={details} now={now} />
    </>
  );
}
