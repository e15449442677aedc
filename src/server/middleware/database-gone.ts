import 'server-only';

import type { MiddlewareHandler } from 'hono';

import { decodePath, faviconPath, labPath, loginPath, protocolPath } from '#src/server/http/addresses.ts';
import type { FileRule } from '#src/server/http/file-rule.ts';
import { renderPlainPage } from '#src/server/http/plain-page.ts';
import { pageIcon, refuse, renderPage } from '#src/server/http/refuse.ts';
import { splitUrl } from '#src/server/http/request-url.ts';
import { assetPrefix, fromPayloadPath } from '#src/server/http/waku-addresses.ts';

/**
 * While the database does not answer, pages that read it say so at once: 503, and when to come back. They would otherwise wait for it,
 * one after the other, and then fail. What needs no database is served as ever. Closed by default: a page is answered so unless
 * it is named here.
 */
const retrySeconds = 5;

const needNothing: readonly string[] = [loginPath, labPath, decodePath, protocolPath];

function needsDatabase(pathname: string): boolean {
  if (pathname === faviconPath || pathname.startsWith(assetPrefix)) return false;
  const page = fromPayloadPath(pathname);
  return !needNothing.some((path) => page === path || page.startsWith(`${path}/`));
}

/** Renders a page with nothing that would have to be loaded. */
function renderGone(): Response {
  const { headers, body } = renderPage(
    renderPlainPage({
      title: 'The database does not answer',
      isAlert: true,
      head: `${pageIcon}<meta http-equiv="refresh" content="${retrySeconds}">\n`,
      content: `<p>This page reads it, and is loaded again every ${retrySeconds} seconds until it is back.</p>
<p>Errors are received meanwhile. They wait on this server’s disk and are written when the database is back.</p>`,
    }),
  );
  return new Response(body, { status: 503, headers: { ...headers, 'retry-after': String(retrySeconds) } });
}

export function answerGone({ method, url, headers }: Request): Response {
  const { pathname } = splitUrl(url);
  const isRead = method === 'GET' || method === 'HEAD';
  const isDocument = fromPayloadPath(pathname) === pathname && (headers.get('accept') ?? '').includes('text/html');
  if (isRead && isDocument) return renderGone();
  // A form that the browser itself submitted: its user reads the answer, and goes back to what was typed.
  const form = isDocument ? 'page' : 'json';
  return refuse('database-gone', form, `${method} ${pathname}`, { 'retry-after': String(retrySeconds) });
}

/** @param isAway whether the database is known not to answer */
export function databaseGone(isAway: () => boolean): MiddlewareHandler {
  return async function databaseGoneMiddleware(c, next) {
    if (!isAway()) return next();
    const { method, url } = c.req.raw;
    const isRead = method === 'GET' || method === 'HEAD';
    return isRead && !needsDatabase(splitUrl(url).pathname) ? next() : answerGone(c.req.raw);
  };
}

export function databaseGoneOfFile(isAway: () => boolean): FileRule {
  return { admits: ({ path }) => !isAway() || !needsDatabase(path) };
}
