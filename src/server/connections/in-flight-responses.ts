import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** The responses that are not finished: the drain waits for them, and a broken body is looked up here. */
export type InFlightResponses = {
  readonly add: (outgoing: ServerResponse) => void;
  readonly find: (socket: Duplex) => ServerResponse | undefined;
  /** The request of this connection that has been answered while its body is still on its way. */
  readonly findEarly: (socket: Duplex) => IncomingMessage | undefined;
  /** From now on each response is the last on its connection. One whose headers are out already cannot say so. */
  readonly closeAfterwards: () => void;
  /** Milliseconds since that was called, or since the latest request after it. */
  readonly quietMs: () => number;
};

export function createInFlightResponses(): InFlightResponses {
  const responses = new Set<ServerResponse>();
  const answeredEarly = new WeakMap<Duplex, IncomingMessage>();
  let isLast = false;
  let cameAt = 0;

  // One listener for all: a closure for each request would be garbage at every request.
  function remove(this: ServerResponse): void {
    responses.delete(this);
    if (!this.req.complete) answeredEarly.set(this.req.socket, this.req);
  }

  return {
    add(outgoing) {
      responses.add(outgoing);
      outgoing.on('close', remove);
      if (!isLast) return;
      cameAt = performance.now();
      outgoing.shouldKeepAlive = false;
    },
    find(socket) {
      return Array.from(responses).find((outgoing) => outgoing.socket === socket);
    },
    findEarly(socket) {
      const incoming = answeredEarly.get(socket);
      return incoming?.complete === false ? incoming : undefined;
    },
    closeAfterwards() {
      isLast = true;
      cameAt = performance.now();
      for (const outgoing of responses) outgoing.shouldKeepAlive = false;
    },
    quietMs: () => performance.now() - cameAt,
  };
}
