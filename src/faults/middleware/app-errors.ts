import 'server-only';

import type { Context, MiddlewareHandler } from 'hono';

import { isAppId } from '#src/apps/app-id.ts';
import { authoriseSender } from '#src/apps/authorise-sender.ts';
import { enterSender } from '#src/apps/enter-sender.ts';
import { refuseMalformedBody, refuseSender, type SenderRefusal } from '#src/apps/refuse-sender.ts';
import { appErrorsPath } from '#src/server/http/addresses.ts';
import { checkDeclaredLength, type BodyLimit } from '#src/server/http/check-request.ts';
import { describeError } from '#boundary';
import { writeLog } from '#src/server/http/log.ts';
import { receiptCounts } from '#src/server/http/receipt-counts.ts';
import { takeBody } from '#src/server/http/read-body.ts';
import { createBuckets } from '#src/server/http/token-bucket.ts';
import { readAppErrors } from '#src/faults/app-errors/read-app-errors.ts';
import { storeAppErrors } from '#src/faults/app-errors/store-app-errors.ts';

/**
 * `POST /api/<app>/errors`: where other apps send their errors (docs/error-format.md). Who knows the app's secret key may
 * send. In this order: the key, the rate, the headers, the body's length, its JSON. So a stranger costs one comparison and reads
 * nothing, and everybody else is bounded before anything is read.
 */

/** As the tunnel takes. An error has some 10 KiB. */
const bodyLimit: BodyLimit = { bytes: 1024 * 1024, code: 'body-too-large' };

/**
 * Of errors, of which a request has up to 20. `own` is one app's: 40 a second is an app of which every page fails. It is errors
 * that count, not requests, since a digest that is held back is sent alone and at once. `shared`: what a 1 GB box stores for long,
 * with all of its apps failing.
 */
const limits = {
  own: { size: 600, perSecond: 40 },
  shared: { size: 2_000, perSecond: 200 },
  divided: 'shared',
} as const;

const busy: SenderRefusal = {
  code: 'overloaded',
  detail: 'too many at once',
  headers: { 'retry-after': '1' },
};
/** As long as the store waits before it tries the disk again. */
const storeRetrySeconds = 10;

/** The app whose address this is; undefined for every other address. */
function readApp(path: string): string | undefined {
  const app = path.split('/').at(-2) ?? '';
  return isAppId(app) && path === appErrorsPath(app) ? app : undefined;
}

function checkHeaders({ req }: Context): SenderRefusal | undefined {
  if (req.method !== 'POST') return { code: 'wrong-method', detail: 'only POST', headers: { allow: 'POST' } };
  const type = req.header('content-type')?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/json') {
    return { code: 'unsupported-type', detail: type ?? 'no Content-Type', headers: { accept: 'application/json' } };
  }
  const encoding = req.header('content-encoding') ?? 'identity';
  if (encoding !== 'identity') {
    const headers = { 'accept-encoding': 'identity' };
    return { code: 'unsupported-encoding', detail: `Content-Encoding: ${encoding}`, headers };
  }
  return checkDeclaredLength(req.raw, bodyLimit);
}

async function keep(app: string, body: Uint8Array, count: (errors: number) => void): Promise<Response> {
  const read = readAppErrors(body);
  if (read.type === 'malformed') return refuseMalformedBody('errors', app, read.reason);
  count(read.errors.length);
  const result = await storeAppErrors(app, read.errors);
  switch (result.type) {
    case 'stored': {
      receiptCounts.add('errors', 'kept');
      const headers = { 'cache-control': 'private, no-store' };
      return Response.json({ received: read.errors.length, added: result.added }, { headers });
    }
    case 'no-room':
      return refuseUnstored(app, result.reason);
  }
}

function refuseUnstored(app: string, detail: string): Response {
  return refuseSender('errors', app, {
    code: 'not-stored',
    detail,
    headers: { 'retry-after': String(storeRetrySeconds) },
  });
}

/** Takes errors of apps and lets other paths pass. */
export function appErrors(): MiddlewareHandler {
  const takeToken = createBuckets(limits);

  async function answer(c: Context, named: string): Promise<Response> {
    const sender = await authoriseSender(named, c.req.header('authorization') ?? null);
    if (sender.type === 'refused') {
      const headers = { 'www-authenticate': 'Bearer realm="flight-recorder"' };
      return refuseSender('errors', sender.app?.id, { code: 'wrong-key', detail: `for the app ${named}`, headers });
    }
    const { id: app } = sender.app;
    // Counted for the app, wherever its servers are.
    const wait = takeToken(app);
    if (wait > 0) {
      const headers = { 'retry-after': String(wait) };
      return refuseSender('errors', app, { code: 'too-many-requests', detail: `too many errors of ${app}`, headers });
    }
    const refusal = checkHeaders(c);
    if (refusal) return refuseSender('errors', app, refusal);
    const leave = enterSender(app);
    if (!leave) return refuseSender('errors', app, busy);
    try {
      const body = await takeBody(c.req.raw, bodyLimit);
      if ('code' in body) return refuseSender('errors', app, body);
      // The request itself was the first.
      return await keep(app, body, (errors) => takeToken(app, Math.max(0, errors - 1)));
    } catch (error) {
      writeLog('error', 'app-error-not-stored', { app, reason: describeError(error) });
      return refuseUnstored(app, 'the database did not take it');
    } finally {
      leave();
    }
  }

  return function appErrorsMiddleware(c, next) {
    const app = readApp(c.req.path);
    return app === undefined ? next() : answer(c, app);
  };
}

export function isAppErrorsPath(path: string): boolean {
  return readApp(path) !== undefined;
}
