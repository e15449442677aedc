import { faultsPath } from '#src/http/addresses.ts';
import { DigestFlights } from '#src/components/flights/digest-flights.tsx';
import { showDigest } from '#src/components/show-digest.ts';
import type { FeedbackList } from '#src/reports/feedback/list-feedback.ts';
import type { Incident } from '#src/reports/incident.ts';
import { CopyButton } from '#src/runtime/errors/copy-button.tsx';
import { Link } from '#src/runtime/navigation/link.tsx';
import { ownApp } from '#src/store/own-app.ts';

import { BrowserReports } from './browser-reports.tsx';
import { CausePanel } from './cause-panel.tsx';
import { FeedbackPanel } from './feedback-panel.tsx';
import { FaultNotice } from './fault-notice.tsx';
import { RequestFacts } from './request-facts.tsx';
import { FaultLink, SameFault } from './same-fault.tsx';
import { Timeline } from './timeline.tsx';
import { VisitorView } from './visitor-view.tsx';

type IncidentViewProps = {
  readonly incident: Incident;
  /** Whether the address names the digest, and this is only its latest error. */
  readonly isLatest: boolean;
  readonly feedback: FeedbackList;
  readonly now: number;
};

function Code({ digest, app }: Pick<Incident, 'digest' | 'app'>) {
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

/** All that is known of one error. */
export function IncidentView({ incident, isLatest, feedback, now }: IncidentViewProps) {
  const { digest, app, server, browser } = incident;
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
        <FaultLink incident={incident} />
      </div>
      <FaultNotice incident={incident} isLatest={isLatest} />
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_23rem]">
        <div className="grid min-w-0 gap-4">
          {server ? <CausePanel error={server} /> : null}
          <FeedbackPanel feedback={feedback} now={now} />
          <Timeline incident={incident} />
          <BrowserReports reports={browser} app={app} now={now} />
        </div>
        <div className="grid min-w-0 gap-4">
          {app === ownApp ? <VisitorView incident={incident} /> : null}
          {server ? <RequestFacts error={server} now={now} /> : null}
          <DigestFlights incident={incident} now={now} />
          <SameFault incident={incident} now={now} />
        </div>
      </div>
    </div>
  );
}
