import { unstable_redirect as redirect } from 'waku/router/server';

import { FaultListPage } from '#src/faults/interface/faults/fault-list-page.tsx';
import { type FaultQuery, parseFaultQuery } from '#src/faults/interface/faults/fault-query.ts';
import { findTypedPage } from '#src/faults/interface/faults/find-typed-page.ts';
import { saysNoDigest } from '#src/faults/digests/list-without-digest.ts';
import { faultsPath, lookUpPath } from '#src/server/http/addresses.ts';

function lookUp({ text, app }: FaultQuery): string {
  return `${lookUpPath}?${new URLSearchParams({ code: text, ...(app === undefined ? {} : { app }) })}`;
}

export default async function FaultsPage({ query: search }: { query: string }) {
  const query = parseFaultQuery(search);
  const page = query.text === '' ? undefined : await findTypedPage(query.text, query.app);
  if (page === undefined && saysNoDigest(query.text)) redirect(lookUp(query));
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
