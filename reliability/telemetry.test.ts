import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { expect, onTestFinished, test, vi } from 'vitest';

import { openCollector, readAttributes, readMs } from './testing/otlp-collector.ts';
import { readMetric } from './testing/read-metric.ts';
import { startServer, type RunningServer, type StartOptions } from './testing/start-server.ts';

/**
 * What an OpenTelemetry collector gets of a page that streams and fails half-way, over the wire. And what a collector that does not
 * answer costs: nothing but a line in the log.
 */
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const parentSpanId = '00f067aa0ba902b7';
const traceparent = `00-${traceId}-${parentSpanId}-01`;
const watch = ['--import', path.join(import.meta.dirname, 'testing/log-prometheus-loads.ts')];
/** Batches go every second; the machine may be busy. */
const patience = { timeout: 20_000, interval: 50 };

async function start(endpoint: string, env: StartOptions['env'] = {}): Promise<RunningServer> {
  return startServer({
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json', RECORD: 'all', ...env },
  });
}

async function get({ origin }: RunningServer, page: string, headers: Record<string, string> = {}): Promise<string> {
  const response = await fetch(origin + page, { headers });
  return response.text();
}

async function askMetric(server: RunningServer, line: string): Promise<number> {
  return readMetric(await get(server, '/metrics'), line);
}

test('a page that streams and fails is a span with its parent, times, waits and digest, and a record in it', async () => {
  await using collector = await openCollector();
  await using server = await start(collector.endpoint, {
    OTEL_SERVICE_NAME: 'my-recorder',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=seven',
  });
  const began = Date.now();
  const html = await get(server, '/lab/throw-after-shell', { traceparent });
  const ended = Date.now();
  await vi.waitFor(() => expect([collector.spans().length, collector.records().length]).toEqual([1, 1]), patience);
  const { fields } = await server.waitForLine(({ event }) => event === 'server-error');
  const digest = String(fields['digest']);
  expect(html).toContain(digest);

  const [span] = collector.spans();
  expect(span).toMatchObject({
    traceId,
    parentSpanId,
    name: 'GET /lab/throw-after-shell',
    kind: 2,
    status: { code: 2 },
  });
  expect(readAttributes(span?.attributes ?? [])).toMatchObject({
    'http.request.method': 'GET',
    'url.path': '/lab/throw-after-shell',
    'http.route': '/lab/throw-after-shell',
    'http.response.status_code': 200,
    'error.type': 'flight',
    'flight.app': 'flight-recorder',
    'flight.kind': 'document',
    'flight.outcome': 'complete',
    'flight.digest': digest,
    'flight.digests': [digest],
    'flight.request_id': fields['requestId'],
  });
  const [from, to] = [readMs(span?.startTimeUnixNano ?? '0'), readMs(span?.endTimeUnixNano ?? '0')];
  expect(from).toBeGreaterThanOrEqual(began);
  expect(to).toBeGreaterThan(from + 300);
  // The clock of durations and that of times differ by less than this.
  expect(to).toBeLessThan(ended + 50);
  const events = span?.events ?? [];
  const waits = events.filter(({ name }) => name !== 'flight.error');
  expect(waits.map(({ name }) => name)).toEqual(['flight.first_chunk', ...waits.slice(1).map(() => 'flight.chunk')]);
  expect(waits.some(({ attributes }) => Number(readAttributes(attributes)['flight.chunk.wait_ms']) > 250)).toBe(true);
  for (const { timeUnixNano } of waits) {
    expect(readMs(timeUnixNano)).toBeGreaterThanOrEqual(from);
    expect(readMs(timeUnixNano)).toBeLessThanOrEqual(to);
  }
  expect(events.filter(({ name }) => name === 'flight.error')).toHaveLength(1);

  const [record] = collector.records();
  expect(record).toMatchObject({ traceId, spanId: span?.spanId, eventName: 'exception', severityText: 'ERROR' });
  expect(readAttributes(record?.attributes ?? [])).toMatchObject({
    'exception.type': 'Error',
    'exception.message': expect.stringContaining('canary-after-shell'),
    'exception.stacktrace': expect.stringContaining('LatePart'),
    'flight.digest': digest,
    'flight.fault': expect.stringMatching(/^[0-9a-z]{8}$/),
    'flight.phase': 'rsc',
    'url.path': '/lab/throw-after-shell',
  });
  expect(collector.resource()).toMatchObject({
    'service.name': 'my-recorder',
    'deployment.environment.name': 'test',
  });
  expect(collector.requests.every(({ headers }) => headers['x-tenant'] === 'seven')).toBe(true);
  const sent = 'flight_recorder_telemetry_total{signal="traces",outcome="sent"}';
  // It counts when the collector’s answer is read, which is after the collector has the span.
  await vi.waitFor(async () => expect(await askMetric(server, sent)).toBe(1), patience);
});

test('a navigation is in the trace of its page, and a proxy’s own trace is a link', async () => {
  await using collector = await openCollector();
  await using server = await start(collector.endpoint);
  const page = '0123456789abcdef'.repeat(2);
  await get(server, '/RSC/R/lab/streaming.txt', { 'sentry-trace': `${page}-${'1'.repeat(16)}`, traceparent });
  await vi.waitFor(() => expect(collector.spans()).toHaveLength(1), patience);
  const [span] = collector.spans();
  expect(span).toMatchObject({ traceId: page, name: 'GET /lab/streaming', status: { code: 0 } });
  expect(span?.parentSpanId).toBeUndefined();
  expect(span?.links).toMatchObject([{ traceId, spanId: parentSpanId }]);
});

test('RECORD decides which flights are spans, and errors are told in any case', async () => {
  await using collector = await openCollector();
  await using server = await start(collector.endpoint, { RECORD: 'errors' });
  await get(server, '/lab/streaming');
  await get(server, '/lab/throw-before-shell');
  await vi.waitFor(() => expect(collector.records()).toHaveLength(1), patience);
  await vi.waitFor(() => expect(collector.spans()).toHaveLength(1), patience);
  await server.end('SIGTERM');
  expect(collector.spans().map(({ name }) => name)).toEqual(['GET /lab/throw-before-shell']);
});

test('what waits is sent at the stop, as protobuf unless the settings say otherwise', async () => {
  await using collector = await openCollector();
  await using server = await start(collector.endpoint, { OTEL_EXPORTER_OTLP_PROTOCOL: undefined });
  await get(server, '/lab/throw-before-shell', { traceparent });
  const exit = await server.end('SIGTERM');
  expect(exit).toEqual({ code: 0, signal: null });
  const paths = collector.requests.map((request) => request.path).toSorted();
  expect(paths).toEqual(['/v1/logs', '/v1/traces']);
  for (const { headers, body } of collector.requests) {
    expect(headers['content-type']).toBe('application/x-protobuf');
    // The trace's id, in its 16 bytes.
    expect(body.includes(Buffer.from(traceId, 'hex'))).toBe(true);
    expect(body.includes('/lab/throw-before-shell')).toBe(true);
  }
});

/** Takes connections, and never answers. */
async function openSilence() {
  const sockets = new Set<{ destroy: () => void }>();
  const server = createServer((socket) => void sockets.add(socket.on('error', () => undefined)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('no port');
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('a collector that never answers costs no page anything, and the stop a bounded time', async () => {
  await using silence = await openSilence();
  await using server = await start(silence.endpoint);
  for (let n = 0; n < 20; n += 1) await get(server, '/lab/throw-before-shell');
  const waiting = () => askMetric(server, 'flight_recorder_telemetry_queue{signal="traces"}');
  await vi.waitFor(async () => expect(await waiting()).toBe(20), patience);
  const began = performance.now();
  expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
  // The bound is 2 s; without it the exporter would wait for 10.
  expect(performance.now() - began).toBeLessThan(7_000);
});

test('a collector that is not there is said once, and counted', async () => {
  await using server = await start('http://127.0.0.1:9', { OTEL_EXPORTER_OTLP_TIMEOUT: '500' });
  await get(server, '/lab/throw-before-shell');
  const line = await server.waitForLine(({ event }) => event === 'telemetry-not-sent');
  expect(line.fields).toMatchObject({ level: 'warn', reason: expect.any(String) });
  await vi.waitFor(async () => {
    expect(await askMetric(server, 'flight_recorder_telemetry_total{signal="traces",outcome="failed"}')).toBe(1);
  }, patience);
});

/** A copy of the build without OpenTelemetry in it. */
function copyWithoutTelemetry(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'flight-telemetry-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const dist = path.join(folder, 'dist');
  cpSync(path.join(import.meta.dirname, '../dist'), dist, { recursive: true });
  const assets = path.join(dist, 'server/assets');
  const found = readdirSync(assets).filter((file) =>
    /OTLPTraceExporter/.test(readFileSync(path.join(assets, file), 'utf8')),
  );
  expect(found.filter((file) => file.endsWith('.js'))).toHaveLength(1);
  for (const file of found) rmSync(path.join(assets, file));
  return dist;
}

const flights = 'flight_recorder_flights_total{app="flight-recorder",outcome="complete"}';

test('without an endpoint nothing of it is loaded: the build records without that file', async () => {
  await using server = await startServer({
    dist: copyWithoutTelemetry(),
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: undefined, RECORD: 'all' },
  });
  await get(server, '/lab/streaming');
  await vi.waitFor(async () => expect(await askMetric(server, flights)).toBe(1), patience);
  expect(server.lines().filter(({ event }) => event.startsWith('telemetry'))).toEqual([]);
  expect(await askMetric(server, 'flight_recorder_telemetry_queue{signal="traces"}')).toBeNaN();
});

test('where it cannot be loaded, the log says so, and flights are recorded', async () => {
  await using collector = await openCollector();
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, RECORD: 'all' };
  await using server = await startServer({ dist: copyWithoutTelemetry(), env });
  await get(server, '/lab/streaming');
  await vi.waitFor(async () => expect(await askMetric(server, flights)).toBe(1), patience);
  const line = await server.waitForLine(({ event }) => event === 'telemetry-not-sent');
  expect(line.fields['reason']).toContain('did not start');
  expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
});

test('prom-client is loaded by the first scrape', async () => {
  await using server = await startServer({ nodeOptions: watch });
  await get(server, '/lab/throw-before-shell');
  const read = () => server.lines().filter(({ event }) => event === 'module-loaded');
  expect(read().length).toBeGreaterThan(3);
  expect(read().filter(({ fields }) => fields['isPrometheus'] === true)).toEqual([]);
  await get(server, '/metrics');
  expect(read().filter(({ fields }) => fields['isPrometheus'] === true)).toHaveLength(1);
});

test('a setting that does not fit is a line in the log', async () => {
  await using collector = await openCollector();
  await using server = await start(collector.endpoint, { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' });
  await get(server, '/lab/throw-before-shell');
  const line = await server.waitForLine(({ event }) => event === 'telemetry-off');
  expect(line.fields['reason']).toContain('grpc');
});
