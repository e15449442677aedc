import { unstable_redirect as redirect } from 'waku/router/server';

import { parseAppQuery } from '#src/ui/app-query.ts';
import { findTypedPage } from '#src/faults/interface/faults/find-typed-page.ts';
import { parseAskedQuery } from '#src/faults/interface/error/asked-query.ts';
import { NearDigests } from '#src/faults/interface/error/near-digests.tsx';
import { WithoutDigest } from '#src/faults/interface/error/without-digest.tsx';
import { readExampleDigest } from '#src/pages/_components/home/read-example-digest.ts';
import { SearchForm } from '#src/ui/search-form.tsx';
import { findNearDigests } from '#src/faults/digests/find-digest.ts';
import { listWithoutDigest, saysNoDigest } from '#src/faults/digests/list-without-digest.ts';
import { longestPasted, readCodes } from '#src/faults/digests/read-code.ts';

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
  const saysNone = saysNoDigest(typed);
  const near = typed === '' || saysNone ? [] : await findNearDigests(typed);
  const asked = parseAskedQuery(query);
  const now = Date.now();
  const example = await readExampleDigest(app);
  return (
    <div className="stack-5">
      <title>Look up a digest · Flight Recorder</title>
      <h1>Look up a digest</h1>
      {typed === '' || saysNone ? (
        <SearchForm app={app} typed={typed} example={example} isFirst />
      ) : (
        <SearchForm app={app} typed={typed} example={example} problem={describeProblem(codes, near.length)} isFirst />
      )}
      <NearDigests digests={near} now={now} />
      {saysNone ? (
        <WithoutDigest typed={typed} query={asked} errors={await listWithoutDigest(app, asked.asked)} now={now} />
      ) : null}
    </div>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}
