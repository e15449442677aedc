import { unstable_redirect as redirect } from 'waku/router/server';

import { parseAppQuery } from '#src/components/app-query.ts';
import { findTypedPage } from '#src/components/faults/find-typed-page.ts';
import { NearDigests } from '#src/components/incident/near-digests.tsx';
import { SearchForm } from '#src/components/search-form.tsx';
import { findNearDigests } from '#src/reports/find-digest.ts';
import { longestPasted, readCodes } from '#src/reports/read-code.ts';

function describeProblem(codes: readonly string[], nearCount: number): string {
  if (codes.length === 0) return 'This cannot be a digest: no part of it looks like one.';
  if (nearCount > 0) return 'No error is stored under this digest. One of these may be meant.';
  return 'No error is stored under this digest. It was misread, or the error is too old, or its app does not report here.';
}

export default async function LookUpPage({ query }: { query: string }) {
  const typed = new URLSearchParams(query).get('code')?.trim().slice(0, longestPasted) ?? '';
  const codes = readCodes(typed);
  const app = parseAppQuery(query);
  const page = typed === '' ? undefined : await findTypedPage(typed, app);
  if (page !== undefined) redirect(page);
  const near = typed === '' ? [] : await findNearDigests(typed);
  return (
    <div className="stack-5">
      <title>Look up a digest · Flight Recorder</title>
      <h1>Look up a digest</h1>
      {typed === '' ? (
        <SearchForm app={app} isFirst />
      ) : (
        <SearchForm app={app} typed={typed} problem={describeProblem(codes, near.length)} isFirst />
      )}
      <NearDigests digests={near} now={Date.now()} />
    </div>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}
