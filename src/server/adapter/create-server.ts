import 'server-only';

import { IncomingMessage, type Server, type ServerResponse } from 'node:http';

import { getRequestListener } from '@hono/node-server';

import { findVisitor } from '#src/server/http/visitor.ts';
import { createLimitedServer, type CheckHead, type Limits } from '#src/server/connections/limited-server.ts';
import { limitChunks } from '#src/server/connections/chunked-bodies.ts';
import type { InFlightResponses } from '#src/server/connections/in-flight-responses.ts';
import { refuseRequest } from '#src/server/connections/refusal.ts';

import { headerLimit } from './check-request-head.ts';
import type { SendFile } from './send-file.ts';
import { stripHeaders } from './strip-headers.ts';

export type Answer = (request: Request, env: object) => Response | Promise<Response>;

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

/** Node's HTTP server with everything in front of Hono; it does not listen yet. */
export function createHttpServer({ answer, sendFile, checkHead, inFlight, limits, ...parts }: ServerParts): Server {
  /** Of a visitor who comes through an app, the app's process says it. */
  function readAddress(incoming: IncomingMessage): string {
    return findVisitor(incoming)?.address ?? parts.readAddress(incoming);
  }

  const answerWithHono = getRequestListener((request, env) => {
    const { incoming } = env;
    if (!(incoming instanceof IncomingMessage)) return answer(request, env);
    const address = readAddress(incoming);
    stripHeaders(incoming);
    return answer(request, Object.assign(env, { address }));
  });

  async function respond(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    limitChunks(incoming, outgoing);
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
    limitChunks(incoming, outgoing);
    outgoing.writeContinue();
    void answerWithHono(incoming, outgoing);
  }

  function refuseExpectation(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const detail = `Expect: ${incoming.headers.expect ?? ''}`;
    refuseRequest(incoming, outgoing, { code: 'expectation-failed', detail });
  }

  return createLimitedServer({
    checkHead,
    inFlight,
    limits,
    // Node's own, as much as any proxy lets through.
    maxHeaderSize: 16 * 1024,
    headerLimit,
    answer: goOn,
    answerContinue: askForBody,
    answerExpectation: refuseExpectation,
    refuseConnect: { code: 'wrong-method', detail: 'CONNECT' },
  });
}
