import 'server-only';

import type { Server } from 'node:http';

/**
 * `server.close()` waits for connections, not for requests: one that is kept alive after its answer would hold it up
 * for ever. Those are closed as they fall idle, this often.
 */
const sweepMs = 50;

/**
 * Takes no new connections and resolves when the requests under way are answered.
 * @param deadlineMs after this long, what is left is cut
 */
export async function drain(server: Server, deadlineMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const sweep = setInterval(() => server.closeIdleConnections(), sweepMs);
  const deadline = setTimeout(() => server.closeAllConnections(), deadlineMs);
  server.closeIdleConnections();
  await closed;
  clearInterval(sweep);
  clearTimeout(deadline);
}
