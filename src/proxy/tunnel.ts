import type { Socket } from 'node:net';

/**
 * A WebSocket's two connections, joined after the 101: bytes in both directions, at the pace of the slower side, until one side
 * ends. How long nothing may move is the app's to say.
 */
export type Tunnels = {
  /** Follows a client's connection from the moment that it asks. `head` came with the request. */
  readonly add: (client: Socket, head: Buffer) => void;
  /** `rest` came with the app's 101. */
  readonly join: (client: Socket, upstream: Socket, rest: Buffer) => void;
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

/**
 * A client that does not wait for the answer has sent a frame or two, though it must wait (RFC 6455, 4.1). One that sends more is cut:
 * read no further, its end would not be seen, and an app that leaves the question open would be left with both connections for good.
 */
const earlyLimit = 8 * 1024;

/**
 * Reads while the app has not answered: an end of the connection is not seen otherwise.
 * @returns what ends it, with what has come
 */
function readAhead(client: Socket, head: Buffer): () => Buffer {
  const pieces = [head];
  let size = head.length;
  function keep(bytes: Buffer): void {
    pieces.push(bytes);
    size += bytes.length;
    if (size > earlyLimit) client.destroy();
  }
  function leave(): void {
    client.destroy();
  }
  client.on('data', keep).on('end', leave);
  return () => {
    client.off('data', keep).off('end', leave).pause();
    return Buffer.concat(pieces);
  };
}

/** @param lastMs how long a side may take to read what is left for it */
export function createTunnels(lastMs: number): Tunnels {
  const clients = new Map<Socket, () => Buffer>();
  return {
    add(client, head) {
      client.setTimeout(0);
      clients.set(client, readAhead(client, head));
      client.on('error', ignore);
      client.on('close', () => void clients.delete(client));
    },
    join(client, upstream, rest) {
      const early = clients.get(client)?.();
      if (rest.length > 0) client.write(rest);
      if (early && early.length > 0) upstream.write(early);
      upstream.on('error', ignore);
      endAfter(client, upstream, lastMs);
      endAfter(upstream, client, lastMs);
      client.pipe(upstream);
      upstream.pipe(client);
    },
    close() {
      for (const client of clients.keys()) client.destroySoon();
    },
  };
}
