import { AsyncLocalStorage } from 'node:async_hooks';
import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

import { writeLog } from '#src/server/http/log.ts';

/**
 * Answers one request of a connection at a time. With HTTP/1.1 pipelining a client sends requests ahead of the answers, and
 * Node begins them all: 14 connections with 1,300 requests each, behind files that nobody read, filled the memory, and one
 * connection held every place among the pages that are answered at once. So a request waits in its connection's queue until
 * the answer before it was sent to the last byte, as in nginx. Meanwhile nothing more is read: the rest stays in the kernel.
 * A connection that is not read does not say that its client is gone, and the app would work for nobody. So from time to time it is
 * read for one turn of the loop.
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
 * Of connections that send ahead, on all of them together: some 10 ms of pages. Then the loop looks for new connections and new requests.
 * In a turn that brought a connection none is begun: the loop accepts one in a turn, so whoever came behind a thousand connections
 * with thirty requests each waited for the pages of a thousand turns, 9 to 28 s.
 */
export const begunPerTurn = 16;
/** A line for each connection that is cut would flood the log. */
const cutLogMs = 60_000;

export type RequestQueues = {
  /** For a response that has its connection: calls `begin` at once, or in turn where more was sent behind the request. */
  readonly start: (outgoing: ServerResponse, begin: () => void) => void;
  /** For a response whose `socket` is still that of another one: calls `begin` when those before it are out. */
  readonly wait: (outgoing: ServerResponse, begin: () => void) => void;
  /** The response of the request that came last of those that wait. */
  readonly findLast: (socket: Duplex) => ServerResponse | undefined;
  readonly noteConnection: () => void;
};

/** The response before calls this; its asynchronous context would keep its page in memory. */
const runOutsideRequest = AsyncLocalStorage.snapshot();

/** Calls back in order, a few in each turn of the event loop that brought no connection. */
function createTurns(): { readonly take: (begin: () => void) => void; readonly noteConnection: () => void } {
  const ready: (() => void)[] = [];
  let isPlanned = false;
  let isConnected = false;

  function plan(): void {
    if (isPlanned || ready.length === 0) return;
    isPlanned = true;
    runOutsideRequest(setImmediate, run);
  }

  function run(): void {
    isPlanned = false;
    const begun = isConnected ? 0 : begunPerTurn;
    isConnected = false;
    for (const begin of ready.splice(0, begun)) begin();
    plan();
  }

  return {
    take(begin) {
      ready.push(begin);
      plan();
    },
    noteConnection() {
      isConnected = true;
    },
  };
}

/** @param lookMs how often a connection whose requests wait is asked whether its client is still there */
export function createRequestQueues(lookMs: number): RequestQueues {
  const turns = createTurns();
  // By connection, the one with the oldest queue first.
  const lines = new Map<Duplex, ServerResponse[]>();
  let waiting = 0;
  let loggedAt = -Infinity;
  let looking: NodeJS.Timeout | undefined;

  function pause(socket: Duplex): void {
    if (lines.has(socket)) socket.pause();
  }

  /** One timer for all, while there are any: a connection may join and leave many times a second. */
  function look(): void {
    if (lines.size === 0) {
      clearInterval(looking);
      looking = undefined;
    }
    for (const [socket, line] of lines) {
      // Each look brings what fits into one read. Who has sent much ahead would be cut for it while its page is slow.
      if (line.length > mostWaiting / 2) continue;
      socket.resume();
      setImmediate(pause, socket);
    }
  }

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
    // Not at once: with the end of each request Node begins to read again. Before the next read, of which a turn has up to 32.
    queueMicrotask(() => pause(socket));
    if (line) return void line.push(outgoing);
    lines.set(socket, [outgoing]);
    socket.on('close', forgetClosed);
    looking ??= setInterval(look, lookMs).unref();
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
    start(outgoing, begin) {
      const { socket } = outgoing.req;
      // After all that was read at once: then it is known whether more was sent ahead.
      process.nextTick(() => {
        if (socket.destroyed) return;
        if (!lines.has(socket)) return begin();
        turns.take(() => {
          if (!socket.destroyed) begin();
        });
      });
    },
    wait(outgoing, begin) {
      const { socket } = outgoing.req;
      // The parser goes on with what it has after a connection was cut.
      if (socket.destroyed) return;
      join(socket, outgoing);
      outgoing.on('socket', () => {
        // One answer of a connection in a turn at the most, so that other connections do not wait for this one.
        turns.take(() => {
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
    noteConnection: turns.noteConnection,
  };
}
