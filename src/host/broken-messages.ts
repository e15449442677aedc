import 'server-only';

import type { Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

import type { Turns } from './in-turn.ts';
import { logBrokenBody, refuseConnection, type HostRefusal } from './refusal.ts';
import type { UnderWay } from './under-way.ts';

/**
 * What Node's parser or its timeouts give up on, each with one answer at most. Whose bytes are broken decides who gives it:
 * - a request that is being answered or waits for its turn: whoever reads its body hears of it and answers;
 * - a request that was answered before its body was there (a 401): it has had its answer, and the connection ends;
 * - no request yet: the answer is given here, behind those that are still to come on this connection.
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
    if (outgoing.writableEnded) outgoing.on('finish', () => incoming.socket.destroy());
    else incoming.socket.destroy();
    return;
  }
  // As Node does it, nobody is told who does not listen; whoever begins to read later finds it on the stream.
  incoming._destroy = (reason, done) => done(incoming.listenerCount('error') === 0 ? null : reason);
  incoming.destroy(error);
}

/** Node has closed the connection by then when the last answer was to be the last. */
function refuseAfter(outgoing: ServerResponse, socket: Duplex, error: ClientError): void {
  socket.pause();
  outgoing.on('finish', () => {
    if (socket.writable) refuseConnection(socket, toRefusal(error));
  });
}

export function answerBrokenMessages(server: Server, underWay: UnderWay, turns: Turns): void {
  // The parser says it again for everything that comes after.
  const broken = new WeakSet<Duplex>();
  server.on('clientError', (error: ClientError, socket) => {
    const waiting = turns.findLast(socket);
    const last = waiting ?? underWay.find(socket);
    // It is not read while it waits: that time is not the client's.
    if (broken.has(socket) || (waiting && error.code === 'ERR_HTTP_REQUEST_TIMEOUT')) return;
    broken.add(socket);
    const early = underWay.findEarly(socket);
    if (last && socket.writable) {
      if (last.req.complete) refuseAfter(last, socket, error);
      else failBody(last, error);
    } else if (early) {
      logBrokenBody(early, toRefusal(error));
      socket.destroy();
    } else if (isUnasked(error, socket)) socket.destroy();
    else refuseConnection(socket, toRefusal(error));
  });
}
