import 'server-only';

import type { Context, MiddlewareHandler, Next } from 'hono';

import { serverSettings } from '#src/http/server-settings.ts';

/**
 * Says on every page that nobody has to sign in, while that is so: prerendered pages, error pages and refusals too, and
 * without JavaScript. It is written into the HTML on its way out, so it costs nothing where the login is on.
 *
 * An element of no known name: React passes over what it does not expect at the top of the body, and would take a
 * paragraph for its own.
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

/** Holds back what precedes the body, which React writes at once, and nothing behind it. */
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

/** The answer has to come whole and unpacked, and must not be what the browser got when the login was on. */
function askForWhole(request: Request): Request {
  const headers = new Headers(request.headers);
  headers.delete('accept-encoding');
  headers.delete('if-none-match');
  return new Request(request.url, { method: request.method, headers, signal: request.signal });
}

async function addNotice(c: Context, next: Next): Promise<void> {
  const { method } = c.req;
  const mayBeDocument = method === 'GET' && (c.req.header('accept') ?? '').includes('text/html');
  if (mayBeDocument) c.req.raw = askForWhole(c.req.raw);
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
