import 'server-only';

import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';

/**
 * Ending without a failed request. `server.close()` of `node:http` is not enough in either direction: it waits for as
 * long as a busy client keeps its connection, and it cuts at once the one that is idle between two requests, whose next
 * one is on its way. So first nothing new is taken, and each answer says that it is the last one on its connection
 * (under-way.ts). What was idle gets a moment to send a request and be told; then it is closed.
 */

/** Longer than a client that is busy pauses between two requests, short enough not to be felt in a restart. */
const idleGraceMs = 500;
/** Connections without a request under way are looked for this often. */
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

/**
 * Takes no new connections and resolves when the requests under way are answered.
 * @param deadlineMs after this long, what is left is cut
 */
export async function drain(server: Server, unused: Unused, deadlineMs: number): Promise<void> {
  // The close of `node:net`: the one of `node:http` would close what is idle at once.
  const closed = new Promise<void>((resolve) => void NetServer.prototype.close.call(server, () => resolve()));
  let sweep: NodeJS.Timeout | undefined;
  const grace = setTimeout(() => {
    sweep = setInterval(() => {
      server.closeIdleConnections();
      unused.close();
    }, sweepMs);
  }, idleGraceMs);
  const deadline = setTimeout(() => server.closeAllConnections(), deadlineMs);
  await closed;
  clearTimeout(grace);
  clearInterval(sweep);
  clearTimeout(deadline);
}
