import 'server-only';

import { createHash } from 'node:crypto';

import type { Context, MiddlewareHandler } from 'hono';

import type { ApiAnswer } from '#src/api/answer.ts';
import { answerApi, findEndpoint, isReadApiPath } from '#src/api/answer-api.ts';
import { errorCodes } from '#src/server/http/error-codes.ts';
import { describeError } from '#boundary';
import type { FileRule } from '#src/server/http/file-rule.ts';
import { writeLog } from '#src/server/http/log.ts';
import { refuse, renderRefusal } from '#src/server/http/refuse.ts';
import { currentRequest, type OperatorAccess } from '#src/server/http/request-context.ts';
import { splitUrl } from '#src/server/http/request-url.ts';
import { publicOrigin, serverSettings } from '#src/server/http/server-settings.ts';
import { createBuckets, type TakeToken } from '#src/server/http/token-bucket.ts';
import { findOperator } from '#src/access/find-operator.ts';
import { noteRefusedToken } from '#src/access/refused-tokens.ts';
import { findTokenAccess } from '#src/access/tokens.ts';

/**
 * `/api/v1/…`: the operator's data for programs. In this order: the rate of the address, the method, the token, the token's own rate,
 * the question. It answers everything below its path itself and passes nothing on, so a token opens nothing else: no page, no action,
 * no sign-in. Whoever is signed in may ask without a token, in a browser.
 */

/**
 * `own`: a script that walks through a list, with some 5 ms of a query for each part. `shared`: what looking tokens up may cost when
 * strangers from many networks try; it is wide, so that they do not keep out who has a token.
 */
const addressLimits = { own: { size: 120, perSecond: 10 }, shared: { size: 2_000, perSecond: 200 } };
/** One program, from however many addresses; and all programs together, a quarter of a processor. */
const tokenLimits = { own: { size: 120, perSecond: 10 }, shared: { size: 400, perSecond: 50 } };
/**
 * What a token that is refused costs its address, in answers. Nobody guesses 256 bits: it slows down a program that asks again and
 * again with an old one, to one request a second.
 */
const priceOfRefusal = 9;

const bearer = /^Bearer ([\x21-\x7E]{1,200})$/i;
const methods = new Set(['GET', 'HEAD']);

function refuseMany(detail: string, wait: number): Response {
  return refuse('too-many-requests', 'json', detail, { 'retry-after': String(wait) });
}

/** One answer for every reason. Its line in the log is for many of a kind: access/refused-tokens.ts. */
function refuseToken(address: string): Response {
  noteRefusedToken(address);
  const { headers, body } = renderRefusal('wrong-token', 'json');
  const { status } = errorCodes['wrong-token'];
  return new Response(body, { status, headers: { ...headers, 'www-authenticate': 'Bearer realm="flight-recorder"' } });
}

function toEtag(json: string): string {
  return `"${createHash('sha256').update(json).digest('base64url').slice(0, 22)}"`;
}

function answerDocument(c: Context, json: string): Response {
  const etag = toEtag(json);
  const headers = { etag, 'cache-control': 'no-cache', 'content-type': 'application/json; charset=utf-8' };
  const isKnown = c.req.header('if-none-match')?.includes(etag) === true;
  return isKnown ? new Response(null, { status: 304, headers }) : new Response(json, { headers });
}

/** What is recorded is kept by nobody on the way. */
function toResponse(c: Context, answer: ApiAnswer): Response {
  const headers = { 'cache-control': 'private, no-store', vary: 'Authorization, Cookie' };
  switch (answer.type) {
    case 'json': {
      const body = `${JSON.stringify(answer.body)}\n`;
      return new Response(body, { headers: { ...headers, 'content-type': 'application/json; charset=utf-8' } });
    }
    case 'bytes':
      return new Response(answer.bytes, { headers: { ...headers, 'content-type': answer.contentType } });
    case 'document':
      return answerDocument(c, answer.json);
    case 'refused':
      return refuse(answer.code, 'json', answer.detail, {}, answer.more);
  }
}

async function findAccess(c: Context, takeForToken: TakeToken): Promise<OperatorAccess | Response | undefined> {
  const authorization = c.req.header('authorization');
  if (authorization === undefined) return findOperator(c.req.header('cookie') ?? null);
  const text = bearer.exec(authorization)?.[1];
  const access = text === undefined ? undefined : await findTokenAccess(text);
  if (!access) return undefined;
  const wait = takeForToken(access.token);
  return wait > 0 ? refuseMany(`the token ${access.token} asks too often`, wait) : access;
}

export function readApi(): MiddlewareHandler {
  const takeForAddress = createBuckets(addressLimits);
  const takeForToken = createBuckets(tokenLimits);

  async function answer(c: Context): Promise<Response> {
    const context = currentRequest();
    if (!context) throw new Error('The middleware "readApi" stands below "requestContext"');
    const wait = takeForAddress(context.address);
    if (wait > 0) return refuseMany('the address asks the API too often', wait);
    if (!methods.has(c.req.method)) return refuse('wrong-method', 'json', c.req.method, { allow: 'GET, HEAD' });
    const { pathname, search } = splitUrl(c.req.raw.url);
    const isOpen = findEndpoint(pathname)?.endpoint.isOpen === true;
    const access = isOpen ? ({ kind: 'reader', apps: [] } as const) : await findAccess(c, takeForToken);
    if (access instanceof Response) return access;
    if (!access) {
      takeForAddress(context.address, priceOfRefusal);
      return refuseToken(context.address);
    }
    context.operator = access;
    const origin = publicOrigin(serverSettings());
    return toResponse(c, await answerApi({ pathname, search, access, origin }));
  }

  async function answerOrSayWhy(c: Context): Promise<Response> {
    try {
      return await answer(c);
    } catch (error) {
      writeLog('error', 'api-not-answered', { reason: describeError(error) });
      return refuse('not-answered', 'json', 'a query failed', { 'retry-after': '5' });
    }
  }

  return function readApiMiddleware(c, next) {
    return isReadApiPath(c.req.path) ? answerOrSayWhy(c) : next();
  };
}

export const readApiOfFile: FileRule = { answers: isReadApiPath };
