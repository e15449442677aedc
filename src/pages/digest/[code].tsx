import { unstable_notFound as notFound, unstable_redirect as redirect } from 'waku/router/server';

import { KnownApps } from '#src/pages/_components/known-apps.tsx';
import { formatAskedQuery, parseAskedQuery } from '#src/faults/interface/error/asked-query.ts';
import { ChooseApp } from '#src/faults/interface/error/choose-app.tsx';
import { ErrorView } from '#src/faults/interface/error/error-view.tsx';
import { DeletedError } from '#src/faults/interface/error/deleted-error.tsx';
import { UnkeptError } from '#src/faults/interface/error/unkept-error.tsx';
import { UnreportedDigest } from '#src/faults/interface/error/unreported-digest.tsx';
import { showDigest } from '#src/ui/show-digest.ts';
import { findFlightsByDigest } from '#src/flights/for-operator/queries.ts';
import { findDigest } from '#src/faults/digests/find-digest.ts';
import { listCandidates } from '#src/faults/digests/digest-holder.ts';
import { listFeedback } from '#src/faults/feedback/list-feedback.ts';
import { findErrorDetails } from '#src/faults/digests/find-error-details.ts';
import { findPast } from '#src/faults/digests/find-past.ts';
import { nameHolders } from '#src/faults/digests/name-holders.ts';
import { decodePart, readAnyCode } from '#src/faults/digests/read-code.ts';
import { findUnkept } from '#src/faults/digests/unkept-digests.ts';

/** Nobody reported an error under it. The log may have it, or a flight that carried it. */
async function UnknownDigest({ codes, now }: { codes: readonly string[]; now: number }) {
  for (const digest of codes) {
    const unkept = findUnkept(digest);
    if (unkept) return <UnkeptError digest={digest} unkept={unkept} now={now} />;
    const flights = await findFlightsByDigest(digest);
    if (flights.length > 0) return <UnreportedDigest digest={digest} flights={flights} now={now} />;
  }
  return notFound();
}

export default async function DigestPage({ code: written, query }: { code: string; query: string }) {
  const code = decodePart(written);
  const codes = readAnyCode(code);
  const holders = await findDigest(codes);
  const now = Date.now();
  const asked = parseAskedQuery(query);
  const candidates = listCandidates(holders);
  const isOnly = candidates.length === 1;
  const holder = holders.find(({ app }) => app === asked.app) ?? (isOnly ? candidates[0] : undefined);
  if (holders.length === 0) return <UnknownDigest codes={codes} now={now} />;
  if (!holder) return <ChooseApp holders={await nameHolders(candidates)} now={now} />;
  const shown = showDigest(holder.digest, holder.app);
  const app = isOnly && holder === candidates[0] ? undefined : holder.app;
  if (code !== shown) redirect(formatAskedQuery(shown, { ...asked, app }));
  const past = holder.isPast ? await findPast(holder.app, holder.digest) : [];
  const details = await findErrorDetails(holder.digest, holder.app, asked.asked);
  if (past.length > 0) {
    return <DeletedError {...holder} past={past} errors={details?.browser ?? []} now={now} />;
  }
  if (!details) return notFound();
  const feedback = await listFeedback({ app: holder.app, digest: holder.digest });
  return (
    <>
      <KnownApps />
      <ErrorView details={details} query={asked} feedback={feedback} now={now} />
    </>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}
