import type { Socket } from 'node:net';

/**
 * A WebSocket's two connections, joined after the 101: bytes in both directions, at the pace of the slower side, until one side
 * ends. How long nothing may move is the app's to say.
 */
export type Tunnels = {
  /** Follows a client's connection from the moment that it asks. */
  readonly add: (client: Socket) => void;
  readonly join: (client: Socket, upstream: Socket) => void;
  /** Ends them all: what is open when the server stops would never end by itself. */
  readonly close: () => void;
};

function ignore(): void {
  // The end of the connection follows.
}

/** When one side is gone, the other gets what is left for it, and ends. */
function endAfter(gone: Socket, other: Socket, lastMs: number): void {
  gone.on('close', () => {
    other.setTimeout(lastMs, () => other.destroy());
    other.destroySoon();
  });
}

/** @param lastMs how long a side may take to read what is left for it */
export function createTunnels(lastMs: number): Tunnels {
  const clients = new Set<Socket>();
  return {
    add(client) {
      clients.add(client);
      client.on('error', ignore);
      client.on('close', () => void clients.delete(client));
    },
    join(client, upstream) {
      client.setTimeout(0);
      client.setNoDelay(true);
      upstream.on('error', ignore);
      endAfter(client, upstream, lastMs);
      endAfter(upstream, client, lastMs);
      client.pipe(upstream);
      upstream.pipe(client);
    },
    close() {
      for (const client of clients) client.destroySoon();
    },
  };
}
