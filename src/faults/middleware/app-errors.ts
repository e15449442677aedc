import 'server-only';

import type { MiddlewareHandler } from 'hono';

import { isAppId } from '#src/apps/app-id.ts';
import { receiveForApp } from '#src/apps/receive-for-app.ts';
import { refuseMalformedBody, refuseSender } from '#src/apps/refuse-sender.ts';
import { readAppErrors } from '#src/faults/app-errors/read-app-errors.ts';
import { storeAppErrors } from '#src/faults/app-errors/store-app-errors.ts';
import { appErrorsPath } from '#src/server/http/addresses.ts';
import { receiptCounts } from '#src/server/http/receipt-counts.ts';
import { storeRetrySeconds } from '#src/server/http/receive.ts';
import { createBuckets } from '#src/server/http/token-bucket.ts';

/** `POST /api/<app>/errors`: where other apps send their errors (docs/error-format.md). */

/**
 * Of errors, of which a request has up to 20. `own` is one app's: 40 a second is an app of which every page fails. It is errors
 * that count, not requests, since a digest that is held back is sent alone and at once. What is found in the app's output has as much of
 * its own: a visitor's text may be in there, and must not keep out what the app itself reports. `shared`: what a 1 GB box stores for
 * long, with all of its apps failing.
 */
const limits = {
  own: { size: 600, perSecond: 40 },
  shared: { size: 2_000, perSecond: 200 },
  divided: 'shared',
} as const;

/** The app whose address this is; undefined for every other address. */
function readApp(path: string): string | undefined {
  const app = path.split('/').at(-2) ?? '';
  return isAppId(app) && path === appErrorsPath(app) ? app : undefined;
}

/** Takes a token for each error. @returns the seconds to wait; 0: they may be kept */
type TakeTokens = (errors: number, arePrinted: boolean) => number;

async function keep(app: string, body: Uint8Array, take: TakeTokens): Promise<Response> {
  const read = readAppErrors(body);
  if (read.type === 'malformed') return refuseMalformedBody('errors', app, read.reason);
  const seconds = take(
    read.errors.length,
    read.errors.every(({ reporter }) => reporter === 'log'),
  );
  if (seconds > 0) {
    const headers = { 'retry-after': String(seconds) };
    return refuseSender('errors', app, { code: 'too-many-requests', detail: 'too many printed errors', headers });
  }
  const result = await storeAppErrors(app, read.errors);
  switch (result.type) {
    case 'stored': {
      receiptCounts.add('errors', 'kept');
      const headers = { 'cache-control': 'private, no-store' };
      return Response.json({ received: read.errors.length, added: result.added }, { headers });
    }
    case 'no-room': {
      const headers = { 'retry-after': String(storeRetrySeconds) };
      return refuseSender('errors', app, { code: 'not-stored', detail: result.reason, headers });
    }
  }
}

/** Takes errors of apps and lets other paths pass. */
export function appErrors(): MiddlewareHandler {
  const takeToken = createBuckets(limits);
  return receiveForApp({
    what: 'app-error',
    endpoint: 'errors',
    findApp: readApp,
    types: ['application/json'],
    // As the tunnel takes. An error has some 10 KiB.
    limit: { bytes: 1024 * 1024, code: 'body-too-large' },
    // Counted for the app, wherever its servers are.
    wait: ({ app }) => takeToken(app.id),
    // The request itself was the first.
    keep: (body, { app: { id } }) =>
      keep(id, body, (errors, arePrinted) => {
        const name = arePrinted ? `${id} printed` : id;
        return (arePrinted ? takeToken(name) : 0) || takeToken(name, Math.max(0, errors - 1));
      }),
  });
}

export function isAppErrorsPath(path: string): boolean {
  return readApp(path) !== undefined;
}
