import 'server-only';

import type { MiddlewareHandler } from 'hono';

import { createContext, createRequestId, formatTrace } from '#src/http/create-request-context.ts';
import type { FileRule } from '#src/http/file-rule.ts';
import { actionHeader, pageHeader, requestIdHeader } from '#src/http/flight-headers.ts';
import { runInRequest, type RequestContext, type RequestHeaders } from '#src/http/request-context.ts';
import { noteRedirect } from '#src/runtime/reporting/breadcrumbs.ts';

/** What src/host has found out; in dev and in a test nobody has. */
function readAddress(env: unknown): string {
  if (typeof env !== 'object' || env === null || !('address' in env)) return '';
  return typeof env.address === 'string' ? env.address : '';
}

/** A form that the browser submitted itself is answered by a document, too. A file that is no page has no trace. */
function isDocument({ kind, isPlainFile }: RequestContext, headers: RequestHeaders): boolean {
  if (isPlainFile === true) return false;
  return kind === 'document' || (kind === 'action' && !headers.has(actionHeader));
}

/**
 * Gives each request its id, kind and trace, for everything that runs below. The trace of a document comes from here
 * and reaches the browser as `Server-Timing`, which works for prerendered pages too; the browser sends it back with
 * its navigations and actions.
 */
export function requestContext(): MiddlewareHandler {
  return async function requestContextMiddleware(c, next) {
    const { method, path, raw } = c.req;
    const { headers, signal } = raw;
    const arrived = { method, path, headers, address: readAddress(c.env), signal };
    const context = createContext(arrived, import.meta.env.PROD);
    await runInRequest(context, next);
    c.res.headers.set(requestIdHeader, context.id);
    const location = c.res.status >= 300 ? c.res.headers.get('location') : null;
    if (location !== null) noteRedirect(c.res.status, location, context);
    // The browser keeps a prefetched page as long as its kind allows; prerendered ones come with their own word.
    const isPageData = context.kind === 'navigation' || context.kind === 'prefetch';
    if (isPageData && !c.res.headers.has(pageHeader)) c.res.headers.set(pageHeader, 'dynamic');
    if (isDocument(context, headers)) c.res.headers.append('server-timing', formatTrace(context));
  };
}

/** Nothing waits for a file's client to go away: the file is in memory, and is sent at once. */
const neverAborted = new AbortController().signal;

export const requestContextOfFile: FileRule = {
  admits(file) {
    const { path, headers, prerendered } = file;
    if (!prerendered) return true;
    const arrived = { method: 'GET', path, headers, address: file.address(), signal: neverAborted };
    // No nonce: a file's policy names its scripts by their hashes.
    const context = createContext(arrived, false);
    context.prerendered = prerendered;
    file.context = context;
    return true;
  },
  send({ context, headers, answerHeaders }) {
    answerHeaders.push(requestIdHeader, context?.id ?? createRequestId());
    if (context && isDocument(context, headers)) answerHeaders.push('server-timing', formatTrace(context));
  },
};
