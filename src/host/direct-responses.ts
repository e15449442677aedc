import 'server-only';

import { ServerResponse, type OutgoingHttpHeaders } from 'node:http';

import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';

import { findBody, sendBody, type Body } from '#src/runtime/renderer/body.ts';

/**
 * Rendered pages go from the renderer to Node's response without a web stream (see runtime/renderer/body.ts), after
 * every middleware has seen them as an ordinary `Response`: status and headers are read from what the middleware left.
 */
const keptBody = Symbol('kept body');

// Hono's server looks for the mark on a response that is not one of its own light ones; reading the body makes it so.
const alreadySent = RESPONSE_ALREADY_SENT;
if (alreadySent.body !== null) throw new Error("Hono's mark for a response that is already sent has a body");

function toOutgoingHeaders(headers: Headers): OutgoingHttpHeaders {
  const outgoing: OutgoingHttpHeaders = Object.fromEntries(headers);
  const cookies = headers.getSetCookie();
  if (cookies.length > 0) outgoing['set-cookie'] = cookies;
  return outgoing;
}

/** Node's response, which Hono's server passes beside the request; HTTP/2's is another class and keeps to streams. */
function readOutgoing(env: object): ServerResponse | undefined {
  return 'outgoing' in env && env.outgoing instanceof ServerResponse ? env.outgoing : undefined;
}

/**
 * Says that a GET has no body. Waku asks for it with every payload, and Hono's light request makes a whole `Request` to
 * answer, whose clean-up then keeps the abort signal in memory until the next full garbage collection.
 */
export function markBodyless(request: Request): void {
  const isBodyless = request.method === 'GET' || request.method === 'HEAD';
  if (isBodyless) Object.defineProperty(request, 'body', { value: null });
}

/** Remembers the body behind Waku's response. For HEAD nobody will read it, so its rendering stops. */
export function keepBody(response: Response, method: string, env: object): void {
  const body = findBody(response);
  if (!body) return;
  if (method === 'HEAD') return body.cancel();
  const outgoing = readOutgoing(env);
  if (outgoing) Object.assign(outgoing, { [keptBody]: body });
}

/** Sends `response` when it still has the kept body; any other one is returned for Hono's server to send. */
export function sendDirectly(response: Response, env: object): Response {
  const outgoing = readOutgoing(env);
  const body: Body | undefined = outgoing && Reflect.get(outgoing, keptBody);
  // A middleware that put another body in its place reads ours through its web stream, or has no use for it.
  if (!outgoing || !body || findBody(response) !== body) return response;
  sendBody(body, outgoing, response.status, toOutgoingHeaders(response.headers));
  return alreadySent;
}
