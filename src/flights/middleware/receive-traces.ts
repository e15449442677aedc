import 'server-only';

import type { MiddlewareHandler } from 'hono';

import { countJsonParts } from '#flight';
import type { App } from '#src/apps/apps.ts';
import { createAppFinder, receiveForApp } from '#src/apps/receive-for-app.ts';
import { refuseMalformedBody } from '#src/apps/refuse-sender.ts';
import { currentWriter } from '#src/flights/recorder/recorder.ts';
import { packSpans } from '#src/flights/traces/pack-spans.ts';
import { readOtlpJson } from '#src/flights/traces/read-otlp-json.ts';
import { appTracesPath } from '#src/server/http/addresses.ts';
import { receiptCounts } from '#src/server/http/receipt-counts.ts';
import { readMediaType } from '#src/server/http/receive.ts';

import { largestBatch, retrySeconds, sayTooMany, unpackedTogether } from './batch-limits.ts';

/** Where an app's OpenTelemetry sends what its server did for each request: docs/server-time.md. */
const endpoint = 'traces';
/** Eight times what OpenTelemetry's processors send at once, which is 512 spans. */
const mostSpans = 4_096;
/** Of Protocol Buffers: a span with the attributes of a request has some 50. */
const mostFields = 200_000;
/** An exporter sends 512 spans at once: with 35 attributes each they have so many. They take some 30 ms. */
const mostParts = 160_000;
const json = 'application/json';
const protobuf = 'application/x-protobuf';

export const findTracesApp = createAppFinder(appTracesPath('*'));

async function read(type: string, body: Uint8Array) {
  if (type === json) return readOtlpJson(new TextDecoder().decode(body), mostSpans);
  // Loaded by the first who sends it: most senders of an app send one of the two.
  const { readOtlpProtobuf } = await import('#src/flights/traces/read-otlp-protobuf.ts');
  return readOtlpProtobuf(body, mostSpans, mostFields);
}

/** As OTLP has it: a sender logs what was refused, and does not send it again. */
function describePartly(refused: number) {
  if (refused === 0) return {};
  const errorMessage = `no span of OTLP, or beyond ${mostSpans} at once`;
  return { partialSuccess: { rejectedSpans: String(refused), errorMessage } };
}

async function keep(body: Uint8Array, { app }: { readonly app: App }, asked: Request): Promise<Response> {
  const type = readMediaType(asked);
  if (type === json && countJsonParts(body, mostParts) > mostParts) {
    return refuseMalformedBody(endpoint, app.id, sayTooMany(mostParts));
  }
  const request = await read(type, body);
  if (request === 'too-many') return refuseMalformedBody(endpoint, app.id, sayTooMany(mostFields));
  if (!request) return refuseMalformedBody(endpoint, app.id, 'it is no ExportTraceServiceRequest of OTLP');
  const parts = packSpans(request.spans);
  if (parts.length > 0) await currentWriter().ask({ type: 'spans', app: app.id, parts });
  receiptCounts.add(endpoint, 'kept');
  const headers = { 'cache-control': 'private, no-store' };
  if (type === json) return Response.json(describePartly(request.refused), { headers });
  // An empty message: all was taken. How many spans were refused is said in JSON alone, since exporters only log it.
  return new Response(new Uint8Array(), { headers: { ...headers, 'content-type': protobuf } });
}

/** Takes traces at the path of each app, and lets other paths pass. */
export function receiveTraces(): MiddlewareHandler {
  return receiveForApp({
    what: 'trace',
    endpoint,
    findApp: findTracesApp,
    types: [json, protobuf],
    codings: ['gzip'],
    limit: largestBatch,
    // A span with the attributes of a request is a kilobyte in JSON.
    unpackedBytes: 4 * 1024 * 1024,
    together: unpackedTogether,
    retrySeconds,
    keep,
  });
}
