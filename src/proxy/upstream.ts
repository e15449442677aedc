import type { Socket } from 'node:net';

import { describeError } from '#src/http/describe-error.ts';

import { createReadBuffers, type ReadBuffers } from './read-buffers.ts';
import { createResponseReader, type ResponseEvents } from './read-response.ts';
import type { UpstreamAddress } from './read-upstream-address.ts';

/**
 * The connections to the app. Each carries one request at a time, and is kept for the next one for as long as no app closes
 * it. There are as many as requests are in flight: the port limits those.
 *
 * Written on sockets, not on undici or `node:http`: docs/decisions/022-proxy-forwarding.md says why.
 */

/** Why there is no whole response. */
export type Failure = {
  /** unreachable: nothing of the request has left. broke: the app may have seen it. */
  readonly kind: 'unreachable' | 'broke';
  readonly detail: string;
  /** The connection had served a request before, and not one byte came for this one: the app may have closed it meanwhile. */
  readonly isStale: boolean;
};

export type ExchangeEvents = ResponseEvents & {
  /** The connection takes more of the request's body. */
  readonly drain: () => void;
  /** Nothing is called after it, as after `end` and `switched`. */
  readonly failure: (failure: Failure) => void;
};

export type Connection = {
  readonly isReused: () => boolean;
  /** Writes a request's head. Its response goes to `events`. */
  readonly begin: (head: string, method: string, events: ExchangeEvents) => void;
  /** Writes a piece of the request's body, or the framing around it. False: wait for `drain`. */
  readonly write: (piece: Uint8Array | string) => boolean;
  /** The same as a chunk, for a body without a length. */
  readonly writeChunk: (piece: Uint8Array) => boolean;
  /** The request is out: with the end of its response, the connection is free. */
  readonly finishRequest: () => void;
  /** Keeps the piece of the body that is handed over just now until what it returns is called. */
  readonly hold: () => () => void;
  readonly pause: () => void;
  readonly resume: () => void;
  /** Ends an exchange that nobody waits for any more. The app sees the end of the connection. */
  readonly abandon: () => void;
  /** After `switched`: the socket, which is no connection of ours any more. */
  readonly release: () => Socket;
};

/** any: one that has served before, where there is one. fresh: a new one. switching: a new one that may become a tunnel. */
export type ConnectionKind = 'any' | 'fresh' | 'switching';

export type Upstream = {
  readonly address: UpstreamAddress;
  /** Calls `use` with a connection. */
  readonly open: (kind: ConnectionKind, use: (connection: Connection) => void) => void;
  /** Cuts all connections. */
  readonly close: () => void;
};

/** A name that does not resolve and a host that drops packets would take minutes. */
const connectMs = 10_000;
/** Shorter than any app keeps an idle connection: Node 5 s, others a minute or more. */
const idleMs = 4_000;
const sweepMs = 1_000;
/** More are closed when their response is complete. */
const mostIdle = 256;
/** A peer that is gone without a word is noticed. */
const probeMs = 60_000;

type Parked = { readonly entry: Entry; readonly since: number };
type Entry = { readonly connection: Connection; readonly isAlive: () => boolean; readonly destroy: () => void };
type Keeper = { readonly park: (entry: Entry) => void; readonly forget: (entry: Entry) => void };

const empty = new Uint8Array();

function ignore(): void {
  // Memory that nobody uses again.
}

function uncork(socket: Socket): void {
  socket.uncork();
}

type EntryParts = {
  readonly address: UpstreamAddress;
  readonly keeper: Keeper;
  /** Absent: the socket is an ordinary stream, which can be piped. */
  readonly buffers: ReadBuffers | undefined;
};

function openEntry({ address, keeper, buffers }: EntryParts): Entry {
  let buffer = buffers?.take();
  const socket = address.connect(buffers && buffer && { buffer: nextBuffer, callback: onRead });
  let events: ExchangeEvents | undefined;
  let isReady = false;
  let served = 0;
  let hasAnswer = false;
  let isRequestOut = false;
  let problem: unknown;

  function free(isLast: boolean): void {
    events = undefined;
    served += 1;
    // Where the response came before the end of the request, the rest of the request is still to come.
    if (isLast || !isRequestOut) socket.destroy();
    else {
      socket.resume();
      keeper.park(entry);
    }
  }

  const reader = createResponseReader({
    information: (head) => events?.information(head),
    switched: (head, rest) => events?.switched(head, rest),
    head: (head, framing) => events?.head(head, framing),
    body: (chunk) => events?.body(chunk),
    end(trailers, isLast) {
      const ended = events;
      free(isLast);
      ended?.end(trailers, isLast);
    },
  });

  function onData(bytes: Buffer): void {
    hasAnswer = true;
    try {
      reader.read(bytes);
    } catch (error) {
      problem = error;
      socket.destroy();
    }
  }

  /** Asked before the first read, and after each. */
  function nextBuffer(): Uint8Array {
    if (buffers && (!buffer || buffer.isHeld())) {
      buffer?.release();
      buffer = buffers.take();
    }
    return buffer?.bytes ?? empty;
  }

  function onRead(size: number, bytes: Uint8Array): boolean {
    onData(Buffer.from(bytes.buffer, bytes.byteOffset, size));
    return true;
  }

  function onEnd(): void {
    if (!reader.finish()) socket.destroy();
  }

  function onClose(): void {
    keeper.forget(entry);
    buffer?.release();
    buffer = undefined;
    const failed = events;
    events = undefined;
    failed?.failure({
      kind: isReady ? 'broke' : 'unreachable',
      detail: problem === undefined ? 'the connection was closed' : describeError(problem),
      isStale: served > 0 && !hasAnswer,
    });
  }

  function onError(error: Error): void {
    problem ??= error;
  }

  function onTimeout(): void {
    problem = new Error(`no connection within ${connectMs / 1_000} s`);
    socket.destroy();
  }

  const connection: Connection = {
    isReused: () => served > 0,
    begin(head, method, nextEvents) {
      hasAnswer = false;
      isRequestOut = false;
      events = nextEvents;
      reader.expect(method);
      socket.write(head, 'latin1');
    },
    write: (piece) => (typeof piece === 'string' ? socket.write(piece, 'latin1') : socket.write(piece)),
    writeChunk(piece) {
      socket.cork();
      socket.write(`${piece.byteLength.toString(16)}\r\n`, 'latin1');
      socket.write(piece);
      const isFree = socket.write('\r\n', 'latin1');
      process.nextTick(uncork, socket);
      return isFree;
    },
    finishRequest: () => void (isRequestOut = true),
    hold() {
      buffer?.hold();
      return buffer?.release ?? ignore;
    },
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    abandon() {
      events = undefined;
      socket.destroy();
    },
    release() {
      events = undefined;
      keeper.forget(entry);
      socket.off('data', onData).off('end', onEnd).off('close', onClose).off('drain', onDrain);
      return socket;
    },
  };
  const entry: Entry = {
    connection,
    isAlive: () => !socket.destroyed && !socket.readableEnded,
    destroy: () => socket.destroy(),
  };

  function onDrain(): void {
    events?.drain();
  }

  socket.setNoDelay(true).setKeepAlive(true, probeMs).setTimeout(connectMs, onTimeout);
  if (buffers) socket.resume();
  else socket.on('data', onData);
  socket.on('end', onEnd).on('close', onClose).on('error', onError).on('drain', onDrain);
  socket.once(address.readyEvent, () => {
    isReady = true;
    socket.setTimeout(0);
  });
  return entry;
}

export function createUpstream(address: UpstreamAddress): Upstream {
  const entries = new Set<Entry>();
  const buffers = createReadBuffers();
  // The one that was used last is taken first: the others may grow old and go.
  let idle: Parked[] = [];
  let sweep: NodeJS.Timeout | undefined;
  let isClosed = false;

  function closeOld(): void {
    const before = performance.now() - idleMs;
    for (const { entry, since } of idle) if (since < before) entry.destroy();
    idle = idle.filter(({ since }) => since >= before);
    if (idle.length > 0) return;
    clearInterval(sweep);
    sweep = undefined;
  }

  const keeper: Keeper = {
    park(entry) {
      if (isClosed || idle.length >= mostIdle) return entry.destroy();
      idle.push({ entry, since: performance.now() });
      sweep ??= setInterval(closeOld, sweepMs).unref();
    },
    forget(entry) {
      entries.delete(entry);
      const at = idle.findIndex((parked) => parked.entry === entry);
      if (at !== -1) idle.splice(at, 1);
    },
  };

  function openNew(kind: ConnectionKind, use: (connection: Connection) => void): void {
    const entry = openEntry({ address, keeper, buffers: kind === 'switching' ? undefined : buffers });
    entries.add(entry);
    use(entry.connection);
  }

  function open(kind: ConnectionKind, use: (connection: Connection) => void): void {
    const parked = kind === 'any' ? idle.pop() : undefined;
    if (!parked) return openNew(kind, use);
    // The end of the connection, or bytes that nobody asked for, may have come and not been read. After this turn they are.
    setImmediate(() => {
      if (parked.entry.isAlive()) use(parked.entry.connection);
      else open(kind, use);
    });
  }

  return {
    address,
    open,
    close() {
      isClosed = true;
      clearInterval(sweep);
      for (const entry of entries) entry.destroy();
    },
  };
}
