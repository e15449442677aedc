import 'server-only';

import type { MiddlewareHandler } from 'hono';

import { actionHeader } from '#src/server/http/flight-headers.ts';
import { flightPrefix } from '#src/server/http/waku-addresses.ts';
import { loginPath } from '#src/server/http/addresses.ts';
import { isHome } from '#src/server/http/mounted.ts';
import { askOperator } from '#src/access/find-operator.ts';
import { isPublic } from '#src/access/public-routes.ts';
import type { FileRule } from '#src/server/http/file-rule.ts';
import { refuse } from '#src/server/http/refuse.ts';
import {
  currentRequest,
  runInRequest,
  type RequestContext,
  type RequestHeaders,
} from '#src/server/http/request-context.ts';
import { splitUrl } from '#src/server/http/request-url.ts';

import { answerGone } from '#src/server/middleware/database-gone.ts';

/**
 * Decides once who may go on, before anything is rendered, decoded or read from a body. The default is no: the one question
 * is whether exactly this path is public. A rule that matched the operator's paths would miss the other ways to the same
 * page (its payload, a second slash, an escaped letter, an action that renders it); a list of public paths cannot.
 *
 * `requireOperator` decides again where data is read, should a request get past this.
 */
function isDocument(request: Request): boolean {
  const mode = request.headers.get('sec-fetch-mode');
  return mode === null ? (request.headers.get('accept') ?? '').includes('text/html') : mode === 'navigate';
}

function isPayload(request: Request, pathname: string): boolean {
  return pathname.startsWith(flightPrefix) || request.headers.has(actionHeader);
}

/**
 * A browser's own navigation goes to the login page and, after the sign-in, comes back. A script's request gets a status
 * that the script can act on, and a submitted form gets a page from which the form can be sent again.
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
      location: isHome(wanted) ? loginPath : `${loginPath}?next=${encodeURIComponent(wanted)}`,
      'cache-control': 'private, no-store',
      vary: 'Cookie',
    },
  });
}

type Visit = {
  readonly method: string;
  /** As it came: decoded, another spelling of a public path would be public. */
  readonly pathname: string;
  readonly headers: RequestHeaders;
};

/** `unknown`: as `askOperator` says it. */
async function decide(context: RequestContext, visit: Visit): Promise<'pass' | 'stranger' | 'unknown'> {
  const { method, pathname, headers } = visit;
  const asked = await askOperator(headers.get('cookie'));
  context.operator = asked === 'unknown' ? undefined : asked;
  if (context.operator !== undefined || isPublic(method, pathname)) return 'pass';
  return asked === 'unknown' ? 'unknown' : 'stranger';
}

/** Stands below the middlewares that answer strangers, and above everything else. */
export function access(): MiddlewareHandler {
  return async function accessMiddleware(c, next) {
    const request = c.req.raw;
    const context = currentRequest();
    if (!context) throw new Error('The middleware "access" stands below "requestContext"');
    // Not the context's method: a form that failed becomes a GET of the login page.
    const { method, headers, url } = request;
    switch (await decide(context, { method, pathname: splitUrl(url).pathname, headers })) {
      case 'pass':
        return next();
      case 'stranger':
        return turnAway(request);
      case 'unknown':
        return answerGone(request);
    }
  };
}

export const accessOfFile: FileRule = {
  admits({ context, path, headers }) {
    // Other files than pages have no context that could hold an operator: public ones pass for everybody.
    if (!context) return isPublic('GET', path);
    return runInRequest(context, async () => {
      return (await decide(context, { method: 'GET', pathname: path, headers })) === 'pass';
    });
  },
};
