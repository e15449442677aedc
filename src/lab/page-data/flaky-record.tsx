import 'server-only';

import { randomUUID } from 'node:crypto';

import { unstable_getHeaders as getHeaders, unstable_notFound as notFound } from 'waku/router/server';

import { fetchPageData } from '#src/runtime/page-data/fetch-page-data.ts';
import { addBreadcrumb } from '#src/runtime/reporting/breadcrumbs.ts';
import { isPageDataError } from '#src/runtime/page-data/page-data-error.ts';

import { readFailures, upstreamUrl } from './flaky-upstream.ts';

type FlakyAnswer = {
  readonly calls: number;
  /** The headers that the upstream was asked with. */
  readonly trace: string;
  readonly baggage: string;
};

function isFlakyAnswer(data: unknown): data is FlakyAnswer {
  const isAnswer = typeof data === 'object' && data !== null && 'calls' in data && 'trace' in data && 'baggage' in data;
  if (!isAnswer) return false;
  return typeof data.calls === 'number' && typeof data.trace === 'string' && typeof data.baggage === 'string';
}

async function fetchAnswer(query: URLSearchParams): Promise<FlakyAnswer> {
  // Each rendering has its own key, so it sees the upstream fail anew.
  const url = upstreamUrl(new URLSearchParams([...query, ['key', randomUUID()]]));
  addBreadcrumb({ category: 'lab', message: 'Wanted a record', data: { failures: readFailures(query) } });
  try {
    // The upstream is this server. It asks for a session, as on every page, so the cookie is sent along.
    const response = await fetchPageData(url, { headers: { cookie: getHeaders()['cookie'] ?? '' } });
    const data: unknown = await response.json();
    if (!isFlakyAnswer(data)) throw new Error('The upstream answered something else');
    return data;
  } catch (error) {
    if (isPageDataError(error) && error.status === 404) notFound();
    throw error;
  }
}

/** How many times the upstream had to be asked, and which trace headers it received. */
export async function FlakyRecord({ query }: { query: URLSearchParams }) {
  const { calls, trace, baggage } = await fetchAnswer(query);
  return (
    <>
      <p>
        The data came on attempt <output data-testid="attempts">{calls}</output>.
      </p>
      <p>
        The upstream was told the trace <output data-testid="trace">{trace}</output> and the baggage{' '}
        <output data-testid="baggage">{baggage}</output>.
      </p>
    </>
  );
}
