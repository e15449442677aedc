import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import { canonicalize } from '#src/server/environment/address-range.ts';
import { writeLog } from '#src/server/http/log.ts';
import { formatFlightTiming } from '#src/server/http/flight-headers.ts';
import { cutForLog } from '#src/server/http/refuse.ts';
import { gatherChunks } from '#src/server/connections/chunked-bodies.ts';
import { refuseRequest } from '#src/server/connections/refusal.ts';

import type { GuardedTap, TapGuard } from './guard-tap.ts';
import type { PageScript } from './page-script/page-script.ts';
import { rewriteBody, type BodyRewriter } from './page-script/rewrite-body.ts';
import type { Framing, ResponseHead } from './read-response.ts';
import { holdBody, type HeldBody, type Screen, type Screening } from './screen.ts';
import { gatherPieces, type Pieces } from './gather-pieces.ts';
import { answerStarting } from './starting-page.ts';
import { writeRequestHead } from './request-head.ts';
import { selectHeaders, writeResponseHead } from './response-head.ts';
import type { Connection, ExchangeEvents, Failure } from './connection.ts';
import type { ConnectionKind, Upstream } from './upstream.ts';
import { unreachablePage } from './unreachable-page.ts';

/**
 * Takes one request to the upstream and its response back. Bytes go on in the piece that brought them, and whoever is slower
 * sets the pace: a client that does not read pauses the upstream's connection, an upstream that does not read pauses the
 * client's.
 *
 * A request is sent once. Only one that changes nothing and has no body is sent a second time, and only when the first went
 * out on a connection that the app was just closing.
 */

/** Takes over both connections after a 101. */
type Join = (upstream: Socket, rest: Buffer) => void;

export type ForwarderParts = {
  readonly upstream: Upstream;
  readonly guard: TapGuard;
  readonly hostHeader: 'keep' | 'upstream';
  readonly screen: Screen;
  /** While the app is being started: a client that comes too early is told so. */
  readonly isStarting: () => boolean;
  /** Where pages get one script more. */
  readonly pageScript: PageScript | undefined;
};

export type Forward = (incoming: IncomingMessage, outgoing: ServerResponse, join?: Join) => void;

type Passage = {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly tap: GuardedTap | undefined;
  readonly join: Join | undefined;
  readonly head: string;
  readonly hasBody: boolean;
  readonly upstream: Upstream;
  readonly isStarting: () => boolean;
  readonly pageScript: PageScript | undefined;
  /** Of a page that gets one script more. */
  rewriter: BodyRewriter | undefined;
  /** Of the answer, where they are small. */
  readonly pieces: Pieces;
  /** Of the body, before the upstream was asked. */
  held: HeldBody | undefined;
  /** While the upstream owes something. */
  connection: Connection | undefined;
  framing: Framing;
  /** The head of the response is out, or goes with what was written. */
  hasBegun: boolean;
  isBroken: boolean;
  isOver: boolean;
};

/** Node's code for a request that did not arrive in time. */
export const tooSlow = 'ERR_HTTP_REQUEST_TIMEOUT';

/** RFC 9110, 9.2.1: those that ask for nothing to be changed. PUT and DELETE may be repeated, too, but with another answer. */
const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
/** For how long the rest of a body is read that the upstream did not wait for, so that the client reads the answer. */
const lingerMs = 10_000;

/** A small piece is copied: while a slow client has not read it, it would keep a whole read buffer. */
const copiedBelow = 4 * 1024;

function ignore(): void {
  // See `finish`.
}

function routeOf({ url = '' }: IncomingMessage): string {
  return cutForLog(url.split('?', 1)[0] ?? '');
}

const noBytes = new Uint8Array();

/**
 * The head goes with the first piece of the body where that is there already, and alone where it is not. `flushHeaders` would
 * send it as UTF-8: an empty piece of bytes lets Node send it as Latin-1, byte for byte as it came.
 */
function flushHead(passage: Passage): void {
  if (!passage.hasBegun && !passage.outgoing.destroyed) passage.outgoing.write(noBytes);
}

/** @returns the headers of the answer, as the app sent them or with those of a page that is changed */
function addScript(passage: Passage, head: ResponseHead, framing: Framing): readonly string[] {
  const { pageScript, incoming, outgoing, tap } = passage;
  if (!pageScript) return head.headers;
  const id = tap?.id;
  const named = id === undefined ? head.headers : [...head.headers, 'Server-Timing', formatFlightTiming(id)];
  const addition = pageScript.addTo(incoming, { ...head, headers: named }, framing);
  if (!addition) return named;
  const { coding, text } = addition;
  const onFree = () => passage.connection?.resume();
  passage.rewriter = rewriteBody({ outgoing, coding, text, onFree, onNoHead: pageScript.sayNoHead });
  passage.framing = 'chunked';
  return addition.headers;
}

function beginResponse(passage: Passage, head: ResponseHead, framing: Framing): void {
  const { incoming, outgoing, tap } = passage;
  const { status, reason } = head;
  // A client of HTTP/1.0 gets the body without chunks.
  const hasTrailers = framing === 'chunked' && incoming.httpVersionMinor > 0;
  tap?.response(status, head.headers);
  passage.framing = framing;
  const headers = addScript(passage, head, framing);
  outgoing.sendDate = false;
  outgoing.writeHead(status, reason, [...selectHeaders(headers, hasTrailers)]);
  if (framing !== 'none') process.nextTick(flushHead, passage);
}

function informClient({ incoming, outgoing }: Passage, head: ResponseHead): void {
  // A client of HTTP/1.0 does not know them.
  if (incoming.httpVersionMinor === 0) return;
  // They are hints: a client that does not read gets no more of them, however many the app sends.
  if (outgoing.socket?.writableNeedDrain === true) return;
  // Node's own 100 also keeps the connection for the next request.
  if (head.status === 100 && head.headers.length === 0) outgoing.writeContinue();
  else outgoing.socket?.write(writeResponseHead(head), 'latin1');
}

function endResponse(passage: Passage, trailers: readonly string[]): void {
  const { incoming, outgoing, pieces } = passage;
  pieces.flush();
  if (trailers.length > 0) {
    const pairs: [string, string][] = [];
    for (let at = 0; at < trailers.length; at += 2) pairs.push([trailers[at] ?? '', trailers[at + 1] ?? '']);
    outgoing.addTrailers(pairs);
  }
  passage.hasBegun = true;
  outgoing.end();
  if (incoming.complete) return;
  const { socket } = incoming;
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  incoming
    .on('end', () => clearTimeout(timer))
    .on('close', () => clearTimeout(timer))
    .resume();
}

/** What has come is sent; then the client sees that the response is not whole. */
function breakOff({ outgoing, framing, pieces }: Passage): void {
  pieces.flush();
  const { socket } = outgoing;
  // Where the end of the connection is the end of the body, only a reset says it.
  const isFramed = framing === 'length' || outgoing.chunkedEncoding;
  if (isFramed) socket?.destroySoon();
  else socket?.resetAndDestroy();
}

function fail(passage: Passage, { kind, detail, isStale }: Failure): void {
  const { incoming, outgoing, hasBody, upstream } = passage;
  const { method = '' } = incoming;
  passage.connection = undefined;
  // A new connection is never stale: there is no third time.
  if (isStale && !hasBody && safeMethods.has(method)) return begin(passage, 'fresh');
  passage.isBroken = true;
  const reason = `${upstream.address.name}: ${detail}`;
  if (outgoing.headersSent) {
    writeLog('warn', 'upstream-broke-off', { method, route: routeOf(incoming), detail: cutForLog(reason) });
    if (passage.rewriter) return passage.rewriter.end(() => breakOff(passage));
    return breakOff(passage);
  }
  if (kind === 'unreachable' && passage.isStarting()) return answerStarting(incoming, outgoing);
  const code = kind === 'unreachable' ? 'upstream-unreachable' : 'upstream-broke';
  refuseRequest(incoming, outgoing, { code, detail: reason, page: unreachablePage(code) });
}

function listen(passage: Passage, connection: Connection): ExchangeEvents {
  const { incoming, outgoing, tap } = passage;
  return {
    information: (head) => informClient(passage, head),
    head: (head, framing) => beginResponse(passage, head, framing),
    body(chunk) {
      tap?.body(chunk);
      if (passage.rewriter) {
        if (!passage.rewriter.write(Buffer.from(chunk))) connection.pause();
        return;
      }
      passage.hasBegun = true;
      if (chunk.byteLength < copiedBelow) return passage.pieces.add(chunk);
      passage.pieces.flush();
      if (!outgoing.write(chunk, connection.hold())) connection.pause();
    },
    end(trailers) {
      passage.connection = undefined;
      if (!passage.rewriter) return endResponse(passage, trailers);
      passage.rewriter.end((isWhole) => (isWhole ? endResponse(passage, trailers) : breakOff(passage)));
    },
    switched(head, rest) {
      const { join } = passage;
      if (!join) throw new Error('the app changed the protocol without being asked');
      passage.connection = undefined;
      tap?.response(head.status, head.headers);
      outgoing.socket?.write(writeResponseHead(head), 'latin1');
      tap?.end('complete');
      join(connection.release(), rest);
    },
    drain: () => void incoming.resume(),
    failure: (failure) => fail(passage, failure),
  };
}

function writeLastChunk(trailers: readonly string[]): string {
  let text = '0\r\n';
  for (let at = 0; at < trailers.length; at += 2) text += `${trailers[at]}: ${trailers[at + 1]}\r\n`;
  return `${text}\r\n`;
}

/** For a body that cannot be read, or does not come. The app sees that the client is gone. */
function refuseBody(passage: Passage, connection: Connection, error: NodeJS.ErrnoException): void {
  // A client that left gets no answer; the close of its connection follows.
  if (error.code === 'ECONNRESET') return;
  passage.connection = undefined;
  connection.abandon();
  const code = error.code === tooSlow ? 'too-slow' : 'malformed-request';
  refuseRequest(passage.incoming, passage.outgoing, { code, detail: error.message });
}

function sendBody(passage: Passage, connection: Connection): void {
  const { incoming, tap, held } = passage;
  const isChunked = incoming.headers['transfer-encoding'] !== undefined;
  function send(chunk: Buffer): void {
    // The response may be complete, or never come: the rest of the request is nobody's.
    if (passage.connection !== connection) return;
    tap?.requestBody(chunk);
    const isFree = isChunked ? connection.writeChunk(chunk) : connection.write(chunk);
    if (!isFree) incoming.pause();
  }
  function end(): void {
    if (passage.connection !== connection) return;
    if (isChunked) connection.write(writeLastChunk(incoming.rawTrailers));
    connection.finishRequest();
  }
  for (const chunk of held?.chunks ?? []) send(chunk);
  if (held?.isWhole) return end();
  incoming.on('data', send);
  incoming.on('end', end);
  incoming.on('error', (error) => {
    if (passage.connection === connection) refuseBody(passage, connection, error);
  });
  if (held) incoming.resume();
}

/** The app has seen nothing of it. What was tried is told to who records. */
function refuseForged({ incoming, outgoing, tap }: Passage, { chunks, isWhole }: HeldBody): void {
  for (const chunk of chunks) tap?.requestBody(chunk);
  tap?.response(403, []);
  refuseRequest(incoming, outgoing, {
    code: 'forged-request',
    detail: isWhole ? 'judged by its body' : 'too long to judge',
  });
}

/** Holds the body back until it is known whether the app may have it. */
function screenBody(passage: Passage, screening: Screening): void {
  const { incoming, outgoing } = passage;
  // Who waits for this word sends no body before.
  if (incoming.headers.expect?.toLowerCase() === '100-continue') outgoing.writeContinue();
  function onHeld(held: HeldBody): void {
    if (passage.isOver) return;
    const isRefused = held.isWhole ? screening.isRefused(Buffer.concat(held.chunks)) : screening.refusesLarger;
    if (isRefused) {
      passage.hasBegun = true;
      return refuseForged(passage, held);
    }
    passage.held = held;
    begin(passage, 'any');
  }
  holdBody(incoming, screening.limit, onHeld, (error) => {
    if (error.code === 'ECONNRESET') return;
    const code = error.code === tooSlow ? 'too-slow' : 'malformed-request';
    refuseRequest(incoming, outgoing, { code, detail: error.message });
  });
}

function begin(passage: Passage, kind: ConnectionKind): void {
  passage.upstream.open(kind, (connection) => {
    // The client left meanwhile, or its body broke.
    if (passage.isOver) return connection.abandon();
    const { errored } = passage.incoming;
    if (errored) return refuseBody(passage, connection, errored);
    passage.connection = connection;
    connection.begin(passage.head, passage.incoming.method ?? '', listen(passage, connection));
    if (passage.hasBody) sendBody(passage, connection);
    else connection.finishRequest();
  });
}

function finish(passage: Passage): void {
  passage.isOver = true;
  // So the upstream is told that the client left.
  passage.connection?.abandon();
  passage.connection = undefined;
  passage.rewriter?.discard();
  const outcome = passage.hasBegun && passage.outgoing.writableFinished ? 'complete' : 'left';
  passage.tap?.end(passage.isBroken ? 'broken' : outcome);
}

export function createForward({
  upstream,
  guard,
  hostHeader,
  screen,
  isStarting,
  pageScript,
}: ForwarderParts): Forward {
  const { authority } = upstream.address;
  const host = hostHeader === 'upstream' ? authority : undefined;

  return function forward(incoming, outgoing, join) {
    const { method = '', url = '', headers, rawHeaders, socket } = incoming;
    const peer = canonicalize(socket.remoteAddress ?? '') ?? 'unknown';
    const tap = guard.watch({ method, target: url, headers: rawHeaders, startedAt: Date.now(), peer });
    const length = headers['content-length'];
    gatherChunks(incoming);
    const passage: Passage = {
      incoming,
      outgoing,
      tap,
      join,
      head: writeRequestHead(incoming, { host, authority, peer, isUpgrade: join !== undefined }),
      hasBody: headers['transfer-encoding'] !== undefined || (length !== undefined && Number(length) > 0),
      upstream,
      isStarting,
      pageScript,
      pieces: gatherPieces(outgoing, {
        pause: () => passage.connection?.pause(),
        resume: () => passage.connection?.resume(),
      }),
      rewriter: undefined,
      held: undefined,
      connection: undefined,
      framing: 'none',
      hasBegun: false,
      isBroken: false,
      isOver: false,
    };
    outgoing.on('drain', () => (passage.rewriter ? passage.rewriter.resume() : passage.connection?.resume()));
    outgoing.on('close', () => finish(passage));
    // The close says all. Without a listener, an error would end the process.
    outgoing.on('error', ignore);
    const screening = passage.hasBody && !join ? screen({ method, target: url, headers: rawHeaders }) : undefined;
    if (screening) screenBody(passage, screening);
    else begin(passage, join ? 'switching' : 'any');
  };
}
