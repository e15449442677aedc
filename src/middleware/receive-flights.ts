import 'server-only';

import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

import type { Context, MiddlewareHandler } from 'hono';

import type { App } from '#src/apps/apps.ts';
import { authoriseSender } from '#src/apps/authorise-sender.ts';
import { refuseMalformedBody, refuseSender, type SenderRefusal } from '#src/apps/refuse-sender.ts';
import { appFlightsPath } from '#src/http/addresses.ts';
import { checkDeclaredLength, type BodyLimit, type Refused } from '#src/http/check-request.ts';
import { describeError } from '#src/http/describe-error.ts';
import { writeLog } from '#src/http/log.ts';
import type { FileRule } from '#src/http/file-rule.ts';
import { receiptCounts } from '#src/http/receipt-counts.ts';
import { takeBody } from '#src/http/read-body.ts';
import { refuse } from '#src/http/refuse.ts';
import { receiveFlights as keepFlights } from '#src/recorder/receive-flights.ts';

/**
 * Where a proxy elsewhere sends the flights of an app: docs/receiving-flights.md. Who sends shows the app's secret key. The key is
 * checked before anything is read, so a stranger costs a comparison; what a sender sends is bounded before it is unpacked.
 */

/** What any body may have here (http/check-request.ts). One flight of the largest size fits, packed. */
const wireLimit: BodyLimit = { bytes: 1024 * 1024, code: 'body-too-large' };
/** Two of the largest flights, with debug rows and arguments, in base64. */
const unpackedBytes = 8 * 1024 * 1024;
/** Each holds its text and what is read from it in memory. A sender waits a second for its turn. */
const mostAtOnce = 2;
/** As long as the recorder waits before it starts a thread that ended again, and longer than a batch takes. */
const retrySeconds = 2;
const types = ['application/x-ndjson', 'application/json'];

const unpack = promisify(gunzip);

/** What stands in the place of the app: an id has nothing that an address encodes. */
const [before = '', after = ''] = appFlightsPath('*').split('*');
const idPattern = /^[a-z0-9-]{1,64}$/;

/** The id in the path to which an app's flights are sent; undefined for any other path. */
export function findFlightsApp(path: string): string | undefined {
  if (!path.startsWith(before) || !path.endsWith(after)) return undefined;
  const id = path.slice(before.length, -after.length);
  return idPattern.test(id) ? id : undefined;
}

function checkHeaders({ req }: Context): SenderRefusal | undefined {
  const type = (req.header('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (!types.includes(type)) return { code: 'unsupported-type', detail: `Content-Type: ${type}` };
  const encoding = req.header('content-encoding') ?? 'identity';
  if (encoding !== 'identity' && encoding !== 'gzip') {
    const headers = { 'accept-encoding': 'gzip, identity' };
    return { code: 'unsupported-encoding', detail: `Content-Encoding: ${encoding}`, headers };
  }
  return checkDeclaredLength(req.raw, wireLimit);
}

async function unpackBody(body: Uint8Array): Promise<Uint8Array | Refused> {
  try {
    return await unpack(body, { maxOutputLength: unpackedBytes });
  } catch (error) {
    const isTooLarge = error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    if (isTooLarge) return { code: wireLimit.code, detail: `more than ${unpackedBytes} bytes, unpacked` };
    return { code: 'malformed-request', detail: 'the body is not gzip' };
  }
}

async function takeText({ req }: Context): Promise<string | Refused> {
  const body = await takeBody(req.raw, wireLimit);
  const bytes = 'code' in body || req.header('content-encoding') !== 'gzip' ? body : await unpackBody(body);
  if ('code' in bytes) return bytes;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return { code: 'malformed-request', detail: 'the body is not UTF-8' };
  }
}

function isBusy(code: Refused['code']): boolean {
  return code === 'overloaded' || code === 'not-stored';
}

function refuseBatch(app: string | undefined, { headers, ...refused }: SenderRefusal): Response {
  const retry = isBusy(refused.code) ? { 'retry-after': String(retrySeconds) } : {};
  return refuseSender('flights', app, { ...refused, headers: { ...retry, ...headers } });
}

async function keep(c: Context, app: App): Promise<Response> {
  const text = await takeText(c);
  if (typeof text !== 'string') return refuseBatch(app.id, text);
  const receipt = await keepFlights(text, app);
  switch (receipt.type) {
    case 'malformed':
      return refuseMalformedBody('flights', app.id, receipt.reason);
    case 'busy':
      return refuseBatch(app.id, { code: 'not-stored', detail: receipt.reason });
    case 'stored':
      receiptCounts.add('flights', 'kept');
      return c.json({ stored: receipt.stored, left: receipt.left }, 200, { 'cache-control': 'private, no-store' });
  }
}

/** Takes flights at the path of each app, and lets other paths pass. */
export function receiveFlights(): MiddlewareHandler {
  let inside = 0;

  async function answer(c: Context, id: string): Promise<Response> {
    if (c.req.method !== 'POST') return refuse('wrong-method', 'json', 'only POST', { allow: 'POST' });
    const sender = await authoriseSender(id, c.req.header('authorization') ?? null);
    if (sender.type === 'refused') {
      const headers = { 'www-authenticate': 'Bearer realm="app"' };
      return refuseBatch(sender.app?.id, { code: 'wrong-key', detail: `not the key of ${id}`, headers });
    }
    const { app } = sender;
    const refusal = checkHeaders(c);
    if (refusal) return refuseBatch(app.id, refusal);
    if (inside >= mostAtOnce) return refuseBatch(app.id, { code: 'overloaded', detail: 'too many batches at once' });
    inside += 1;
    try {
      return await keep(c, app);
    } catch (error) {
      writeLog('error', 'flights-not-received', { reason: describeError(error) });
      return refuseBatch(app.id, { code: 'not-stored', detail: 'the recorder failed' });
    } finally {
      inside -= 1;
    }
  }

  return function receiveFlightsMiddleware(c, next) {
    const id = findFlightsApp(c.req.path);
    return id === undefined ? next() : answer(c, id);
  };
}

export const receiveFlightsOfFile: FileRule = { answers: (path) => findFlightsApp(path) !== undefined };
