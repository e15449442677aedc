import 'server-only';

import type { Context, MiddlewareHandler } from 'hono';

import { noteUsage } from '#src/recorder/recorder.ts';
import { readRequestIds } from '#src/recorder/request-facts.ts';
import { checkOrigin } from '#src/http/check-request.ts';
import { writeLog } from '#src/http/log.ts';
import { usedAtOnce } from '#src/http/flight-headers.ts';

import { closeConnection, readBody } from '#src/http/read-body.ts';

/**
 * Where a document that is being closed says which of its prefetches were shown. It stands below `access`: whoever may
 * ask for a page may say so. What can be said is bounded: one trace, twenty ids, each 128 random bits that only the browser which made
 * the prefetch was told. It changes two times of day in the recording and reads nothing.
 */

/** A trace and twenty prefetches, of 32 characters each: 692 bytes. */
const idsLimit = 1 + usedAtOnce;
const bodyLimit = 1024;

function refuse(c: Context, status: 400 | 403 | 405 | 408 | 413, detail: string): Response {
  writeLog('warn', 'flight-usage-refused', { status, detail });
  const headers = status === 405 ? { allow: 'POST' } : status === 408 ? closeConnection : {};
  return c.json({ detail }, status, { 'cache-control': 'no-store', ...headers });
}

async function takeUsage(c: Context): Promise<Response> {
  if (c.req.method !== 'POST') return refuse(c, 405, 'only POST');
  const refused = checkOrigin(c.req.raw);
  if (refused) return refuse(c, 403, refused.detail);
  if (Number(c.req.header('content-length') ?? 0) > bodyLimit) return refuse(c, 413, 'body is too large');
  const read = await readBody(c.req.raw, bodyLimit);
  switch (read.outcome) {
    case 'complete':
      break;
    case 'too-large':
      return refuse(c, 413, 'body is too large');
    case 'too-slow':
      return refuse(c, 408, 'body did not arrive in time');
    case 'broken':
      return refuse(c, 400, 'body ended early');
  }
  const [closedTrace, ...used] = readRequestIds(new TextDecoder().decode(read.body), idsLimit);
  if (closedTrace === undefined) return refuse(c, 400, 'no trace id');
  noteUsage({ time: Date.now(), used, closedTrace });
  return c.body(null, 204);
}

/** @param path other paths are not its business */
export function flightUsage(path: string): MiddlewareHandler {
  return function flightUsageMiddleware(c, next) {
    return c.req.path === path ? takeUsage(c) : next();
  };
}
