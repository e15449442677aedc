import { unstable_redirect as redirect } from 'waku/router/server';

import { FaultListPage } from '#src/components/faults/fault-list-page.tsx';
import { parseFaultQuery } from '#src/components/faults/fault-query.ts';
import { findTypedPage } from '#src/components/faults/find-typed-page.ts';
import { faultsPath } from '#src/http/addresses.ts';

export default async function FaultsPage({ query: search }: { query: string }) {
  const query = parseFaultQuery(search);
  const page = query.text === '' ? undefined : await findTypedPage(query.text, query.app);
  // The list of a trace's faults is this page, whatever else its address says.
  if (page !== undefined && !page.startsWith(`${faultsPath}?`)) redirect(page);
  const done = new URLSearchParams(search).get('done') ?? undefined;
  return (
    <>
      <title>Faults · Flight Recorder</title>
      <FaultListPage query={query} done={done} now={Date.now()} />
    </>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}
