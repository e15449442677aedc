import { AsyncLocalStorage } from 'node:async_hooks';
import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

import { writeLog } from '#src/server/http/log.ts';

/**
 * Answers one request of a connection at a time. With HTTP/1.1 pipelining a client sends requests ahead of the answers, and
 * Node begins them all: 14 connections with 1,300 requests each, behind files that nobody read, filled the memory, and one
 * connection held every place among the pages that are answered at once. So a request waits in its connection's queue until
 * the answer before it was sent to the last byte, as in nginx. Meanwhile nothing more is read: the rest stays in the kernel.
 *
 * Node parses at once all that it has read at once, up to 64 KiB. That is why there are requests in the queue at all, and
 * why their number has a limit.
 */

/**
 * Node's objects for a request that waits take 4 KB, with the longest headers some 30 KB. Load generators that send ahead
 * send 16 requests, browsers and proxies none.
 */
export const mostWaiting = 64;
/** For all connections together, so that many of them do not come to more than 16 MB. */
export const mostWaitingInAll = 512;
/**
 * Of what was sent ahead, on all connections together: some 10 ms of pages. Then the loop looks for new connections and new requests, which
 * waited up to 25 s for a thousand connections with thirty requests each.
 */
export const begunPerTurn = 16;
/** A line for each connection that is cut would flood the log. */
const cutLogMs = 60_000;

export type RequestQueues = {
  /** For a response whose `socket` is still that of another one: calls `begin` when those before it are out. */
  readonly wait: (outgoing: ServerResponse, begin: () => void) => void;
  /** The response of the request that came last of those that wait. */
  readonly findLast: (socket: Duplex) => ServerResponse | undefined;
};

/** The response before calls this; its asynchronous context would keep its page in memory. */
const runOutsideRequest = AsyncLocalStorage.snapshot();

/** Calls back in order, a few in each turn of the event loop. */
function createTurns(): (begin: () => void) => void {
  const ready: (() => void)[] = [];
  let isPlanned = false;

  function plan(): void {
    if (isPlanned || ready.length === 0) return;
    isPlanned = true;
    runOutsideRequest(setImmediate, run);
  }

  function run(): void {
    isPlanned = false;
    for (const begin of ready.splice(0, begunPerTurn)) begin();
    plan();
  }

  return function takeTurn(begin) {
    ready.push(begin);
    plan();
  };
}

export function createRequestQueues(): RequestQueues {
  const takeTurn = createTurns();
  // By connection, the one with the oldest queue first.
  const lines = new Map<Duplex, ServerResponse[]>();
  let waiting = 0;
  let loggedAt = -Infinity;

  function forget(socket: Duplex): void {
    waiting -= lines.get(socket)?.length ?? 0;
    lines.delete(socket);
  }

  function forgetClosed(this: Duplex): void {
    forget(this);
  }

  function cut(socket: Duplex): void {
    const ahead = lines.get(socket)?.length;
    forget(socket);
    socket.destroy();
    if (performance.now() - loggedAt < cutLogMs) return;
    loggedAt = performance.now();
    writeLog('warn', 'too-many-sent-ahead', { ahead, limit: mostWaiting, limitInAll: mostWaitingInAll });
  }

  function join(socket: Duplex, outgoing: ServerResponse): void {
    const line = lines.get(socket);
    waiting += 1;
    if (line) return void line.push(outgoing);
    lines.set(socket, [outgoing]);
    socket.on('close', forgetClosed);
    // Not at once: with the end of each request Node begins to read again.
    queueMicrotask(() => {
      if (lines.has(socket)) socket.pause();
    });
  }

  function leave(socket: Duplex): void {
    const line = lines.get(socket);
    if (!line) return;
    line.shift();
    waiting -= 1;
    if (line.length > 0) return;
    lines.delete(socket);
    socket.off('close', forgetClosed);
    socket.resume();
  }

  return {
    wait(outgoing, begin) {
      const { socket } = outgoing.req;
      // The parser goes on with what it has after a connection was cut.
      if (socket.destroyed) return;
      join(socket, outgoing);
      outgoing.on('socket', () => {
        // One answer of a connection in a turn at the most, so that other connections do not wait for this one.
        takeTurn(() => {
          if (socket.destroyed) return;
          leave(socket);
          begin();
        });
      });
      if ((lines.get(socket)?.length ?? 0) > mostWaiting) cut(socket);
      // A client that reads its answers never has an old queue.
      const longest = lines.keys().next().value;
      if (waiting > mostWaitingInAll && longest) cut(longest);
    },
    findLast: (socket) => lines.get(socket)?.at(-1),
  };
}
