import 'server-only';

import type { Context, MiddlewareHandler } from 'hono';

import { noteUsage } from '#src/recorder/recorder.ts';
import { readRequestIds } from '#src/recorder/request-facts.ts';
import { checkDeclaredLength, checkOrigin, type BodyLimit } from '#src/http/check-request.ts';
import { takeBody } from '#src/http/read-body.ts';
import { refuse } from '#src/http/refuse.ts';
import { usedAtOnce } from '#src/http/flight-headers.ts';

/**
 * Where a document that is being closed says which of its prefetches were shown. It stands below `access`: whoever may ask
 * for a page may say so. The message is bounded: one trace and twenty ids, each of 128 random bits that only the browser
 * which made the prefetch was told. It sets two times in the recording and reads nothing.
 */

/** A trace and twenty prefetches, of 32 characters each: 692 bytes. */
const idsLimit = 1 + usedAtOnce;
const bodyLimit: BodyLimit = { bytes: 1024, code: 'body-too-large' };

async function takeUsage(c: Context): Promise<Response> {
  const request = c.req.raw;
  if (request.method !== 'POST') return refuse('wrong-method', 'json', 'only POST', { allow: 'POST' });
  const refused = checkOrigin(request) ?? checkDeclaredLength(request, bodyLimit);
  if (refused) return refuse(refused.code, 'json', refused.detail);
  const body = await takeBody(request, bodyLimit);
  if ('code' in body) return refuse(body.code, 'json', body.detail);
  const [closedTrace, ...used] = readRequestIds(new TextDecoder().decode(body), idsLimit);
  if (closedTrace === undefined) return refuse('malformed-request', 'json', 'no trace id');
  noteUsage({ time: Date.now(), used, closedTrace });
  return c.body(null, 204);
}

/** @param path other paths pass */
export function flightUsage(path: string): MiddlewareHandler {
  return function flightUsageMiddleware(c, next) {
    return c.req.path === path ? takeUsage(c) : next();
  };
}
