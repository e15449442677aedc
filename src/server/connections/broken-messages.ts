import type { Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

import type { RequestQueues } from './request-queue.ts';
import { logBrokenBody, refuseConnection, type ConnectionRefusal } from './refusal.ts';
import type { InFlightResponses } from './in-flight-responses.ts';
import { tooManyHeads } from './unfinished-heads.ts';

/**
 * Messages on which Node's parser or its timeouts give up. Each gets one answer at most, and it depends on the message who
 * gives it:
 * - its request is in flight or waits in the queue: the body's stream fails, and whoever reads it answers;
 * - its request was answered before the body had arrived (a 401): there is no second answer, and the connection ends;
 * - there is no request yet: the answer is given here, after those that are still to come on this connection.
 */
type ClientError = Error & { readonly code?: string };

type HeadLimits = {
  /** Of the server, in bytes. */
  readonly maxHeaderSize: number;
  /** How many headers a request may have. */
  readonly headerLimit: number;
};

function toRefusal({ code = '', message }: ClientError, { maxHeaderSize, headerLimit }: HeadLimits): ConnectionRefusal {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { code: 'too-slow', detail: 'the request did not arrive in time' };
    case 'HPE_HEADER_OVERFLOW':
      return {
        code: 'headers-too-large',
        detail: `more than ${maxHeaderSize / 1024} KiB of headers, or ${headerLimit}`,
      };
    case tooManyHeads:
      return { code: 'headers-too-large', detail: `${message}, this one among the largest` };
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return { code: 'body-too-large', detail: message };
    default:
      return { code: 'malformed-request', detail: `${code} ${message}` };
  }
}

/** Not a bad request: a connection that was cut, or on which nothing was sent (browsers open some in advance). */
function isUnasked(error: ClientError, socket: Duplex): boolean {
  const isParsed =
    [tooManyHeads, 'ERR_HTTP_REQUEST_TIMEOUT'].includes(error.code ?? '') || error.code?.startsWith('HPE_') === true;
  return !isParsed || !socket.writable || (socket instanceof Socket && socket.bytesRead === 0);
}

/** Ends the body with `error` and leaves the connection open for the answer; Node itself would end both. */
export function failBody(outgoing: ServerResponse, error: ClientError, refusal: ConnectionRefusal): void {
  const incoming = outgoing.req;
  outgoing.shouldKeepAlive = false;
  outgoing.on('close', () => {
    // Nobody has read the body. A refusal has its line already; any other answer has none yet.
    if (outgoing.statusCode < 400) logBrokenBody(incoming, refusal);
  });
  if (outgoing.headersSent) {
    if (outgoing.writableEnded) outgoing.on('finish', () => incoming.socket.destroy());
    // Node 24.22 holds back what is written in one turn. A refusal whose body broke in the same packet would be lost.
    else {
      outgoing.uncork();
      incoming.socket.destroySoon();
    }
    return;
  }
  // As in Node: without a listener there is no event, and a later reader finds the error on the stream.
  incoming._destroy = (reason, done) => done(incoming.listenerCount('error') === 0 ? null : reason);
  incoming.destroy(error);
}

/** Node has closed the connection by then when the last answer was to be the last. */
function refuseAfter(outgoing: ServerResponse, socket: Duplex, refusal: ConnectionRefusal): void {
  socket.pause();
  outgoing.on('finish', () => {
    if (socket.writable) refuseConnection(socket, refusal);
  });
}

export type BrokenMessageParts = HeadLimits & {
  readonly inFlight: InFlightResponses;
  readonly queues: RequestQueues;
};

export function answerBrokenMessages(server: Server, { inFlight, queues, ...limits }: BrokenMessageParts): void {
  // The parser repeats its error for everything that follows.
  const broken = new WeakSet<Duplex>();
  server.on('clientError', (error: ClientError, socket) => {
    const waiting = queues.findLast(socket);
    const last = waiting ?? inFlight.find(socket);
    // A request in the queue is not read: its time does not count against the client.
    if (broken.has(socket) || (waiting && error.code === 'ERR_HTTP_REQUEST_TIMEOUT')) return;
    broken.add(socket);
    const early = inFlight.findEarly(socket);
    const refusal = toRefusal(error, limits);
    if (last && socket.writable) {
      if (last.req.complete) refuseAfter(last, socket, refusal);
      else failBody(last, error, refusal);
    } else if (early) {
      logBrokenBody(early, refusal);
      socket.destroy();
    } else if (isUnasked(error, socket)) socket.destroy();
    else refuseConnection(socket, refusal);
  });
}
