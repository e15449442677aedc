import type { Socket } from 'node:net';

import { describeError } from '#boundary';

import type { ReadBuffer, ReadBuffers } from './read-buffers.ts';
import { createResponseReader, type ResponseEvents, type ResponseReader } from './read-response.ts';
import type { UpstreamAddress } from './read-upstream-address.ts';

/**
 * One connection to the app. It carries one request at a time.
 *
 * It reads into memory that is used again (read-buffers.ts), which Node calls `onread`: such a socket is no stream that can be
 * piped, so a connection that may become a tunnel does without.
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
  readonly isAlive: () => boolean;
};

export type ConnectionParts = {
  readonly address: UpstreamAddress;
  /** Absent: the socket is an ordinary stream. */
  readonly buffers: ReadBuffers | undefined;
  /** The exchange is over and the connection can take the next. */
  readonly onFree: (connection: Connection) => void;
  /** It is not, or no longer, a connection to the app. */
  readonly onGone: (connection: Connection) => void;
};

/** A name that does not resolve and a host that drops packets would take minutes. */
const connectMs = 10_000;
/** A peer that is gone without a word is noticed. */
const probeMs = 60_000;

type Link = {
  readonly parts: ConnectionParts;
  buffer: ReadBuffer | undefined;
  /** While a response is owed. */
  events: ExchangeEvents | undefined;
  /** The app has taken the connection. */
  isReady: boolean;
  /** How many exchanges it has had. */
  served: number;
  hasAnswer: boolean;
  isRequestOut: boolean;
  problem: unknown;
};

function ignore(): void {
  // Memory that nobody uses again.
}

function uncork(socket: Socket): void {
  socket.uncork();
}

const noBytes = new Uint8Array();

/** Asked before the first read, and after each. */
function nextBuffer(link: Link): Uint8Array {
  const { buffers } = link.parts;
  if (buffers && (!link.buffer || link.buffer.isHeld())) {
    link.buffer?.release();
    link.buffer = buffers.take();
  }
  return link.buffer?.bytes ?? noBytes;
}

function openSocket(link: Link, read: (bytes: Buffer) => void): Socket {
  const { address, buffers } = link.parts;
  if (!buffers) return address.connect().on('data', read);
  const socket = address.connect({
    buffer: () => nextBuffer(link),
    callback(size, bytes) {
      read(Buffer.from(bytes.buffer, bytes.byteOffset, size));
      return true;
    },
  });
  // Without it there is no `end`.
  return socket.resume();
}

/** Hands on what the reader finds, to the exchange of the moment. */
function createReader(link: Link, free: (isLast: boolean) => void): ResponseReader {
  return createResponseReader({
    information: (head) => link.events?.information(head),
    switched: (head, rest) => link.events?.switched(head, rest),
    head: (head, framing) => link.events?.head(head, framing),
    body: (chunk) => link.events?.body(chunk),
    end(trailers, isLast) {
      const { events } = link;
      link.events = undefined;
      free(isLast);
      events?.end(trailers, isLast);
    },
  });
}

function close(link: Link): void {
  link.buffer?.release();
  link.buffer = undefined;
  const { events, problem } = link;
  link.events = undefined;
  events?.failure({
    kind: link.isReady ? 'broke' : 'unreachable',
    detail: problem === undefined ? 'the connection was closed' : describeError(problem),
    isStale: link.served > 0 && !link.hasAnswer,
  });
}

function watchConnecting(link: Link, socket: Socket): void {
  function giveUp(): void {
    if (link.isReady) return;
    link.problem = new Error(`no connection within ${connectMs / 1_000} s`);
    socket.destroy();
  }
  // Where this process was busy for longer, the connection may be there, and nobody has looked: timers come first in a turn.
  socket.setTimeout(connectMs, () => void setImmediate(giveUp));
  socket.once(link.parts.address.readyEvent, () => {
    link.isReady = true;
    socket.setTimeout(0);
  });
}

/** @param detach takes the listeners off that make the socket a connection of ours */
function createConnection(link: Link, socket: Socket, reader: ResponseReader, detach: () => void): Connection {
  const connection: Connection = {
    begin(head, method, events) {
      link.hasAnswer = false;
      link.isRequestOut = false;
      link.events = events;
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
    finishRequest: () => void (link.isRequestOut = true),
    hold() {
      link.buffer?.hold();
      return link.buffer?.release ?? ignore;
    },
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    abandon() {
      link.events = undefined;
      socket.destroy();
    },
    release() {
      link.events = undefined;
      detach();
      link.parts.onGone(connection);
      return socket;
    },
    isAlive: () => !socket.destroyed && !socket.readableEnded,
  };
  return connection;
}

export function openConnection(parts: ConnectionParts): Connection {
  const link: Link = {
    parts,
    buffer: undefined,
    events: undefined,
    isReady: false,
    served: 0,
    hasAnswer: false,
    isRequestOut: false,
    problem: undefined,
  };

  function read(bytes: Buffer): void {
    link.hasAnswer = true;
    try {
      reader.read(bytes);
    } catch (error) {
      link.problem = error;
      socket.destroy();
    }
  }

  function free(isLast: boolean): void {
    link.served += 1;
    // Where the response came before the end of the request, the rest of the request would be read as the next one.
    if (isLast || !link.isRequestOut) return void socket.destroy();
    socket.resume();
    parts.onFree(connection);
  }

  function drain(): void {
    link.events?.drain();
  }

  function finish(): void {
    if (!reader.finish()) socket.destroy();
  }

  function leave(): void {
    parts.onGone(connection);
    close(link);
  }

  const socket = openSocket(link, read);
  const reader = createReader(link, free);
  const connection = createConnection(link, socket, reader, () => {
    socket.off('data', read).off('drain', drain).off('end', finish).off('close', leave);
  });
  socket.setNoDelay(true).setKeepAlive(true, probeMs);
  watchConnecting(link, socket);
  socket.on('drain', drain).on('end', finish).on('close', leave);
  socket.on('error', (error) => void (link.problem ??= error));
  return connection;
}
