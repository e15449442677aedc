import 'server-only';

import { toOutgoingHeaders } from '#src/server/adapter/to-outgoing-headers.ts';
import { findOutgoing } from '#src/server/http/find-outgoing.ts';
import type { RequestContext } from '#src/server/http/request-context.ts';
import { findBody, sendBody } from '#src/server/http/body.ts';

/**
 * A page that our renderer has made goes to Node's response without a web stream, which costs as much as rendering it. All of the
 * app has seen it as an ordinary `Response` by then, and its status and headers are what the app left. A body that something
 * of the app has read or replaced (a middleware that compresses) goes the way of every other answer.
 */

/** By this header @hono/node-server, which Waku's adapter listens with, knows that there is nothing left to send. */
const alreadySent = new Response(null, { headers: { 'x-hono-already-sent': 'true' } });

/** @returns what the app's server has to send */
export async function sendRendered(response: Response, context: RequestContext, env: unknown): Promise<Response> {
  // To ask any other response for its body would make a web stream of it.
  const isRendered = context.breadcrumbs.some(({ type }) => type === 'render-began');
  if (!isRendered || context.method === 'HEAD') return response;
  const [body, outgoing] = [findBody(response), findOutgoing(env)];
  if (!body || !outgoing || outgoing.headersSent) return response;
  const held = body.settle?.();
  if (held) await held;
  sendBody(body, outgoing, response.status, toOutgoingHeaders(response.headers));
  return alreadySent;
}
