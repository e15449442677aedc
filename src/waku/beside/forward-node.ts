import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Visitor } from '#src/server/http/visitor.ts';

import { askInterface } from './ask-interface.ts';
import type { Upstream } from './forward-request.ts';
import { readFraming, toBody } from './read-framing.ts';
import { refuseVisitor } from './refuse-visitor.ts';
import { toDownstreamHeaders, toUpstreamHeaders } from './write-head.ts';

/** Vite takes the base off `url`, and Connect keeps what came. */
function readTarget(incoming: IncomingMessage): string {
  const original: unknown = Reflect.get(incoming, 'originalUrl');
  return typeof original === 'string' ? original : (incoming.url ?? '/');
}

function writeHead(outgoing: ServerResponse, upstream: IncomingMessage): void {
  outgoing.statusCode = upstream.statusCode ?? 502;
  const values = new Map<string, string[]>();
  for (const [name, value] of toDownstreamHeaders(upstream.rawHeaders)) {
    values.set(name, [...(values.get(name) ?? []), value]);
  }
  for (const [name, all] of values) outgoing.setHeader(name, all.length === 1 ? (all[0] ?? '') : all);
  // The first of server-sent events may take a while.
  outgoing.flushHeaders();
}

/** Reads a body to its end in any case: the visitor's connection may carry the next request. */
async function* readPieces(incoming: IncomingMessage): AsyncGenerator<unknown> {
  try {
    yield* incoming.iterator({ destroyOnReturn: false });
  } finally {
    incoming.resume();
  }
}

export function refuseNode({ method }: IncomingMessage, outgoing: ServerResponse, status: 400 | 405): void {
  const { headers, body } = refuseVisitor(status);
  outgoing.writeHead(status, { ...headers }).end(method === 'HEAD' ? undefined : body);
}

/** @throws when the interface gives no answer */
export async function forwardNode(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  visitor: Visitor,
  { place, door }: Upstream,
): Promise<void> {
  const { method = 'GET', httpVersionMajor, rawHeaders } = incoming;
  const target = readTarget(incoming);
  const framing = readFraming({ method, target, headers: rawHeaders, isFramedElsewhere: httpVersionMajor > 1 });
  if (framing.type === 'refused') return refuseNode(incoming, outgoing, framing.status);
  const left = new AbortController();
  outgoing.on('close', () => left.abort());
  const upstream = await askInterface(place, {
    method,
    target,
    headers: toUpstreamHeaders(rawHeaders, visitor, door),
    body: toBody(framing, readPieces(incoming)),
    signal: left.signal,
  });
  writeHead(outgoing, upstream);
  // Broken off: the visitor must see that it is not whole.
  upstream.on('error', () => outgoing.destroy());
  upstream.pipe(outgoing);
}
