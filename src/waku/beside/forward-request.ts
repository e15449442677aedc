import type { IncomingMessage } from 'node:http';

import type { Visitor } from '#src/server/http/visitor.ts';

import { askInterface, type Place } from './ask-interface.ts';
import { readFraming, toBody } from './read-framing.ts';
import { refuseVisitor } from './refuse-visitor.ts';
import { toDownstreamHeaders, toUpstreamHeaders } from './write-head.ts';

/** The interface that answers now, and what it wants to know of a visitor's request. */
export type Upstream = { readonly place: Place; readonly door: string };

/** Statuses whose answers have no body: Fetch's "null body statuses". */
const bodyless: ReadonlySet<number> = new Set([101, 103, 204, 205, 304]);

/**
 * Whoever reads slower sets the pace. An answer that breaks off breaks off for the visitor, too: their connection is ended here,
 * where it is known. @hono/node-server would print a stack into the app's output for a body that fails.
 */
function toWebBody(answer: IncomingMessage, visitors: IncomingMessage | undefined): ReadableStream<Uint8Array> {
  const pieces: AsyncIterator<unknown> = answer[Symbol.asyncIterator]();

  async function pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    try {
      const { done, value } = await pieces.next();
      if (done === true) controller.close();
      else if (value instanceof Uint8Array) controller.enqueue(value);
    } catch (error) {
      if (!visitors) throw error;
      visitors.socket.destroy();
      controller.close();
    }
  }

  return new ReadableStream<Uint8Array>({ pull, cancel: () => void answer.destroy() }, { highWaterMark: 0 });
}

/** @throws when the interface gives no answer */
export async function forwardRequest(
  request: Request,
  incoming: IncomingMessage | undefined,
  visitor: Visitor,
  { place, door }: Upstream,
): Promise<Response> {
  const { method, body, signal } = request;
  const { pathname, search } = new URL(request.url);
  const raw = incoming?.rawHeaders ?? [...request.headers].flat();
  // As it came: the interface refuses what can be read in two ways, and must see it.
  const target = incoming?.url ?? pathname + search;
  const isFramedElsewhere = !incoming || incoming.httpVersionMajor > 1;
  const framing = readFraming({ method, target, headers: raw, isFramedElsewhere });
  if (framing.type === 'refused') {
    const refusal = refuseVisitor(framing.status);
    return new Response(method === 'HEAD' ? null : refusal.body, refusal);
  }
  const upstream = await askInterface(place, {
    method,
    target,
    headers: toUpstreamHeaders(raw, visitor, door),
    body: body ? toBody(framing, body) : undefined,
    signal,
  });
  const status = upstream.statusCode ?? 502;
  const headers = new Headers();
  for (const [name, value] of toDownstreamHeaders(upstream.rawHeaders)) headers.append(name, value);
  const hasBody = method !== 'HEAD' && !bodyless.has(status);
  if (!hasBody) upstream.resume();
  return new Response(hasBody ? toWebBody(upstream, incoming) : null, { status, headers });
}
