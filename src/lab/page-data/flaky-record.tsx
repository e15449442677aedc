import 'server-only';

import { randomUUID } from 'node:crypto';

import { unstable_getHeaders as getHeaders, unstable_notFound as notFound } from 'waku/router/server';

import { fetchPageData } from '#src/runtime/page-data/fetch-page-data.ts';
import { isPageDataError } from '#src/runtime/page-data/page-data-error.ts';

import { upstreamUrl } from './flaky-upstream.ts';

function readCalls(data: unknown): number {
  const calls = typeof data === 'object' && data !== null && 'calls' in data ? data.calls : undefined;
  if (typeof calls !== 'number') throw new Error('The upstream answered without the number of its calls');
  return calls;
}

async function fetchCalls(query: URLSearchParams): Promise<number> {
  // A key of its own: each rendering sees the upstream fail anew.
  const url = upstreamUrl(new URLSearchParams([...query, ['key', randomUUID()]]));
  try {
    // The upstream is this server, and asks who is there like every page of it.
    const response = await fetchPageData(url, { headers: { cookie: getHeaders()['cookie'] ?? '' } });
    return readCalls(await response.json());
  } catch (error) {
    if (isPageDataError(error) && error.status === 404) notFound();
    throw error;
  }
}

/** The data of the page, and how many times the upstream had to be asked for it. */
export async function FlakyRecord({ query }: { query: URLSearchParams }) {
  return (
    <p>
      The data came on attempt <output data-testid="attempts">{await fetchCalls(query)}</output>.
    </p>
  );
}
