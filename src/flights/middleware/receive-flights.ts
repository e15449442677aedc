import 'server-only';

import type { MiddlewareHandler } from 'hono';

import { countJsonParts } from '#flight';
import type { App } from '#src/apps/apps.ts';
import { createAppFinder, receiveForApp } from '#src/apps/receive-for-app.ts';
import { refuseMalformedBody, refuseSender } from '#src/apps/refuse-sender.ts';
import { receiveFlights as keepFlights } from '#src/flights/recorder/receive-flights.ts';
import { appFlightsPath } from '#src/server/http/addresses.ts';
import { receiptCounts } from '#src/server/http/receipt-counts.ts';

import { largestBatch, retrySeconds, sayTooMany, unpackedTogether } from './batch-limits.ts';

/** Where a proxy elsewhere sends the flights of an app: docs/receiving-flights.md. */
const endpoint = 'flights';

export const findFlightsApp = createAppFinder(appFlightsPath('*'));

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** A batch of long flights has so many. */
const mostParts = 400_000;
/** A flight with all of the chunks that are listed has 17,000. So many take some 15 ms. */
const mostOfLine = 80_000;

const lineBreak = 0x0a;

/** What of a batch has too many parts: all of it, or a line. Each byte is looked at once. */
function findTooMany(body: Uint8Array): string | undefined {
  let left = mostParts;
  let longest: string | undefined;
  for (let [start, line] = [0, 1]; start < body.length; line += 1) {
    const found = body.indexOf(lineBreak, start);
    const end = found === -1 ? body.length : found;
    const parts = countJsonParts(body.subarray(start, end), left);
    left -= parts;
    if (left < 0) return sayTooMany(mostParts);
    if (parts > mostOfLine) longest ??= `line ${line}: ${sayTooMany(mostOfLine)}`;
    start = end + 1;
  }
  return longest;
}

async function keep(body: Uint8Array, { app }: { readonly app: App }): Promise<Response> {
  const tooMany = findTooMany(body);
  if (tooMany !== undefined) return refuseMalformedBody(endpoint, app.id, tooMany);
  const text = decode(body);
  if (text === undefined) {
    return refuseSender(endpoint, app.id, { code: 'malformed-request', detail: 'the body is not UTF-8' });
  }
  const receipt = await keepFlights(text, app);
  switch (receipt.type) {
    case 'malformed':
      return refuseMalformedBody(endpoint, app.id, receipt.reason);
    case 'busy': {
      const headers = { 'retry-after': String(retrySeconds) };
      return refuseSender(endpoint, app.id, { code: 'not-stored', detail: receipt.reason, headers });
    }
    case 'stored': {
      receiptCounts.add(endpoint, 'kept');
      const headers = { 'cache-control': 'private, no-store' };
      return Response.json({ stored: receipt.stored, left: receipt.left }, { headers });
    }
  }
}

/** Takes flights at the path of each app, and lets other paths pass. */
export function receiveFlights(): MiddlewareHandler {
  return receiveForApp({
    what: 'flight',
    endpoint,
    findApp: findFlightsApp,
    types: ['application/x-ndjson', 'application/json'],
    codings: ['gzip'],
    limit: largestBatch,
    // Two of the largest flights, with debug rows and arguments, in base64. One, packed, fits into what a body may have.
    unpackedBytes: 8 * 1024 * 1024,
    together: unpackedTogether,
    retrySeconds,
    keep,
  });
}
