import type { useRegisterRscEnhancer_UNSTABLE } from 'waku/minimal/client';

import { isDigest } from '#report/digest.ts';
import { createServerError } from '../errors/server-error.ts';
import { createRefusedError, readRefusal, type Refusal } from './action-errors.ts';
import { showRefusal } from './latest-refusal.ts';
import { actionHeader, digestHeader } from '#src/server/http/flight-headers.ts';
import { isRefusalCode } from '#src/server/http/refusals.ts';

/**
 * A server action is a POST to the page it was called on, at the moment it was called: `POST /orders?page=2` with the
 * action's id in a header. So a log, a proxy rule or an access policy sees the page, not a path of the framework's.
 *
 * Each call is a request of its own, sent at once: calls do not wait for each other, and no navigation of the router
 * cancels them. Small ones also outlive a document navigation (`keepalive`).
 */
type Enhancer = Parameters<ReturnType<typeof useRegisterRscEnhancer_UNSTABLE>>[0];

/**
 * Browsers allow 64 KiB of `keepalive` bodies in flight and fail the request that would exceed it; the rest is for
 * other senders, such as error reports. https://fetch.spec.whatwg.org/#http-network-or-cache-fetch
 */
const keepaliveBudget = 32 * 1024;
let keepaliveBytes = 0;

function measureText(body: unknown): number {
  // A UTF-16 unit is at most three bytes of UTF-8. FormData is left out: its files cannot be measured cheaply.
  return typeof body === 'string' ? body.length * 3 : Number.POSITIVE_INFINITY;
}

async function withKeepalive(init: RequestInit, post: (init: RequestInit) => Promise<Response>): Promise<Response> {
  const bytes = measureText(init.body);
  if (keepaliveBytes + bytes > keepaliveBudget) return post(init);
  keepaliveBytes += bytes;
  try {
    return await post({ ...init, keepalive: true });
  } finally {
    keepaliveBytes -= bytes;
  }
}

async function readRefusalBody(response: Response): Promise<Refusal> {
  const text = await response.text();
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    // Not an answer of this server: `unexpected`, with the status.
    return { code: 'unexpected', status: response.status };
  }
  const error = typeof body === 'object' && body !== null && 'error' in body ? body.error : undefined;
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return isRefusalCode(code) ? { code } : { code: 'unexpected', status: response.status };
}

function refused(refusal: Refusal, cause?: unknown): Error {
  showRefusal(refusal);
  return createRefusedError(refusal, cause);
}

async function send(transport: typeof fetch, pageUrl: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await withKeepalive(init, (allowed) => transport(pageUrl, allowed));
  } catch (error) {
    // In this use, `fetch` rejects with a TypeError for a failed connection alone.
    if (error instanceof TypeError) throw refused({ code: 'unreachable' }, error);
    throw error;
  }
  if (response.ok) return response;
  const digest = response.headers.get(digestHeader);
  if (isDigest(digest)) {
    await response.body?.cancel();
    throw createServerError('ServerActionError', 'The server action failed. The server log has the cause.', digest);
  }
  throw refused(await readRefusalBody(response));
}

/**
 * Whether a form calls: React gives a form's data as the last argument. React treats a form's action that rejects as a
 * crash of the page, so for a form a refusal is no rejection but a call without an answer. What `useActionState` gives comes
 * before the data: the state, which stays as it was.
 */
function isOfForm(args: unknown): args is unknown[] {
  return Array.isArray(args) && args.at(-1) instanceof FormData;
}

/** For Waku's Root. Called synchronously when an action is: that is when the page's URL has to be read. */
export const postToPageUrl: Enhancer = (next) => async (rscPath, rscParams, options) => {
  if (options.type !== 'call') return next(rscPath, rscParams, options);
  const pageUrl = window.location.pathname + window.location.search;
  try {
    const result = await next(rscPath, rscParams, {
      ...options,
      fetch(_input, init) {
        const headers = new Headers(init?.headers);
        headers.set(actionHeader, rscPath.slice('F/'.length));
        return send(options.fetch, pageUrl, { ...init, headers });
      },
    });
    showRefusal(undefined);
    return result;
  } catch (error) {
    if (readRefusal(error) && isOfForm(rscParams)) return { elements: {}, value: rscParams.at(-2) };
    throw error;
  }
};
