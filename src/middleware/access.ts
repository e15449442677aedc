import 'server-only';

import type { MiddlewareHandler } from 'hono';

import { actionHeader } from '#src/http/flight-headers.ts';
import { flightPrefix } from '#src/http/waku-addresses.ts';
import { homePath, loginPath } from '#src/http/addresses.ts';
import { findOperator } from '#src/operator/find-operator.ts';
import { isPublic } from '#src/operator/public-routes.ts';
import { refuse } from '#src/http/refuse.ts';
import { currentRequest } from '#src/http/request-context.ts';
import { splitUrl } from '#src/http/request-url.ts';

/**
 * Who may go on. Decided here once, before anything is rendered, decoded or read from a body, and by default with no:
 * what a path means is not asked, only whether exactly this path is public. A rule that matched the operator's paths
 * would miss the other ways to the same page (its payload, a second slash, an escaped letter, an action that renders
 * it); a rule that names the public ones cannot.
 *
 * `requireOperator` decides again where data is read, for the request that got past this.
 */
function isDocument(request: Request): boolean {
  const mode = request.headers.get('sec-fetch-mode');
  return mode === null ? (request.headers.get('accept') ?? '').includes('text/html') : mode === 'navigate';
}

function isPayload(request: Request, pathname: string): boolean {
  return pathname.startsWith(flightPrefix) || request.headers.has(actionHeader);
}

/**
 * A browser's own navigation goes to the login page and, once signed in, comes back. Whatever a script asked for gets a
 * status that it can act on, and a submitted form a page that does not throw away what was typed.
 */
function turnAway(request: Request): Response {
  const { pathname, search } = splitUrl(request.url);
  const headers = { vary: 'Cookie', 'www-authenticate': 'Cookie realm="operator"' };
  if (!isDocument(request) || isPayload(request, pathname)) {
    return refuse('not-signed-in', 'json', 'no session', headers);
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return refuse('not-signed-in', 'page', 'no session', headers);
  }
  const wanted = pathname + search;
  return new Response(null, {
    status: 303,
    headers: {
      location: wanted === homePath ? loginPath : `${loginPath}?next=${encodeURIComponent(wanted)}`,
      'cache-control': 'private, no-store',
      vary: 'Cookie',
    },
  });
}

/** Stands below the middlewares that answer strangers, and above everything else. */
export function access(): MiddlewareHandler {
  return async function accessMiddleware(c, next) {
    const request = c.req.raw;
    const context = currentRequest();
    if (!context) throw new Error('The middleware "access" stands below "requestContext"');
    // The URL as it came: `c.req.path` is decoded, and would make another spelling of a public path public.
    const isOpen = isPublic(request.method, splitUrl(request.url).pathname);
    const cookie = request.headers.get('cookie');
    context.operator = await findOperator(cookie);
    if (isOpen || context.operator) return next();
    return turnAway(request);
  };
}
