import { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { expect, it } from 'vitest';

import { readOtlpJson } from './read-otlp-json.ts';
import { readOtlpProtobuf } from './read-otlp-protobuf.ts';
import type { Span } from './span.ts';

const most = 100;

function readProtobuf(bytes: Uint8Array, mostSpans = most) {
  const read = readOtlpProtobuf(bytes, mostSpans, 10_000);
  return read === 'too-many' ? expect.unreachable('it has few fields') : read;
}

/** What OpenTelemetry's own packages send of a page, its request and its query. */
function makeSpans() {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'shop' }),
    spanProcessors: [new SimpleSpanProcessor(exporter)],
  });
  const tracer = provider.getTracer('shop');
  const start = 1_795_233_600_000;
  const page = tracer.startSpan('GET /cart?coupon=SECRET', { kind: SpanKind.SERVER, startTime: start });
  const within = trace.setSpan(context.active(), page);
  const fetched = tracer.startSpan(
    'fetch GET https://reviews.internal/items?token=SECRET',
    {
      kind: SpanKind.CLIENT,
      startTime: start + 5,
      attributes: { 'http.method': 'GET', 'http.url': 'https://me:SECRET@reviews.internal/items?token=SECRET' },
    },
    within,
  );
  fetched.setStatus({ code: SpanStatusCode.ERROR, message: 'SECRET' });
  fetched.end(start + 815.25);
  const query = {
    'db.system': 'postgresql',
    'db.operation': 'SELECT',
    'db.sql.table': 'item',
    'db.statement': 'SECRET',
  };
  tracer
    .startSpan('pg.query', { kind: SpanKind.CLIENT, startTime: start + 6, attributes: query }, within)
    .end(start + 16);
  page.end(start + 830.5);
  return exporter.getFinishedSpans();
}

function describe(spans: readonly Span[]) {
  const page = spans.find(({ parent }) => parent === '');
  return spans
    .map(({ name, kind, parent, startedAt, ms, hasFailed }) => ({
      name,
      kind,
      isOfPage: parent === page?.id,
      at: startedAt - (page?.startedAt ?? 0),
      ms,
      hasFailed,
    }))
    .toSorted((a, b) => a.at - b.at);
}

const expected = [
  { name: 'GET /cart', kind: 'server', isOfPage: false, at: 0, ms: 830.5, hasFailed: false },
  { name: 'GET reviews.internal/items', kind: 'client', isOfPage: true, at: 5, ms: 810.25, hasFailed: true },
  { name: 'postgresql SELECT item', kind: 'client', isOfPage: true, at: 6, ms: 10, hasFailed: false },
].map((span) => ({ ...span, at: expect.closeTo(span.at, 2), ms: expect.closeTo(span.ms, 2) }));

it('reads what OpenTelemetry sends as JSON, without a value of a query', () => {
  const text = Buffer.from(JsonTraceSerializer.serializeRequest(makeSpans()) ?? []).toString('utf8');
  expect(text).toContain('SECRET');
  const read = readOtlpJson(text, most);
  expect(read?.refused).toBe(0);
  expect(describe(read?.spans ?? [])).toEqual(expected);
  expect(JSON.stringify(read)).not.toContain('SECRET');
});

it('reads the same in the format of Protocol Buffers', () => {
  const spans = makeSpans();
  const read = readProtobuf(ProtobufTraceSerializer.serializeRequest(spans) ?? new Uint8Array());
  expect(describe(read?.spans ?? [])).toEqual(expected);
  const json = readOtlpJson(Buffer.from(JsonTraceSerializer.serializeRequest(spans) ?? []).toString('utf8'), most);
  const ids = (list: readonly Span[] = []) => list.map(({ traceId, id, parent }) => [traceId, id, parent].join(' '));
  expect(ids(read?.spans)).toEqual(ids(json?.spans));
});

it('counts what is beyond its limit, and what is no span', () => {
  const spans = makeSpans();
  const bytes = ProtobufTraceSerializer.serializeRequest(spans) ?? new Uint8Array();
  expect(readProtobuf(bytes, 2)).toMatchObject({ spans: [{}, {}], refused: 1 });
  const one = (span: object) => JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] });
  const good = {
    traceId: 'a'.repeat(32),
    spanId: 'b'.repeat(16),
    name: 'x',
    startTimeUnixNano: '1795233600000000000',
    endTimeUnixNano: '1795233600001000000',
  };
  expect(readOtlpJson(one(good), most)).toMatchObject({ spans: [{ ms: 1, parent: '', kind: 'internal' }], refused: 0 });
  for (const bad of [
    { traceId: '0'.repeat(32) },
    { spanId: 'b' },
    { endTimeUnixNano: '1' },
    { startTimeUnixNano: 'x' },
    { parentSpanId: 'x' },
  ]) {
    expect(readOtlpJson(one({ ...good, ...bad }), most)).toEqual({ spans: [], refused: 1 });
  }
});

it.each(['', 'null', '[]', '{'])('reads no request of %j', (text) => {
  expect(readOtlpJson(text, most)).toBeUndefined();
});

it('reads no request of bytes that end too early, or begin as no message does', () => {
  const bytes = ProtobufTraceSerializer.serializeRequest(makeSpans()) ?? new Uint8Array();
  expect(readProtobuf(bytes.subarray(0, bytes.length - 3))).toBeUndefined();
  expect(readProtobuf(Uint8Array.of(0xff, 0xff, 0xff))).toBeUndefined();
});

it.each([
  ['resources', [0x0a, 0]],
  ['fields that are not known', [0x78, 1]],
])('stops where there are more fields than a request has: %s', (_, field) => {
  const bytes = Uint8Array.from({ length: 20_002 }, (__, index) => field[index % 2] ?? 0);
  expect(readOtlpProtobuf(bytes, most, 10_000)).toBe('too-many');
  expect(readOtlpProtobuf(bytes.subarray(0, 20_000), most, 10_000)).toEqual({ spans: [], refused: 0 });
});

it('passes over spans beyond the most without reading them', () => {
  const empty = Uint8Array.from({ length: 12_000 }, (_, index) => (index % 2 === 0 ? 0x12 : 0));
  const frame = (bytes: Uint8Array, tag: number) => {
    const length = [(bytes.length & 127) | 128, ((bytes.length >> 7) & 127) | 128, bytes.length >> 14];
    return Uint8Array.from([tag, ...length, ...bytes]);
  };
  expect(readProtobuf(frame(frame(empty, 0x12), 0x0a))).toEqual({ spans: [], refused: 6_000 });
});
