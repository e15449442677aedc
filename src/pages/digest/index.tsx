import { unstable_redirect as redirect } from 'waku/router/server';

import { parseAppQuery } from '#src/components/app-query.ts';
import { NearDigests } from '#src/components/incident/near-digests.tsx';
import { LookUpForm } from '#src/components/look-up-form.tsx';
import { showDigest } from '#src/components/show-digest.ts';
import { digestPath } from '#src/http/addresses.ts';
import { findFlightsByDigest } from '#src/recorder/for-operator/queries.ts';
import { findDigest, findNearDigests } from '#src/reports/find-digest.ts';
import { longestPasted, readCodes } from '#src/reports/read-code.ts';
import { findUnkept } from '#src/reports/unkept-digests.ts';

/** The page of the digest in what was typed; undefined when nobody knows it. */
async function findPage(codes: readonly string[], app: string | undefined): Promise<string | undefined> {
  const holders = await findDigest(codes);
  const chosen = holders.length > 1 ? holders.find((one) => one.app === app) : undefined;
  const holder = chosen ?? holders[0];
  if (holder) return digestPath(showDigest(holder.digest, holder.app), chosen?.app);
  for (const code of codes) {
    if (findUnkept(code) || (await findFlightsByDigest(code)).length > 0) return digestPath(code);
  }
  return undefined;
}

function describeProblem(codes: readonly string[], nearCount: number): string {
  if (codes.length === 0) return 'This cannot be a digest: no part of it looks like one.';
  if (nearCount > 0) return 'No error is stored under this digest. One of these may be meant.';
  return 'No error is stored under this digest. It was misread, or the error is too old, or its app does not report here.';
}

export default async function LookUpPage({ query }: { query: string }) {
  const typed = new URLSearchParams(query).get('code')?.trim().slice(0, longestPasted) ?? '';
  const codes = readCodes(typed);
  const app = parseAppQuery(query);
  const page = await findPage(codes, app);
  if (page !== undefined) redirect(page);
  const near = typed === '' ? [] : await findNearDigests(typed);
  return (
    <div className="stack-5">
      <title>Look up a digest · Flight Recorder</title>
      <h1>Look up a digest</h1>
      {typed === '' ? (
        <LookUpForm app={app} />
      ) : (
        <LookUpForm app={app} typed={typed} problem={describeProblem(codes, near.length)} />
      )}
      <NearDigests digests={near} now={Date.now()} />
    </div>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}
