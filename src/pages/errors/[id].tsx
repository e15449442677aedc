import { unstable_notFound as notFound, unstable_redirect as redirect } from 'waku/router/server';

import { IncidentView } from '#src/components/incident/incident-view.tsx';
import { showDigest } from '#src/components/show-digest.ts';
import { digestPath } from '#src/http/addresses.ts';
import { listFeedback } from '#src/reports/feedback/list-feedback.ts';
import { findIncidentById } from '#src/reports/find-incident.ts';
import { ownApp } from '#src/store/own-app.ts';

/** One error of another app. Ours have the address of their digest. */
export default async function ErrorPage({ id }: { id: string }) {
  const incident = await findIncidentById(id);
  if (!incident) notFound();
  const { app, digest } = incident;
  if (app === ownApp && digest !== null) redirect(digestPath(showDigest(digest, app)));
  const feedback = await listFeedback({ app, digest, eventId: id });
  return <IncidentView incident={incident} isLatest={false} feedback={feedback} now={Date.now()} />;
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}
