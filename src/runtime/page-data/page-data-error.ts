import 'server-only';

import { isQueryFlag } from '#src/server/http/query-flag.ts';

/** Why page data could not be fetched. */
export type PageDataFailure = {
  /** The URL that was requested, with the names but not the values of its query, and without credentials. */
  readonly url: string;
  /** The last answer's status; undefined when no answer came. */
  readonly status: number | undefined;
  /** Requests made: 1 when nothing was retried. */
  readonly attempts: number;
  readonly reason: 'status' | 'connection' | 'deadline';
};

export type PageDataError = Error & PageDataFailure & { readonly phase: 'page-data' };

function describeFailure({ url, status, attempts, reason }: PageDataFailure): string {
  const made = attempts === 1 ? '1 attempt' : `${attempts} attempts`;
  const last = status === undefined ? 'no answer' : `status ${status}`;
  switch (reason) {
    case 'status':
      return `Page data from ${url} failed: ${last} after ${made}`;
    case 'connection':
      return `Page data from ${url} failed: no connection after ${made}`;
    case 'deadline':
      return `Page data from ${url} took too long: ${last} after ${made}`;
  }
}

export function createPageDataError(failure: PageDataFailure, cause?: unknown): PageDataError {
  const error = new Error(describeFailure(failure), cause === undefined ? {} : { cause });
  error.name = 'PageDataError';
  return Object.assign(error, failure, { phase: 'page-data' as const });
}

export function isPageDataError(error: unknown): error is PageDataError {
  return error instanceof Error && 'phase' in error && error.phase === 'page-data';
}

/**
 * `https://me:secret@host/a?token=1&page=2#x` → `https://host/a?token&page`: query values are often secrets or names.
 */
export function redactUrl(url: URL): string {
  const keys = [...url.searchParams].map(([name, value]) => (value === '' && !isQueryFlag(name) ? '' : name));
  // A value that stands alone has no name.
  const names = [...new Set(keys)].map((name) => (name === '' ? '…' : encodeURIComponent(name)));
  return `${url.origin}${url.pathname}${names.length > 0 ? `?${names.join('&')}` : ''}`;
}
