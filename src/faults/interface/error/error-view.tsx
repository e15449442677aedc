import { faultsPath } from '#src/server/http/addresses.ts';
import { DigestFlights } from '#src/faults/interface/digest-flights.tsx';
import { showDigest } from '#src/ui/show-digest.ts';
import type { FeedbackList } from '#src/faults/feedback/list-feedback.ts';
import type { ErrorDetails } from '#src/faults/kept/error-details.ts';
import { CopyButton } from '#src/runtime/errors/copy-button.tsx';
import { Link } from '#src/runtime/navigation/link.tsx';
import { ownApp } from '#src/store/own-app.ts';

import type { AskedQuery } from './asked-query.ts';
import { BrowserErrors, MaybeErrors } from './browser-errors.tsx';
import { CausePanel } from './cause-panel.tsx';
import { FeedbackPanel } from './feedback-panel.tsx';
import { FaultNotice } from './fault-notice.tsx';
import { MaskedNote } from './masked-note.tsx';
import { PrintedTooNote } from './printed-too.tsx';
import { RequestFacts } from './request-facts.tsx';
import { FaultLink, SameFault } from './same-fault.tsx';
import { Timeline } from './timeline.tsx';
import { Panel } from '#viewer/panel.tsx';
import { formatDigest } from '#report/digest.ts';
import { describeFailure, failureTitle } from '#src/runtime/errors/failure-text.ts';

type ErrorViewProps = {
  readonly details: ErrorDetails;
  /** What the address asks, where it names the digest, which several errors may have; undefined where it names this error. */
  readonly query: AskedQuery | undefined;
  readonly feedback: FeedbackList;
  readonly now: number;
};

function Code({ digest, app }: Pick<ErrorDetails, 'digest' | 'app'>) {
  if (digest === null) return <span>no digest</span>;
  const shown = showDigest(digest, app);
  return (
    <>
      <span>
        Digest <code className="text-ink [overflow-wrap:anywhere]">{shown}</code>
      </span>
      <CopyButton text={shown} what="digest" className="button-small" />
    </>
  );
}

/** How the error reached the visitor. The request's kind decides it. */
function describeReach({ server }: ErrorDetails): string {
  switch (server?.kind) {
    case undefined:
      return 'In place of the page, when the browser failed to show it:';
    case 'document':
      return 'In place of the page, or of the part that failed when the rest was on its way:';
    case 'navigation':
    case 'slice':
      return 'In place of the page that they opened, or of the part of it that failed:';
    case 'prefetch':
      return 'Nothing, unless they then opened the page, which the browser had only prefetched:';
    case 'navigation-or-prefetch':
      return 'In place of the page that they opened; or nothing, where the browser had only prefetched it:';
    case 'action':
      return 'After sending a form or pressing a button:';
    case 'background':
    case 'unknown':
    case 'other':
      return 'Nothing, unless the answer to this request was a page:';
  }
}

/** The error panel as the visitor saw it, small and without its controls. */
function VisitorView({ details }: { details: ErrorDetails }) {
  const side = details.server ? 'server' : 'browser';
  return (
    <Panel title="What the visitor saw">
      <p className="text-sm text-quiet">{describeReach(details)}</p>
      <div className="stack-1.5 rounded-md border border-line border-t-3 border-t-accent bg-paper px-4 py-3 text-sm">
        <p className="font-semibold">{failureTitle}</p>
        <p>{describeFailure(side, true)}</p>
        <p>
          <span className="text-quiet">Digest</span> <code>{formatDigest(details.digest ?? '')}</code>
        </p>
      </div>
    </Panel>
  );
}

/** All that is known of one error. */
export function ErrorView({ details, query, feedback, now }: ErrorViewProps) {
  const { digest, app, server, browser, maybe } = details;
  const error = server ?? browser[0];
  const shown = digest === null ? 'An error' : showDigest(digest, app);
  return (
    <div className="stack-5">
      <title>{`${shown} · Flight Recorder`}</title>
      <div className="stack-2">
        <p className="flex flex-wrap items-center gap-x-3 text-quiet">
          <Link to={faultsPath} prefetch="intent">
            Faults
          </Link>
          {app === ownApp ? null : <span>{app}</span>}
          <Code digest={digest} app={app} />
        </p>
        <h1 className="[overflow-wrap:anywhere]">
          {error?.name}: <span className="font-normal">{error?.message}</span>
        </h1>
        <FaultLink details={details} />
      </div>
      {error ? <MaskedNote message={error.message} app={app} isReported={Boolean(server?.runtime)} /> : null}
      <PrintedTooNote printedToo={details.printedToo} now={now} />
      <FaultNotice details={details} query={query} />
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_23rem]">
        <div className="grid min-w-0 gap-4">
          {server ? <CausePanel error={server} /> : null}
          <FeedbackPanel feedback={feedback} now={now} />
          <Timeline error={details} />
          <BrowserErrors errors={browser} app={app} now={now} />
          <MaybeErrors errors={maybe} app={app} now={now} />
        </div>
        <div className="grid min-w-0 gap-4">
          {app === ownApp ? <VisitorView details={details} /> : null}
          {server ? <RequestFacts error={server} now={now} /> : null}
          <DigestFlights details={details} now={now} />
          <SameFault details={details} now={now} />
        </div>
      </div>
    </div>
  );
}
