import { unstable_notFound as notFound, unstable_redirect as redirect } from 'waku/router/server';

import { KnownApps } from '#src/pages/_components/known-apps.tsx';
import { FaultPage } from '#src/faults/interface/faults/fault-page.tsx';
import { formatFaultPage, parseFaultPageQuery } from '#src/faults/interface/faults/fault-page-query.ts';
import { findFaultPage } from '#src/faults/grouping/find-fault-page.ts';

export default async function FaultRoute({ id, query }: { id: string; query: string }) {
  const asked = parseFaultPageQuery(query);
  const read = await findFaultPage(id, asked.error);
  switch (read.type) {
    case 'unknown':
      return notFound();
    case 'moved':
      return redirect(formatFaultPage(read.fault, { error: read.error }));
    case 'found':
      return (
        <>
          <KnownApps />
          <FaultPage read={read} asked={asked} now={Date.now()} />
        </>
      );
  }
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}
