import 'server-only';

import { createServer, IncomingMessage, type Server, type ServerResponse } from 'node:http';

import { getRequestListener } from '@hono/node-server';

import { writeLog } from '#src/http/log.ts';

import { answerBrokenMessages } from './broken-messages.ts';
import { headerLimit, type CheckHead } from './check-request-head.ts';
import { createRequestQueues } from './request-queue.ts';
import { refuseConnection, refuseRequest } from './refusal.ts';
import type { SendFile } from './send-file.ts';
import { stripHeaders } from './strip-headers.ts';
import type { InFlightResponses } from './in-flight-responses.ts';

export type Answer = (request: Request, env: object) => Response | Promise<Response>;

export type Limits = {
  /** Milliseconds until the headers are there, from the connection or the end of the request before. */
  readonly headersTimeout: number;
  /** Milliseconds until all of a request is there. */
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
 * The largest sum of headers is Node's own, 16 KiB, as much as any proxy lets through.
 *
 * An idle connection costs some 14 KiB. A low limit would save little memory, and a client that holds that many idle
 * connections would lock everybody out (measured: with 200, the next request is reset). With this limit an open-files limit
 * of 65,536 still has room for files, and 20,000 times 14 KiB is as much memory as is worth limiting.
 */
const maxConnections = 20_000;
/** A line for each connection beyond it would flood the log. */
const dropLogMs = 60_000;

export type ServerParts = {
  readonly answer: Answer;
  /** Asked before `answer`; says whether it has answered. */
  readonly sendFile: SendFile;
  /** Asked with the first request; the names depend on the port. */
  readonly checkHead: CheckHead;
  readonly readAddress: (incoming: IncomingMessage) => string;
  readonly inFlight: InFlightResponses;
  readonly limits: Limits;
};

function logDrops(server: Server): void {
  let loggedAt = -Infinity;
  server.on('drop', () => {
    if (performance.now() - loggedAt < dropLogMs) return;
    loggedAt = performance.now();
    writeLog('warn', 'connections-dropped', { limit: maxConnections });
  });
}

/** Answers a request whose head was checked. */
type Go = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

/** Node's HTTP server with everything in front of Hono; it does not listen yet. */
export function createHttpServer({ answer, sendFile, checkHead, readAddress, inFlight, limits }: ServerParts): Server {
  const queues = createRequestQueues();
  const answerWithHono = getRequestListener((request, env) => {
    const { incoming } = env;
    if (!(incoming instanceof IncomingMessage)) return answer(request, env);
    const address = readAddress(incoming);
    stripHeaders(incoming);
    return answer(request, Object.assign(env, { address }));
  });

  function begin(incoming: IncomingMessage, outgoing: ServerResponse, go: Go): void {
    inFlight.add(outgoing);
    const refusal = checkHead(incoming);
    if (refusal) refuseRequest(incoming, outgoing, refusal);
    else go(incoming, outgoing);
  }

  function take(incoming: IncomingMessage, outgoing: ServerResponse, go: Go): void {
    // Node gives the connection to one response at a time.
    if (outgoing.socket) begin(incoming, outgoing, go);
    else queues.wait(outgoing, () => begin(incoming, outgoing, go));
  }

  async function respond(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    let isSent: boolean | Promise<boolean>;
    try {
      isSent = sendFile(incoming, outgoing, () => readAddress(incoming));
      if (typeof isSent !== 'boolean') isSent = await isSent;
    } catch {
      // The middlewares will fail in the same way; they answer the failure and report it.
      isSent = outgoing.headersSent;
    }
    if (!isSent) await answerWithHono(incoming, outgoing);
  }

  function goOn(incoming: IncomingMessage, outgoing: ServerResponse): void {
    void respond(incoming, outgoing);
  }

  function askForBody(incoming: IncomingMessage, outgoing: ServerResponse): void {
    outgoing.writeContinue();
    void answerWithHono(incoming, outgoing);
  }

  function refuseExpectation(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const detail = `Expect: ${incoming.headers.expect ?? ''}`;
    refuseRequest(incoming, outgoing, { code: 'expectation-failed', detail });
  }

  // A missing Host is refused like everything else, with a line in the log.
  const server = createServer({ ...limits, requireHostHeader: false }, (incoming, outgoing) => {
    take(incoming, outgoing, goOn);
  });
  server.maxConnections = maxConnections;
  server.timeout = limits.stalledTimeout;
  // Of the headers that are too many, one more than are allowed is kept: enough to refuse them.
  server.maxHeadersCount = headerLimit + 1;
  server.on('checkContinue', (incoming, outgoing) => take(incoming, outgoing, askForBody));
  server.on('checkExpectation', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    take(incoming, outgoing, refuseExpectation);
  });
  server.on('connect', (incoming, socket) => {
    // An answer here would stand between the bytes of another one.
    if (queues.findLast(socket) || inFlight.find(socket)) socket.destroy();
    else refuseConnection(socket, { code: 'wrong-method', detail: 'CONNECT' }, incoming);
  });
  answerBrokenMessages(server, inFlight, queues);
  logDrops(server);
  return server;
}
