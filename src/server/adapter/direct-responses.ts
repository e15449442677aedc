import 'server-only';

import type { ServerResponse } from 'node:http';

import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';

import { findOutgoing } from '#src/server/http/find-outgoing.ts';
import { requestIdHeader } from '#report/sender/request-id-header.ts';
import { setSecurityHeaders } from '#src/server/http/security-headers.ts';
import { findBody, sendBody, type Body } from '#src/server/http/body.ts';

import { chooseEncoding } from './accept-encoding.ts';
import { gzipBody } from './gzip-body.ts';
import { toOutgoingHeaders } from './to-outgoing-headers.ts';
import { readAhead } from './web-body.ts';

/**
 * Rendered pages go from the renderer to Node's response without a web stream (see server/http/body.ts), after
 * every middleware has seen them as an ordinary `Response`: status and headers are read from the response as the
 * middlewares left it. Other streams go the same way, so that everything that is made for a request is compressed in one
 * place. Hono's server would also write the message of a stream's error into the body.
 */
const keptBody = Symbol('kept body');

// Hono's server looks for the mark on responses that are not its own lightweight ones. Reading the body makes this one ordinary.
const alreadySent = RESPONSE_ALREADY_SENT;
if (alreadySent.body !== null) throw new Error("Hono's mark for a response that is already sent has a body");

/** Text of any kind but events, which must not wait in a compressor's buffer. Other types are compressed already. */
const compressible =
  /^(?:text\/(?!event-stream)|application\/(?:[\w.+-]+\+)?(?:json|xml|javascript)\b|image\/svg\+xml)/;

/** An ETag names exact bytes, so a body with one is sent as it is: files bring their own compressed versions. */
function isCompressible(headers: Headers): boolean {
  return (
    compressible.test(headers.get('content-type') ?? '') &&
    !headers.has('content-encoding') &&
    !headers.has('etag') &&
    headers.get('cache-control')?.includes('no-transform') !== true
  );
}

/** Remembers the body behind Waku's response. For HEAD nobody will read it, so its rendering stops. */
export function keepBody(response: Response, method: string, env: object): void {
  const body = findBody(response);
  if (!body) return;
  if (method === 'HEAD') return body.cancel();
  const outgoing = findOutgoing(env);
  if (outgoing) Object.assign(outgoing, { [keptBody]: body });
}

function findKeptBody(response: Response, outgoing: ServerResponse): Body | undefined {
  const body: Body | undefined = Reflect.get(outgoing, keptBody);
  // A middleware that replaced the body reads this one through its web stream, or does not use it.
  return body && findBody(response) === body ? body : undefined;
}

function send(body: Body, response: Response, request: Request, outgoing: ServerResponse): Response {
  const { headers } = response;
  if (!isCompressible(headers)) {
    sendBody(body, outgoing, response.status, toOutgoingHeaders(headers));
    return alreadySent;
  }
  const vary = headers.get('vary');
  const outgoingHeaders = toOutgoingHeaders(headers);
  outgoingHeaders['vary'] = vary === null ? 'Accept-Encoding' : `${vary}, Accept-Encoding`;
  const encoding = chooseEncoding(request.headers.get('accept-encoding') ?? undefined, ['gzip']);
  sendBody(encoding ? gzipBody(body) : body, outgoing, response.status, outgoingHeaders);
  return alreadySent;
}

/** Says to the visitor that this server failed, and tells the operator why. */
export type AnswerFailure = (error: unknown) => Promise<Response>;

/** For a stream that fails before its first byte. The middlewares have run, so their headers are added here. */
function answerBrokenStream(failure: Response, response: Response): Response {
  setSecurityHeaders(failure.headers, '');
  const requestId = response.headers.get(requestIdHeader);
  if (requestId) failure.headers.set(requestIdHeader, requestId);
  return failure;
}

/**
 * Sends `response` when its body is a stream; any other one is returned for Hono's server to send: no body, a file,
 * whatever names its length.
 */
export async function sendDirectly(
  response: Response,
  request: Request,
  env: object,
  answerFailure: AnswerFailure,
): Promise<Response> {
  const outgoing = findOutgoing(env);
  if (!outgoing) return response;
  const kept = findKeptBody(response, outgoing);
  if (kept) {
    const held = kept.settle?.();
    if (held) await held;
    return send(kept, response, request, outgoing);
  }
  if (response.headers.has('content-length') || response.body === null) return response;
  let body: Body;
  try {
    body = await readAhead(response.body);
  } catch (error) {
    return answerBrokenStream(await answerFailure(error), response);
  }
  return send(body, response, request, outgoing);
}
