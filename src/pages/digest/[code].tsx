import { digestPath, homePath } from '#src/http/addresses.ts';
import { Link } from '#src/runtime/navigation/link.tsx';
import { unstable_notFound as notFound, unstable_redirect as redirect } from 'waku/router/server';

import { DigestFlights } from '#src/components/flights/digest-flights.tsx';
import { BrowserReports } from '#src/components/incident/browser-reports.tsx';
import { CausePanel } from '#src/components/incident/cause-panel.tsx';
import { Occurrences } from '#src/components/incident/occurrences.tsx';
import { RequestFacts } from '#src/components/incident/request-facts.tsx';
import { Timeline } from '#src/components/incident/timeline.tsx';
import { UnkeptIncident } from '#src/components/incident/unkept-incident.tsx';
import { VisitorView } from '#src/components/incident/visitor-view.tsx';
import { findIncident } from '#src/reports/queries.ts';
import { findUnkept } from '#src/reports/unkept-digests.ts';
import { CopyButton } from '#src/runtime/errors/copy-button.tsx';
import { formatDigest, parseDigest } from '#src/runtime/errors/digest.ts';

export default async function DigestPage({ code }: { code: string }) {
  const digest = parseDigest(code);
  if (!digest) notFound();
  const shown = formatDigest(digest);
  if (code !== shown) redirect(digestPath(shown));
  const incident = await findIncident(digest);
  const error = incident?.server ?? incident?.browser[0];
  const now = Date.now();
  if (!incident || !error) {
    const unkept = findUnkept(digest);
    if (!unkept) notFound();
    return <UnkeptIncident digest={digest} unkept={unkept} now={now} />;
  }

  const { server, browser } = incident;
  return (
    <div className="stack-5">
      <title>{`${shown} · Flight Recorder`}</title>
      <div className="stack-2">
        <p className="flex flex-wrap items-center gap-x-3 text-quiet">
          <Link to={homePath} prefetch="intent">
            Errors
          </Link>
          <span>
            Digest <code className="text-ink">{shown}</code>
          </span>
          <CopyButton text={shown} what="digest" className="button-small" />
        </p>
        <h1 className="[overflow-wrap:anywhere]">
          {error.name}: <span className="font-normal">{error.message}</span>
        </h1>
      </div>
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_23rem]">
        <div className="grid min-w-0 gap-4">
          {server ? <CausePanel error={server} /> : null}
          <Timeline incident={incident} />
          <BrowserReports reports={browser} now={now} />
        </div>
        <div className="grid min-w-0 gap-4">
          <VisitorView incident={incident} />
          {server ? <RequestFacts error={server} now={now} /> : null}
          <DigestFlights digest={digest} />
          <Occurrences incident={incident} now={now} />
        </div>
      </div>
    </div>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}
