import 'server-only';

import type { MiddlewareHandler } from 'hono';

import { refuseMalformedBody } from '#src/apps/refuse-sender.ts';
import { receiveFlights as keepFlights } from '#src/flights/recorder/receive-flights.ts';
import { appFlightsPath } from '#src/server/http/addresses.ts';
import { receiptCounts } from '#src/server/http/receipt-counts.ts';

import { createAppFinder, receiveForApp, refuseBatch, type Receiver } from './receive-for-app.ts';

/** Where a proxy elsewhere sends the flights of an app: docs/receiving-flights.md. */
const endpoint = 'flights';
/** Two of the largest flights, with debug rows and arguments, in base64. One, packed, fits into what a body may have. */
const unpackedBytes = 8 * 1024 * 1024;
const types = ['application/x-ndjson', 'application/json'];

export const findFlightsApp = createAppFinder(appFlightsPath('*'));

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const keep: Receiver['keep'] = async (c, app, body) => {
  const text = decode(body);
  if (text === undefined) {
    return refuseBatch(endpoint, app.id, { code: 'malformed-request', detail: 'the body is not UTF-8' });
  }
  const receipt = await keepFlights(text, app);
  switch (receipt.type) {
    case 'malformed':
      return refuseMalformedBody(endpoint, app.id, receipt.reason);
    case 'busy':
      return refuseBatch(endpoint, app.id, { code: 'not-stored', detail: receipt.reason });
    case 'stored':
      receiptCounts.add(endpoint, 'kept');
      return c.json({ stored: receipt.stored, left: receipt.left }, 200, { 'cache-control': 'private, no-store' });
  }
};

/** Takes flights at the path of each app, and lets other paths pass. */
export function receiveFlights(): MiddlewareHandler {
  return receiveForApp({ endpoint, findApp: findFlightsApp, types, unpackedBytes, keep });
}
