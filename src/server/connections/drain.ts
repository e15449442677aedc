import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setImmediate as untilNextTurn } from 'node:timers/promises';

import type { InFlightResponses } from './in-flight-responses.ts';

/**
 * Ending without a failed request. `server.close()` of `node:http` is wrong in both directions: it waits for as long as a busy client keeps
 * its connection, and it closes an idle connection at once, although its next request may be arriving. So first the connections that wait
 * in the system's queue are accepted: to close the listener resets them, and their clients have connected and may have sent a request. Then
 * no new connection is taken, and each answer says that it is the last one on its connection (in-flight-responses.ts). An idle connection
 * has time to send one more request and to be told. It is closed only when no request has come for a while.
 */

/** Longer than a busy client on a busy machine pauses between two requests, short enough for a restart. */
const quietEnoughMs = 1_000;
/** Connections without a request in flight are looked for this often. */
const sweepMs = 50;

/** Connections on which nothing has come yet, as browsers open some in advance: Node does not count them as idle. */
export type Unused = { readonly close: () => void };

/** Follows the connections of `server` from before it listens. */
export function trackUnused(server: Server): Unused {
  const sockets = new Set<Socket>();
  // One listener for all: there may be ten thousand.
  function remove(this: Socket): void {
    sockets.delete(this);
  }
  server.on('connection', (socket: Socket) => void sockets.add(socket.on('close', remove)));
  return {
    close() {
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
    },
  };
}

/** Node's own length of the queue for `listen`. */
const longestQueue = 511;

/** Node accepts one connection in each turn of its event loop: after a turn that brought none, the queue is empty. */
async function acceptQueued(server: Server): Promise<void> {
  let accepted = 0;
  function count(): void {
    accepted += 1;
  }
  server.on('connection', count);
  // The first turn is the one that is under way; it may have looked at the queue already.
  await untilNextTurn();
  // Under load new connections come all the time: those that came after the signal are not waited for.
  for (let before = -1; before !== accepted && accepted < longestQueue;) {
    before = accepted;
    await untilNextTurn();
  }
  server.off('connection', count);
}

export type DrainParts = {
  readonly inFlight: InFlightResponses;
  readonly unused: Unused;
  /** Called when no new connection is taken any more. */
  readonly onRefusing?: () => void;
};

/**
 * Takes no new connections and resolves when the requests in flight are answered.
 * @param deadlineMs after this long, what is left is cut
 */
export async function drain(
  server: Server,
  { inFlight, unused, onRefusing }: DrainParts,
  deadlineMs: number,
): Promise<void> {
  await acceptQueued(server);
  // Not before: a client that is told to close connects again, and would be in the queue when the listener is closed.
  inFlight.closeAfterwards();
  // The close of `node:net`: the one of `node:http` would close what is idle at once.
  const closed = new Promise<void>((resolve) => void NetServer.prototype.close.call(server, () => resolve()));
  onRefusing?.();
  const deadline = setTimeout(() => server.closeAllConnections(), deadlineMs);

  function closeIdle(): void {
    if (inFlight.quietMs() < quietEnoughMs) return;
    server.closeIdleConnections();
    unused.close();
  }

  // A late timer runs before the requests that have arrived meanwhile; an immediate runs after them.
  const sweep = setInterval(() => setImmediate(closeIdle), sweepMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(deadline);
}
