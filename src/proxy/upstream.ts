import { openConnection, type Connection } from './connection.ts';
import { createReadBuffers } from './read-buffers.ts';
import type { UpstreamAddress } from './read-upstream-address.ts';

/**
 * The connections to the app. One is kept for the next request for as long as no app closes it. There are as many as requests
 * are in flight: the port limits those.
 *
 * Written on sockets, not on undici or `node:http`: docs/decisions/086-proxy-and-prefetches.md says why.
 */

/** any: one that has served before, where there is one. fresh: a new one. switching: a new one that may become a tunnel. */
export type ConnectionKind = 'any' | 'fresh' | 'switching';

export type Upstream = {
  readonly address: UpstreamAddress;
  /** Calls `use` with a connection. */
  readonly open: (kind: ConnectionKind, use: (connection: Connection) => void) => void;
  /** Cuts all connections. */
  readonly close: () => void;
};

/** Shorter than any app keeps an idle connection: Node 5 s, others a minute or more. */
const idleMs = 4_000;
const sweepMs = 1_000;
/** More are closed when their response is complete. */
const mostIdle = 256;

type Parked = { readonly connection: Connection; readonly since: number };

export function createUpstream(address: UpstreamAddress): Upstream {
  const buffers = createReadBuffers();
  const connections = new Set<Connection>();
  // The one that was used last is taken first: the others may grow old and go.
  let idle: Parked[] = [];
  let sweep: NodeJS.Timeout | undefined;

  function closeOld(): void {
    const before = performance.now() - idleMs;
    for (const { connection, since } of idle) if (since < before) connection.abandon();
    idle = idle.filter(({ since }) => since >= before);
    if (idle.length > 0) return;
    clearInterval(sweep);
    sweep = undefined;
  }

  function park(connection: Connection): void {
    if (idle.length >= mostIdle) return connection.abandon();
    idle.push({ connection, since: performance.now() });
    sweep ??= setInterval(closeOld, sweepMs).unref();
  }

  function forget(connection: Connection): void {
    connections.delete(connection);
    const at = idle.findIndex((parked) => parked.connection === connection);
    if (at !== -1) idle.splice(at, 1);
  }

  function open(kind: ConnectionKind, use: (connection: Connection) => void): void {
    const parked = kind === 'any' ? idle.pop() : undefined;
    if (!parked) {
      const own = kind === 'switching' ? undefined : buffers;
      const connection = openConnection({ address, buffers: own, onFree: park, onGone: forget });
      connections.add(connection);
      return use(connection);
    }
    // The end of the connection, or bytes that nobody asked for, may have come and not been read. After this turn they are.
    setImmediate(() => {
      if (parked.connection.isAlive()) use(parked.connection);
      else open(kind, use);
    });
  }

  return {
    address,
    open,
    close() {
      clearInterval(sweep);
      for (const connection of connections) connection.abandon();
    },
  };
}
