import 'server-only';

import { createServer, IncomingMessage, type Server, type ServerResponse } from 'node:http';

import { getRequestListener } from '@hono/node-server';

import { writeLog } from '#src/runtime/log.ts';

import { answerBrokenMessages } from './broken-messages.ts';
import type { CheckHead } from './check-request-head.ts';
import { refuseConnection, refuseRequest } from './refusal.ts';
import type { SendFile } from './send-file.ts';
import { stripHeaders } from './strip-headers.ts';
import type { UnderWay } from './under-way.ts';

export type Answer = (request: Request, env: object) => Response | Promise<Response>;

export type Limits = {
  /** Milliseconds until the headers are there, from the connection or the end of the request before. */
  readonly headersTimeout: number;
  /** Milliseconds until all of a request is there. */
  readonly requestTimeout: number;
  /** How long a connection may be idle between two requests. */
  readonly keepAliveTimeout: number;
  /**
   * How long nothing may move on a connection while a response is under way. A reader who takes nothing would keep a
   * page in memory, and its place among those that are answered at once.
   */
  readonly stalledTimeout: number;
  /** How often the first two are looked at: they are that much longer at worst. */
  readonly connectionsCheckingInterval: number;
};

/**
 * The largest sum of headers is Node's own, 16 KiB, as much as any proxy lets through.
 *
 * An idle connection costs some 14 KiB. A low limit would not save memory worth having, and whoever holds that many idle
 * ones would lock everybody out (measured: with 200, the next request is reset). So this is where an open-files limit of
 * 65,536 leaves room for files, and where 20,000 times 14 KiB begin to matter.
 */
const maxConnections = 20_000;
/** A line for each connection beyond it would be its own flood. */
const dropLogMs = 60_000;

export type ServerParts = {
  readonly answer: Answer;
  /** Asked before `answer`; says whether it has answered. */
  readonly sendFile: SendFile;
  /** Asked with the first request; the names depend on the port. */
  readonly checkHead: CheckHead;
  readonly readAddress: (incoming: IncomingMessage) => string;
  readonly underWay: UnderWay;
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

/** Node's HTTP server with everything in front of Hono; it does not listen yet. */
export function createHttpServer({ answer, sendFile, checkHead, readAddress, underWay, limits }: ServerParts): Server {
  const answerWithHono = getRequestListener((request, env) => {
    const { incoming } = env;
    if (!(incoming instanceof IncomingMessage)) return answer(request, env);
    const address = readAddress(incoming);
    stripHeaders(incoming);
    return answer(request, Object.assign(env, { address }));
  });

  function take(incoming: IncomingMessage, outgoing: ServerResponse): boolean {
    underWay.add(outgoing);
    const refusal = checkHead(incoming);
    if (refusal) refuseRequest(incoming, outgoing, refusal);
    return refusal === undefined;
  }

  async function respond(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    let isSent: boolean | Promise<boolean>;
    try {
      isSent = sendFile(incoming, outgoing, () => readAddress(incoming));
      if (typeof isSent !== 'boolean') isSent = await isSent;
    } catch {
      // What fails there fails in the middlewares again, which answer for it and report it.
      isSent = outgoing.headersSent;
    }
    if (!isSent) await answerWithHono(incoming, outgoing);
  }

  // A missing Host is refused like everything else, with a line in the log.
  const server = createServer({ ...limits, requireHostHeader: false }, (incoming, outgoing) => {
    if (take(incoming, outgoing)) void respond(incoming, outgoing);
  });
  server.maxConnections = maxConnections;
  server.timeout = limits.stalledTimeout;
  server.on('checkContinue', (incoming, outgoing) => {
    if (!take(incoming, outgoing)) return;
    outgoing.writeContinue();
    void answerWithHono(incoming, outgoing);
  });
  server.on('checkExpectation', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    underWay.add(outgoing);
    const detail = `Expect: ${incoming.headers.expect ?? ''}`;
    refuseRequest(incoming, outgoing, checkHead(incoming) ?? { code: 'expectation-failed', detail });
  });
  server.on('connect', (incoming, socket) => {
    refuseConnection(socket, { code: 'wrong-method', detail: 'CONNECT' }, incoming);
  });
  answerBrokenMessages(server, underWay);
  logDrops(server);
  return server;
}
