import 'server-only';

import type { Context, MiddlewareHandler, Next } from 'hono';

import type { FileRule } from '#src/server/http/file-rule.ts';
import type { RequestHeaders } from '#src/server/http/request-context.ts';
import { serverSettings } from '#src/server/http/server-settings.ts';

/**
 * With the login off, every page says so: prerendered pages, error pages and refusals too, and without JavaScript. The
 * notice is written into the HTML while it is sent, so it costs nothing where the login is on.
 *
 * It is an element with an unknown name: React skips what it does not expect at the top of the body, but would take a
 * paragraph for one of its own.
 */
const notice = Buffer.from(
  '<flight-login-off role="note">Sign-in is off (FLIGHT_AUTH=off): whoever can use this machine is the operator.' +
    '</flight-login-off>',
);
const bodyTag = Buffer.from('<body');

/** Where the body's content begins; undefined while that has not arrived. */
function findContent(html: Buffer): number | undefined {
  const tag = html.indexOf(bodyTag);
  const end = tag === -1 ? -1 : html.indexOf('>', tag);
  return end === -1 ? undefined : end + 1;
}

/** Holds back what precedes the body, which React writes in one go, and nothing after it. */
function insertNotice(): TransformStream<Uint8Array, Uint8Array> {
  let held: Buffer | undefined = Buffer.alloc(0);
  return new TransformStream({
    transform(chunk, controller) {
      if (!held) return controller.enqueue(chunk);
      held = Buffer.concat([held, chunk]);
      const at = findContent(held);
      if (at === undefined) return undefined;
      controller.enqueue(Buffer.concat([held.subarray(0, at), notice, held.subarray(at)]));
      held = undefined;
      return undefined;
    },
    flush(controller) {
      // No body at all: the notice follows what there is.
      if (held) controller.enqueue(Buffer.concat([held, notice]));
    },
  });
}

/** The answer must come whole and uncompressed, and must not be a 304 for a page from when the login was on. */
function askForWhole(request: Request): Request {
  const headers = new Headers(request.headers);
  headers.delete('accept-encoding');
  headers.delete('if-none-match');
  return new Request(request.url, { method: request.method, headers, signal: request.signal });
}

function acceptsDocument(headers: RequestHeaders): boolean {
  return (headers.get('accept') ?? '').includes('text/html');
}

async function addNotice(c: Context, next: Next): Promise<void> {
  const { method, raw } = c.req;
  if (method === 'GET' && acceptsDocument(raw.headers)) c.req.raw = askForWhole(raw);
  await next();
  const { headers, body, status } = c.res;
  const isDocument = headers.get('content-type')?.startsWith('text/html') === true;
  if (!isDocument || !body || headers.has('content-encoding')) return;
  const own = new Headers(headers);
  own.delete('content-length');
  own.delete('etag');
  own.set('cache-control', 'private, no-store');
  c.res = undefined;
  c.res = new Response(body.pipeThrough(insertNotice()), { status, headers: own });
}

/** Stands right inside `requestContext`, so that it sees whatever answers. */
export function loginOffNotice(): MiddlewareHandler {
  return function loginOffNoticeMiddleware(c, next) {
    return serverSettings().auth === 'on' ? next() : addNotice(c, next);
  };
}

/** With the login off, a page is changed on its way out, and so is whatever was asked for as one. */
export const loginOffNoticeOfFile: FileRule = {
  admits: ({ prerendered, headers }) => serverSettings().auth === 'on' || !(prerendered || acceptsDocument(headers)),
};
