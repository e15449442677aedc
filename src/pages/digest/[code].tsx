import { unstable_notFound as notFound, unstable_redirect as redirect } from 'waku/router/server';

import { ChooseApp } from '#src/components/incident/choose-app.tsx';
import { IncidentView } from '#src/components/incident/incident-view.tsx';
import { UnkeptIncident } from '#src/components/incident/unkept-incident.tsx';
import { UnreportedDigest } from '#src/components/incident/unreported-digest.tsx';
import { showDigest } from '#src/components/show-digest.ts';
import { digestPath } from '#src/http/addresses.ts';
import { findFlightsByDigest } from '#src/recorder/for-operator/queries.ts';
import { findDigest } from '#src/reports/find-digest.ts';
import { listCandidates } from '#src/reports/digest-holder.ts';
import { listFeedback } from '#src/reports/feedback/list-feedback.ts';
import { findIncident } from '#src/reports/find-incident.ts';
import { decodeTyped, readCodes } from '#src/reports/read-code.ts';
import { findUnkept } from '#src/reports/unkept-digests.ts';

/** Nobody reported an error under it. The log may have it, or a flight that carried it. */
async function UnknownDigest({ codes, now }: { codes: readonly string[]; now: number }) {
  for (const digest of codes) {
    const unkept = findUnkept(digest);
    if (unkept) return <UnkeptIncident digest={digest} unkept={unkept} now={now} />;
    const flights = await findFlightsByDigest(digest);
    if (flights.length > 0) return <UnreportedDigest digest={digest} flights={flights} now={now} />;
  }
  return notFound();
}

export default async function DigestPage({ code: written, query }: { code: string; query: string }) {
  const code = decodeTyped(written);
  const codes = readCodes(code);
  const holders = await findDigest(codes);
  const now = Date.now();
  const asked = new URLSearchParams(query).get('app');
  const candidates = listCandidates(holders);
  const isOnly = candidates.length === 1;
  const holder = holders.find(({ app }) => app === asked) ?? (isOnly ? candidates[0] : undefined);
  if (holders.length === 0) return <UnknownDigest codes={codes} now={now} />;
  if (!holder) return <ChooseApp holders={candidates} now={now} />;
  const shown = showDigest(holder.digest, holder.app);
  if (code !== shown) redirect(digestPath(shown, isOnly && holder === candidates[0] ? undefined : holder.app));
  const incident = await findIncident(holder.digest, holder.app);
  if (!incident) return notFound();
  const feedback = await listFeedback({ app: holder.app, digest: holder.digest });
  return <IncidentView incident={incident} isLatest feedback={feedback} now={now} />;
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}
