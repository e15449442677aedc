import 'server-only';

import type { Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

import { logBrokenBody, refuseConnection, type HostRefusal } from './refusal.ts';
import type { UnderWay } from './under-way.ts';

/**
 * What Node's parser or its timeouts give up on. Either no request has come of it: then the answer is given here. Or a
 * request is being answered and it is its body that is broken: then whoever reads that body has to hear of it and to
 * answer, once; an answer from here would come on top of theirs.
 */
type ClientError = Error & { readonly code?: string };

function toRefusal({ code = '', message }: ClientError): HostRefusal {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { code: 'too-slow', detail: 'the request did not arrive in time' };
    case 'HPE_HEADER_OVERFLOW':
      return { code: 'headers-too-large', detail: 'more than 16 KiB of headers' };
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return { code: 'too-large', detail: message };
    default:
      return { code: 'malformed-request', detail: `${code} ${message}` };
  }
}

/** A connection that was cut, or on which nothing was ever sent (browsers open some in advance), is no bad request. */
function isUnasked(error: ClientError, socket: Duplex): boolean {
  const isParsed = error.code?.startsWith('HPE_') === true || error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  return !isParsed || !socket.writable || (socket instanceof Socket && socket.bytesRead === 0);
}

/** Ends the body with `error` and leaves the connection open for the answer; Node's own way takes both. */
function failBody(outgoing: ServerResponse, error: ClientError): void {
  const incoming = outgoing.req;
  const refusal = toRefusal(error);
  outgoing.shouldKeepAlive = false;
  outgoing.on('close', () => {
    // Nobody needed the body: a refusal has its line, an answer has none yet.
    if (outgoing.statusCode < 400) logBrokenBody(incoming, refusal);
  });
  if (outgoing.headersSent) {
    outgoing.socket?.destroy();
    return;
  }
  // As Node does it, nobody is told who does not listen; whoever begins to read later finds it on the stream.
  incoming._destroy = (reason, done) => done(incoming.listenerCount('error') === 0 ? null : reason);
  incoming.destroy(error);
}

export function answerBrokenMessages(server: Server, underWay: UnderWay): void {
  // The parser says it again for everything that comes after.
  const broken = new WeakSet<Duplex>();
  server.on('clientError', (error: ClientError, socket) => {
    if (broken.has(socket)) return;
    broken.add(socket);
    const outgoing = underWay.find(socket);
    if (outgoing && !outgoing.req.complete && socket.writable) failBody(outgoing, error);
    else if (isUnasked(error, socket)) socket.destroy();
    else refuseConnection(socket, toRefusal(error));
  });
}
