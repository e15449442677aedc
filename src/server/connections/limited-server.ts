import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

import { writeLog } from '#src/server/http/log.ts';

import { answerBrokenMessages } from './broken-messages.ts';
import type { InFlightResponses } from './in-flight-responses.ts';
import { refuseConnection, refuseRequest, type ConnectionRefusal } from './refusal.ts';
import { createRequestQueues } from './request-queue.ts';
import { limitUnfinishedHeads } from './unfinished-heads.ts';

/**
 * Node's HTTP server with what each of our ports needs before it answers anything: limits against slow, idle and many
 * clients, one request of a connection at a time, a check of the request's head, and one refusal for what cannot be read.
 * Our own interface and the proxy differ in who answers.
 */

export type Limits = {
  /** Milliseconds until the headers are there, from the connection or the end of the request before. */
  readonly headersTimeout: number;
  /** Milliseconds until all of a request is there; 0: nobody waits for it here. */
  readonly requestTimeout: number;
  /** How long a connection may be idle between two requests. */
  readonly keepAliveTimeout: number;
  /**
   * How long nothing may move on a connection while a response is in flight. A client that reads nothing would keep a
   * page in memory, and its place among those that are answered at once.
   */
  readonly stalledTimeout: number;
  /** How often the first two are looked at: they are that much longer at worst. */
  readonly connectionsCheckingInterval: number;
};

/**
 * An idle connection costs some 14 KiB. A low limit would save little memory, and a client that holds that many idle
 * connections would lock everybody out (measured: with 200, the next request is reset). With this limit an open-files limit
 * of 65,536 still has room for files, and 20,000 times 14 KiB is as much memory as is worth limiting.
 */
const maxConnections = 20_000;
/** A client that sent requests ahead and is gone is looked for less often. */
const checksPerLook = 5;
/** A line for each connection beyond it would flood the log. */
const dropLogMs = 60_000;

/** Says why a request is refused, from its head alone. */
export type CheckHead = (incoming: IncomingMessage) => ConnectionRefusal | undefined;

/** Answers a request whose head was checked. */
type Go = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

export type LimitedServerParts = {
  readonly checkHead: CheckHead;
  readonly inFlight: InFlightResponses;
  readonly limits: Limits;
  /** The largest sum of headers, in bytes, and how many there may be. One more is kept, so that `checkHead` can refuse them. */
  readonly maxHeaderSize: number;
  readonly headerLimit: number;
  readonly answer: Go;
  /** For `Expect: 100-continue`. */
  readonly answerContinue: Go;
  /** For any other `Expect`. */
  readonly answerExpectation: Go;
  /** What a CONNECT is refused as. */
  readonly refuseConnect: ConnectionRefusal;
  readonly options?: Pick<ServerOptions, 'shouldUpgradeCallback' | 'keepAlive' | 'keepAliveInitialDelay' | 'noDelay'>;
  /** With `shouldUpgradeCallback`. Nothing else is in flight on this connection. */
  readonly upgrade?: (incoming: IncomingMessage, socket: Duplex, head: Buffer) => void;
};

function logDrops(server: Server): void {
  let loggedAt = -Infinity;
  server.on('drop', () => {
    if (performance.now() - loggedAt < dropLogMs) return;
    loggedAt = performance.now();
    writeLog('warn', 'connections-dropped', { limit: maxConnections });
  });
}

/** The server does not listen yet. */
export function createLimitedServer(parts: LimitedServerParts): Server {
  const { checkHead, inFlight, limits, maxHeaderSize, answer, answerContinue, answerExpectation, upgrade } = parts;
  const queues = createRequestQueues(checksPerLook * limits.connectionsCheckingInterval);

  function begin(incoming: IncomingMessage, outgoing: ServerResponse, go: Go): void {
    const refusal = checkHead(incoming);
    if (refusal) refuseRequest(incoming, outgoing, refusal);
    else go(incoming, outgoing);
  }

  function take(incoming: IncomingMessage, outgoing: ServerResponse, go: Go): void {
    heads.end(incoming, outgoing);
    // Node gives the connection to one response at a time.
    if (outgoing.socket) {
      inFlight.add(outgoing);
      queues.start(outgoing, () => begin(incoming, outgoing, go));
      return;
    }
    queues.wait(outgoing, () => {
      inFlight.add(outgoing);
      begin(incoming, outgoing, go);
    });
  }

  /** An answer here would stand between the bytes of another one. */
  function isTaken(socket: Duplex): boolean {
    return queues.findLast(socket) !== undefined || inFlight.find(socket) !== undefined;
  }

  // A missing Host is refused like everything else, with a line in the log.
  const options = { ...limits, ...parts.options, maxHeaderSize, requireHostHeader: false };
  const server = createServer(options, (incoming, outgoing) => take(incoming, outgoing, answer));
  const heads = limitUnfinishedHeads(server);
  server.maxConnections = maxConnections;
  server.on('connection', queues.noteConnection);
  server.timeout = limits.stalledTimeout;
  server.maxHeadersCount = parts.headerLimit + 1;
  server.on('checkContinue', (incoming, outgoing) => take(incoming, outgoing, answerContinue));
  server.on('checkExpectation', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    take(incoming, outgoing, answerExpectation);
  });
  server.on('connect', (incoming, socket) => {
    if (isTaken(socket)) socket.destroy();
    else refuseConnection(socket, parts.refuseConnect, incoming);
  });
  if (upgrade) {
    server.on('upgrade', (incoming, socket, head) => {
      heads.end(incoming);
      const refusal = checkHead(incoming);
      if (isTaken(socket)) socket.destroy();
      else if (refusal) refuseConnection(socket, refusal, incoming);
      else upgrade(incoming, socket, head);
    });
  }
  answerBrokenMessages(server, { inFlight, queues, maxHeaderSize, headerLimit: parts.headerLimit });
  logDrops(server);
  return server;
}
