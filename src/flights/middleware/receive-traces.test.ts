import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

import { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { Hono } from 'hono';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { addApp, type App } from '#src/apps/apps.ts';
import { readRefusals, writeRefusals } from '#src/apps/refusals.ts';
import { readServerTime } from '#src/flights/for-operator/read-spans.ts';
import { closeFlightsReader } from '#src/flights/recorder/flights-reader.ts';
import { currentWriter, startRecorder } from '#src/flights/recorder/recorder.ts';
import { askAsOperator } from '#src/flights/recorder/testing/ask-as-operator.ts';
import { createSampleHead } from '#src/flights/recorder/testing/sample-head.ts';
import { openStore, type Store } from '#src/store/open-store.ts';

import { findTracesApp, receiveTraces } from './receive-traces.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const requestId = 'f'.repeat(32);
const other = 'c'.repeat(32);
const began = 1_795_233_600_000;

let folder: string;
let store: Store;
let stop: () => Promise<void>;
let server: Hono;
let shop: App;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'receive-traces-'));
  vi.stubEnv('FLIGHT_DATA', folder);
  vi.spyOn(process.stderr, 'write').mockImplementation(() => true);
  store = await openStore();
  stop = await startRecorder();
  server = new Hono().use(receiveTraces());
  server.notFound((c) => c.text('the rest of the app', 404));
  const added = await addApp('Shop');
  if (added.type !== 'added') throw new Error(added.reason);
  shop = added.app;
});

afterEach(async () => {
  await stop();
  await writeRefusals();
  await closeFlightsReader(folder);
  await store.close();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

type Sent = {
  readonly id: string;
  readonly at?: number;
  readonly ms?: number;
  readonly parent?: string;
  readonly trace?: string;
};

function write(...spans: readonly Sent[]): string {
  const nanos = (ms: number) => `${began + ms}000000`;
  const all = spans.map(({ id, at = 0, ms = 10, parent, trace = traceId }) => ({
    traceId: trace,
    spanId: id.padStart(16, '0'),
    ...(parent === undefined ? {} : { parentSpanId: parent.padStart(16, '0') }),
    name: `span ${id}`,
    kind: 1,
    startTimeUnixNano: nanos(at),
    endTimeUnixNano: nanos(at + ms),
  }));
  return JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: all }] }] });
}

function send(body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) {
  return Promise.resolve(
    server.request('http://recorder.test/api/shop/otlp/v1/traces', {
      method: 'POST',
      body,
      headers: { authorization: `Bearer ${shop.secretKey}`, 'content-type': 'application/json', ...headers },
    }),
  );
}

async function show(flight: { startedAt?: number; durationMs?: number; app?: string } = {}) {
  const of = { app: 'shop', requestId, traceId, startedAt: began, durationMs: 100, ...flight };
  const time = await askAsOperator(() => readServerTime(of));
  return time?.spans.map(({ name, depth, at, ms }) => `${name} ${depth} ${at} ${ms}`);
}

it('keeps the spans of a trace, whenever they come, for the flight that it names', async () => {
  expect(await show()).toBeUndefined();
  // What ends first is sent first: the page's own span is in a later batch.
  const first = await send(write({ id: 'b', at: 5, ms: 60, parent: 'a' }, { id: 'd', trace: other }));
  expect([first.status, await first.json()]).toEqual([200, {}]);
  const packed = gzipSync(write({ id: 'a', at: 1, ms: 90 }));
  expect((await send(packed, { 'content-encoding': 'gzip' })).status).toBe(200);
  expect(await show()).toEqual(['span a 0 1 90', 'span b 1 5 60']);
  expect(await show({ app: 'blog' })).toBeUndefined();
  expect(await show({ startedAt: began + 40_000, durationMs: 5 })).toEqual(['span a 0 0 90', 'span b 1 4 60']);
});

it('keeps a batch once that is sent again', async () => {
  for (const _ of [1, 2]) await send(write({ id: 'a' }));
  expect(await show()).toEqual(['span a 0 0 10']);
});

it('takes what OpenTelemetry’s exporters send by themselves', async () => {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const span = provider.getTracer('shop').startSpan('GET /', { startTime: began });
  span.end(began + 30);
  const body = ProtobufTraceSerializer.serializeRequest(exporter.getFinishedSpans()) ?? new Uint8Array();
  const answer = await send(Uint8Array.from(body), { 'content-type': 'application/x-protobuf' });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/x-protobuf']);
  expect((await answer.arrayBuffer()).byteLength).toBe(0);
  const of = { app: 'shop', requestId, traceId: span.spanContext().traceId, startedAt: began, durationMs: 30 };
  expect(await askAsOperator(() => readServerTime(of))).toMatchObject({ spans: [{ name: 'GET /', at: 0, ms: 30 }] });
});

it('says how many were none, as OTLP has it', async () => {
  const answer = await send(write({ id: 'a' }, { id: 'b', ms: -1 }));
  expect([answer.status, await answer.json()]).toMatchObject([200, { partialSuccess: { rejectedSpans: '1' } }]);
  expect(await show()).toEqual(['span a 0 0 10']);
});

it.each([
  ['another key', '{}', { authorization: 'Bearer wrong' }, 401, 'wrong-key'],
  ['another type', '{}', { 'content-type': 'text/plain' }, 415, 'unsupported-type'],
  ['another encoding', '{}', { 'content-encoding': 'br' }, 415, 'unsupported-encoding'],
  ['no request', '[]', {}, 400, 'malformed-request'],
  ['no gzip', '{}', { 'content-encoding': 'gzip' }, 400, 'malformed-request'],
  ['too much', ' '.repeat(1024 * 1024 + 1), {}, 413, 'body-too-large'],
] as const)('refuses %s, with the reason', async (_, body, headers, status, reason) => {
  expect((await send(body, headers)).status).toBe(status);
  await writeRefusals();
  expect(await readRefusals('shop')).toMatchObject([{ endpoint: 'traces', reason, count: 1 }]);
});

it('keeps as much of one trace as minutes of a request bring', async () => {
  for (let part = 1; part <= 66; part += 1) await send(write({ id: part.toString(16), at: part }));
  const kept = await show();
  expect([kept?.length, kept?.at(-1)]).toEqual([64, 'span 40 0 64 10']);
});

it('shows the longest of a trace that has more than anybody reads, however deep they are', async () => {
  const chain = Array.from({ length: 6_000 }, (_, index): Sent => {
    const id = (index + 1).toString(16);
    return index === 0 ? { id, ms: 90 } : { id, ms: 80, parent: index.toString(16) };
  });
  for (const from of [0, 3_000]) {
    const packed = gzipSync(write(...chain.slice(from, from + 3_000)));
    expect((await send(packed, { 'content-encoding': 'gzip' })).status).toBe(200);
  }
  const of = { app: 'shop', requestId, traceId, startedAt: began, durationMs: 100 };
  const time = await askAsOperator(() => readServerTime(of));
  expect([time?.spans.length, time?.left, time?.spans[0]?.name]).toEqual([200, 4_800, 'span 1']);
});

it('goes with the app and with the recording', async () => {
  await send(write({ id: 'a' }));
  const ask = currentWriter().ask;
  await ask({ type: 'delete-app', app: 'blog', upTo: 9 });
  expect(await show()).toHaveLength(1);
  await ask({ type: 'delete-app', app: 'shop', upTo: 9 });
  expect(await show()).toBeUndefined();
  await send(write({ id: 'a' }));
  currentWriter().add(createSampleHead({ requestId: 'e'.repeat(32), traceId, app: 'shop' }), {
    payload: [],
    debug: [],
    args: new Uint8Array(),
  });
  await currentWriter().flush();
  await ask({ type: 'delete-all' });
  expect(await show()).toBeUndefined();
});

it('is for the address of an app alone', () => {
  expect(findTracesApp('/api/my-shop/otlp/v1/traces')).toBe('my-shop');
  for (const address of [
    '/api/a/b/otlp/v1/traces',
    '/api/shop/flights',
    '/api/shop/otlp/v1/traces/',
    '/api/v1/faults',
  ]) {
    expect(findTracesApp(address)).toBeUndefined();
  }
});
