import 'server-only';

import { faultsPath } from '#src/server/http/addresses.ts';

import type { TriageResult } from './triage-result.ts';

/** Only its path and query are used, so the origin is never seen. */
const anyOrigin = 'http://page.invalid';

function readBack(value: unknown): URL {
  const fallback = new URL(faultsPath, anyOrigin);
  if (typeof value !== 'string' || !URL.canParse(value, anyOrigin)) return fallback;
  const url = new URL(value, anyOrigin);
  // A path that begins with two slashes would be another host.
  return url.origin === anyOrigin && !url.pathname.startsWith('//') ? url : fallback;
}

/**
 * Where a form of faults leads, and what the page there says of it: see read-notice.ts.
 * @param back the form's field `back`: the address of its page with its query. An address elsewhere leads to the list.
 */
export function backTo(back: unknown, result: TriageResult): string {
  const url = readBack(back);
  url.searchParams.set('done', describeResult(result));
  return `${url.pathname}${url.search}`;
}

function describeResult(result: TriageResult): string {
  switch (result.type) {
    case 'done':
      return result.batch;
    case 'unchanged':
      return 'unchanged';
    case 'refused':
      return result.reason;
  }
}
