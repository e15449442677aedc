import 'server-only';

import { noteFact } from '../reporting/breadcrumbs.ts';
import { currentRequest } from '#src/server/http/request-context.ts';
import { runtimeSettings } from '../settings.ts';
import { createPageDataError, isPageDataError, redactUrl, type PageDataFailure } from './page-data-error.ts';
import { addTraceHeaders, type Propagation } from './trace-headers.ts';

/**
 * `fetch` for the data that a page needs while it renders on the server. Upstreams restart and have short failures, and
 * a page that fails because of one has to be loaded again by hand. So a 5xx or a broken connection is tried again, a
 * few times and not for long. Any other answer is final. Only the server retries. A page that still fails is an error
 * page.
 *
 * All waiting ends with the request for which the page is rendered, with the caller's signal, and at the deadline. The
 * deadline covers the body too: a stalled upstream must not hold the page open for ever.
 */
export type PageDataInit = Omit<RequestInit, 'method' | 'body'> & {
  readonly method?: 'GET' | 'HEAD';
  /**
   * What the upstream is told about the visitor's trace. `everything` is right unless the upstream belongs to somebody
   * else.
   */
  readonly propagate?: Propagation;
};

/** From the first attempt to the end of the body. A visitor who waited this long has given up. */
const deadlineMs = 10_000;
/** Half fixed, half random, doubled each time: 50 to 100, 100 to 200 and 200 to 400 ms with three retries. */
const firstDelayMs = 100;
/**
 * A longer `Retry-After` ends the retries. The page would be late, and retrying earlier would ignore the upstream's
 * wish.
 */
const longestRetryAfterMs = 2_000;

type Attempt =
  | { readonly outcome: 'answer'; readonly response: Response }
  | {
      readonly outcome: 'failure';
      readonly failure: PageDataFailure;
      readonly retryAfterMs: number | undefined;
      readonly cause?: unknown;
    };

/** Finds everything that is wrong with the call itself. Otherwise it would be retried like a failed network. */
function createRequest(url: string | URL, init: PageDataInit): Request {
  const method: string = init.method ?? 'GET';
  if (method !== 'GET' && method !== 'HEAD') {
    throw new TypeError(`fetchPageData retries, so it takes GET and HEAD only, not ${method}`);
  }
  if ('body' in init && init.body !== undefined && init.body !== null) {
    throw new TypeError('fetchPageData takes no body');
  }
  const parsed = new URL(url);
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:') {
    throw new TypeError(`fetchPageData takes http and https addresses, not ${parsed.protocol}`);
  }
  return new Request(parsed, init);
}

/**
 * `Retry-After` as milliseconds from now: a number of seconds or a date; undefined when it is neither. RFC 9110, 10.2.3
 */
export function readRetryAfter(header: string | null): number | undefined {
  if (header === null) return undefined;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

/** @param retry 1 for the first one */
function pickDelay(retry: number, retryAfterMs: number | undefined): number {
  const full = firstDelayMs * 2 ** (retry - 1);
  const jittered = full / 2 + Math.random() * (full / 2);
  return Math.max(jittered, retryAfterMs ?? 0);
}

async function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  signal.addEventListener('abort', () => resolve(), { once: true });
  await promise;
  clearTimeout(timer);
  signal.throwIfAborted();
}

/** Why no answer came: the system's code (`ECONNREFUSED`), which `fetch` keeps in its error's cause. */
function describeBreak(error: unknown): string {
  if (isPageDataError(error)) return error.reason;
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (typeof cause === 'object' && cause !== null && 'code' in cause && typeof cause.code === 'string') {
    return cause.code;
  }
  return cause instanceof Error ? cause.name : 'aborted';
}

async function attemptOnce(request: Request, attempts: number, signal: AbortSignal): Promise<Attempt> {
  const asked = redactUrl(new URL(request.url));
  let response: Response;
  try {
    response = await fetch(request, { signal });
  } catch (error) {
    signal.throwIfAborted();
    const failure = { url: asked, status: undefined, attempts, reason: 'connection' } as const;
    return { outcome: 'failure', failure, retryAfterMs: undefined, cause: error };
  }
  if (response.ok) return { outcome: 'answer', response };
  const retryAfterMs = readRetryAfter(response.headers.get('retry-after'));
  // Until its body is read or cancelled, a connection cannot be used again. A body that broke off already rejects here
  // with that failure. It is ignored: the status counts, and nobody needs the rest.
  await response.body?.cancel().catch(() => undefined);
  const failure = { url: asked, status: response.status, attempts, reason: 'status' } as const;
  return { outcome: 'failure', failure, retryAfterMs };
}

function isWorthRetrying({ status }: PageDataFailure): boolean {
  return status === undefined || status >= 500;
}

/**
 * @param url absolute, http or https
 * @param init as for `fetch`, without a body; its `signal` ends attempts and waiting
 * @returns an answer that is `ok`; its body must be read or cancelled
 * @throws PageDataError for every other answer, and when none came; turn `error.status === 404` into
 *   `unstable_notFound()`. TypeError at once for a wrong call. The abort reason when a signal ended it.
 */
export async function fetchPageData(
  url: string | URL,
  { propagate = 'everything', ...init }: PageDataInit = {},
): Promise<Response> {
  const request = createRequest(url, init);
  const page = currentRequest();
  if (page) addTraceHeaders(request.headers, page, propagate);
  const deadline = new AbortController();
  let last: PageDataFailure = {
    url: redactUrl(new URL(request.url)),
    status: undefined,
    attempts: 0,
    reason: 'connection',
  };
  const end = Date.now() + deadlineMs;
  const timer = setTimeout(() => deadline.abort(createPageDataError({ ...last, reason: 'deadline' })), deadlineMs);
  timer.unref();
  const outer = [page?.signal, init.signal].filter((signal) => signal instanceof AbortSignal);
  const signal = AbortSignal.any([...outer, deadline.signal]);

  let began = 0;
  function note(result: number | string, waitMs?: number): void {
    const time = Date.now();
    const fact = { type: 'page-data', url: request.url, attempt: last.attempts, result, waitMs } as const;
    noteFact({ ...fact, time, ms: time - began }, page);
  }

  try {
    for (let attempts = 1; ; attempts++) {
      signal.throwIfAborted();
      last = { ...last, attempts };
      began = Date.now();
      const attempt = await attemptOnce(request, attempts, signal).catch((reason: unknown) => {
        note(describeBreak(reason));
        throw reason;
      });
      if (attempt.outcome === 'answer') {
        note(attempt.response.status);
        return attempt.response;
      }
      last = attempt.failure;
      const delay = pickDelay(attempts, attempt.retryAfterMs);
      const mayRetry =
        isWorthRetrying(last) &&
        attempts <= runtimeSettings.pageDataRetries &&
        (attempt.retryAfterMs ?? 0) <= longestRetryAfterMs &&
        Date.now() + delay < end;
      note(last.status ?? describeBreak(attempt.cause), mayRetry ? Math.round(delay) : undefined);
      if (!mayRetry) throw createPageDataError(last, attempt.cause);
      await waitFor(delay, signal);
    }
  } catch (error) {
    clearTimeout(timer);
    throw error;
  }
}
