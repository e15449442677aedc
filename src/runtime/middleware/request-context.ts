import 'server-only';

import type { MiddlewareHandler } from 'hono';

import { healthPath, metricsPath, readyPath } from '#src/server/http/addresses.ts';
import { createContext, createRequestId, formatTrace } from '#src/server/http/create-request-context.ts';
import type { FileRule } from '#src/server/http/file-rule.ts';
import { findOutgoing } from '#src/server/http/find-outgoing.ts';
import { requestIdHeader } from '#report/sender/request-id-header.ts';
import { countRequest } from '#src/server/http/request-counts.ts';
import { runInRequest } from '#src/server/http/request-context.ts';
import { findVisitor } from '#src/server/http/visitor.ts';

import { isTraced, nameAnswer } from './name-answer.ts';

/** What src/server/adapter has found out; in dev and in a test nobody has. */
function readAddress(env: unknown): string {
  if (typeof env !== 'object' || env === null || !('address' in env)) return '';
  return typeof env.address === 'string' ? env.address : '';
}

const probes: ReadonlySet<string> = new Set([healthPath, readyPath, metricsPath]);

/**
 * Gives each request its id, kind and trace, for everything that runs below. The trace of a document comes from here
 * and reaches the browser as `Server-Timing`, which works for prerendered pages too; the browser sends it back with
 * its navigations and actions.
 */
export function requestContext(): MiddlewareHandler {
  return async function requestContextMiddleware(c, next) {
    const { method, path, raw } = c.req;
    const { headers, signal } = raw;
    const incoming = findOutgoing(c.env)?.req;
    const visitor = incoming && findVisitor(incoming);
    const arrived = { method, path, headers, address: readAddress(c.env), signal, visitor };
    const context = createContext(arrived, import.meta.env.PROD);
    await runInRequest(context, next);
    nameAnswer(context, headers, c.res);
    countRequest(probes.has(path) ? 'probe' : context.kind, c.res.status);
  };
}

/** Nothing waits for a file's client to go away: the file is in memory, and is sent at once. */
const neverAborted = new AbortController().signal;

export const requestContextOfFile: FileRule = {
  admits(file) {
    const { path, headers, prerendered } = file;
    if (!prerendered) return true;
    const visitor = findVisitor(file.outgoing.req);
    const arrived = { method: 'GET', path, headers, address: file.address(), signal: neverAborted, visitor };
    // No nonce: a file's policy names its scripts by their hashes.
    const context = createContext(arrived, false);
    context.prerendered = prerendered;
    file.context = context;
    return true;
  },
  send({ context, headers, answerHeaders }) {
    answerHeaders.push(requestIdHeader, context?.id ?? createRequestId());
    if (context && isTraced(context, headers)) answerHeaders.push('server-timing', formatTrace(context));
    return (status) => countRequest(context?.kind ?? 'file', status);
  },
};
