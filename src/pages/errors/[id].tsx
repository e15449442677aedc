import { unstable_notFound as notFound, unstable_redirect as redirect } from 'waku/router/server';

import { KnownApps } from '#src/pages/_components/known-apps.tsx';
import { ErrorView } from '#src/faults/interface/error/error-view.tsx';
import { showDigest } from '#src/ui/show-digest.ts';
import { digestPath } from '#src/server/http/addresses.ts';
import { listFeedback } from '#src/faults/feedback/list-feedback.ts';
import { findErrorDetailsById } from '#src/faults/digests/find-error-details.ts';
import { ownApp } from '#src/store/own-app.ts';

/** One error of another app. Ours have the address of their digest. */
export default async function ErrorPage({ id }: { id: string }) {
  const details = await findErrorDetailsById(id);
  if (!details) notFound();
  const { app, digest } = details;
  if (app === ownApp && digest !== null) redirect(digestPath(showDigest(digest, app)));
  const feedback = await listFeedback({ app, digest, eventId: id });
  return (
    <>
      <KnownApps />
      <ErrorView details={details} query={undefined} feedback={feedback} now={Date.now()} />
    </>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}
