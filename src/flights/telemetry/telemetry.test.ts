import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { ExportResultCode, type ExportResult } from '@opentelemetry/core';
import { emptyResource } from '@opentelemetry/resources';
import { describe, expect, it } from 'vitest';

import { readFrom, type Variables } from '#src/server/environment/read-setting.ts';

import { boundExporter } from './bounded-exporter.ts';
import { createCountsBuffer, openCounts } from './counts.ts';
import { chooseTelemetry } from './settings.ts';
import { toLogRecord } from './to-log-record.ts';
import { toSpan, toTime } from './to-span.ts';
import { toSpanId, type ExportedError, type ExportedFlight } from './exported.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const otherTrace = 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa';
const requestId = '0454814822341377cbfdba46041ceca7';
const scope = { resource: emptyResource(), instrumentationScope: { name: 'test' } };

const flight: ExportedFlight = {
  requestId,
  traceId,
  parent: null,
  app: 'shop',
  kind: 'navigation',
  method: 'GET',
  path: '/products/7',
  route: '/products/[id]',
  status: 200,
  outcome: 'complete',
  rendering: 'dynamic',
  source: 'proxy',
  framework: 'next',
  build: '',
  actionId: null,
  digests: [],
  bytes: 900,
  sentBytes: 300,
  startedAt: 1_700_000_000_123,
  durationMs: 250.5,
  chunks: [
    [20, 500, 0],
    [21, 99, 1],
    [250.5, 400, 0],
  ],
};

function span(more: Partial<ExportedFlight> = {}) {
  return toSpan({ ...flight, ...more }, scope);
}

describe('a flight as a span', () => {
  it('is a server’s, named after method and route, with its times', () => {
    const { name, kind, startTime, endTime, duration, spanContext, ended } = span();
    expect({ name, kind, ended }).toEqual({ name: 'GET /products/[id]', kind: SpanKind.SERVER, ended: true });
    expect([startTime, endTime, duration]).toEqual([
      [1_700_000_000, 123_000_000],
      [1_700_000_000, 373_500_000],
      [0, 250_500_000],
    ]);
    expect(spanContext()).toMatchObject({ traceId, spanId: 'cbfdba46041ceca7', traceFlags: 1 });
  });

  it('says what the conventions have a word for, and ours', () => {
    expect(span().attributes).toEqual({
      'http.request.method': 'GET',
      'url.path': '/products/7',
      'http.route': '/products/[id]',
      'http.response.status_code': 200,
      'http.response.body.size': 300,
      'flight.app': 'shop',
      'flight.kind': 'navigation',
      'flight.bytes': 900,
      'flight.outcome': 'complete',
      'flight.rendering': 'dynamic',
      'flight.source': 'proxy',
      'flight.request_id': requestId,
      'flight.framework': 'next',
    });
  });

  it('leaves out what is not known, and says what is', () => {
    const { attributes } = span({ status: 0, sentBytes: null, framework: null, build: 'b1', actionId: 'a#b' });
    expect(attributes).not.toHaveProperty(['http.response.status_code']);
    expect(attributes).not.toHaveProperty(['http.response.body.size']);
    expect(attributes).not.toHaveProperty(['flight.framework']);
    expect(attributes).toMatchObject({ 'flight.build': 'b1', 'flight.action': 'a#b' });
  });

  it('has a method that nobody knows under the conventions’ word', () => {
    const { name, attributes } = span({ method: 'BREW' });
    expect(name).toBe('HTTP /products/[id]');
    expect(attributes).toMatchObject({ 'http.request.method': '_OTHER', 'http.request.method_original': 'BREW' });
  });

  it('has whoever asked as its parent in the same trace, and as a link in another', () => {
    expect(span().parentSpanContext).toBeUndefined();
    const child = span({ parent: `${traceId}-00f067aa0ba902b7` });
    expect(child.parentSpanContext).toMatchObject({ traceId, spanId: '00f067aa0ba902b7', isRemote: true });
    expect(child.links).toEqual([]);
    const linked = span({ parent: `${otherTrace}-00f067aa0ba902b7` });
    expect(linked.parentSpanContext).toBeUndefined();
    expect(linked.links).toMatchObject([{ context: { traceId: otherTrace, spanId: '00f067aa0ba902b7' } }]);
    expect(linked.spanContext().traceId).toBe(traceId);
  });

  it('has ids of its own where a flight brings none', () => {
    const { traceId: made, spanId } = span({ traceId: '', requestId: 'not ours' }).spanContext();
    expect(made).toMatch(/^[0-9a-f]{32}$/);
    expect(spanId).toMatch(/^[0-9a-f]{16}$/);
  });

  it.each([
    [{ status: 500 }, '500'],
    [{ status: 503, digests: ['AB'] }, '503'],
    [{ outcome: 'failed' as const }, 'flight'],
    [{ digests: ['AB'] }, 'flight'],
  ])('has failed with %j', (more, type) => {
    const { status, attributes } = span(more);
    expect(status.code).toBe(SpanStatusCode.ERROR);
    expect(attributes['error.type']).toBe(type);
  });

  it.each([{ status: 404 }, { status: 499 }, { outcome: 'left' as const }])('has not failed with %j', (more) => {
    expect(span(more).status.code).toBe(SpanStatusCode.UNSET);
    expect(span(more).attributes).not.toHaveProperty(['error.type']);
  });

  it('has an event for each write that a reader waited for, and for each digest', () => {
    const { events, droppedEventsCount } = span({ digests: ['AB', 'CD'] });
    expect(droppedEventsCount).toBe(0);
    expect(events).toEqual([
      {
        name: 'flight.first_chunk',
        time: [1_700_000_000, 143_000_000],
        attributes: { 'flight.chunk.index': 0, 'flight.chunk.bytes': 500, 'flight.chunk.wait_ms': 20 },
      },
      {
        name: 'flight.chunk',
        time: [1_700_000_000, 373_500_000],
        attributes: { 'flight.chunk.index': 1, 'flight.chunk.bytes': 400, 'flight.chunk.wait_ms': 230.5 },
      },
      { name: 'flight.error', time: [1_700_000_000, 373_500_000], attributes: { 'flight.digest': 'AB' } },
      { name: 'flight.error', time: [1_700_000_000, 373_500_000], attributes: { 'flight.digest': 'CD' } },
    ]);
  });

  it('keeps the longest waits of many, in their order, and says how many it left out', () => {
    const chunks = Array.from({ length: 100 }, (_, index) => [index * 2 + (index >= 50 ? 500 : 0), 1, 0] as const);
    const { events, droppedEventsCount } = span({ chunks, digests: Array.from({ length: 40 }, () => 'AB') });
    const waits = events.filter(({ name }) => name !== 'flight.error');
    expect([waits.length, droppedEventsCount, events.length]).toEqual([32, 68, 48]);
    expect(waits.map(({ attributes }) => attributes?.['flight.chunk.index'])).toContain(50);
    const times = waits.map(({ time: [seconds, nanoseconds] }) => seconds * 1e9 + nanoseconds);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });

  it('does not send a path of any length', () => {
    const long = `/${'x'.repeat(5_000)}`;
    const { name, attributes } = span({ path: long, route: long, actionId: long });
    for (const text of [name, attributes['url.path'], attributes['http.route'], attributes['flight.action']]) {
      expect(String(text).length).toBeLessThan(1_100);
    }
  });

  it('rounds no time away', () => expect(toTime(1_999.999)).toEqual([1, 999_999_000]));
});

const error: ExportedError = {
  app: 'shop',
  digest: 'ABCDEFGHJK',
  fault: 'v8q5fg4x',
  time: 1_700_000_000_123,
  phase: 'rsc',
  kind: 'document',
  method: 'GET',
  path: '/cart',
  route: '',
  release: 'r1',
  requestId,
  traceId,
  name: 'TypeError',
  message: 'no cart',
  stack: 'TypeError: no cart\n    at addItem (cart.ts:1:2)',
  hasFlight: true,
};

describe('an error as a log record', () => {
  it('has the conventions’ exception, our words, and no empty one', () => {
    const { attributes, body, eventName, severityText, timestamp } = toLogRecord(error);
    expect({ body, eventName, severityText, timestamp }).toEqual({
      body: 'TypeError: no cart',
      eventName: 'exception',
      severityText: 'ERROR',
      timestamp: error.time,
    });
    expect(attributes).toEqual({
      'exception.type': 'TypeError',
      'exception.message': 'no cart',
      'exception.stacktrace': error.stack,
      'http.request.method': 'GET',
      'url.path': '/cart',
      'flight.app': 'shop',
      'flight.digest': 'ABCDEFGHJK',
      'flight.fault': 'v8q5fg4x',
      'flight.phase': 'rsc',
      'flight.kind': 'document',
      'flight.build': 'r1',
      'flight.request_id': requestId,
    });
  });

  it('is in the span of its flight, where there is one', () => {
    const find = (told: ExportedError) => trace.getSpanContext(toLogRecord(told).context ?? ROOT_CONTEXT);
    expect(find(error)).toMatchObject({ traceId, spanId: toSpanId(requestId) });
    expect(find({ ...error, hasFlight: false })).toBeUndefined();
    expect(find({ ...error, requestId: 'their own' })).toBeUndefined();
    expect(find({ ...error, traceId: '' })).toBeUndefined();
  });
});

it('a span’s id is the random end of its request’s id', () => {
  expect(toSpanId(requestId)).toBe('cbfdba46041ceca7');
  expect(toSpanId('')).toBeUndefined();
  expect(toSpanId(`${'1'.repeat(16)}${'0'.repeat(16)}`)).toBeUndefined();
  expect(toSpanId(requestId.toUpperCase())).toBeUndefined();
});

function choose(variables: Variables) {
  return chooseTelemetry(readFrom(variables));
}

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' };

describe('the settings', () => {
  it('are off without an endpoint, and when somebody says so', () => {
    expect(choose({})).toEqual({ type: 'off' });
    expect(choose({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_SERVICE_NAME: 'x' })).toEqual({ type: 'off' });
    expect(choose({ ...endpoint, OTEL_SDK_DISABLED: 'TRUE' })).toEqual({ type: 'off' });
    expect(choose({ ...endpoint, OTEL_TRACES_EXPORTER: 'none', OTEL_LOGS_EXPORTER: 'none' })).toEqual({ type: 'off' });
  });

  it.each([
    [{}, { traces: 'http/protobuf', logs: 'http/protobuf' }],
    [{ OTEL_SDK_DISABLED: 'false' }, { traces: 'http/protobuf', logs: 'http/protobuf' }],
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }, { traces: 'http/json', logs: 'http/json' }],
    [{ OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: 'http/json' }, { traces: 'http/protobuf', logs: 'http/json' }],
    [{ OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json' }, { traces: 'http/json', logs: 'http/protobuf' }],
    [{ OTEL_LOGS_EXPORTER: 'none' }, { traces: 'http/protobuf', logs: undefined }],
    [{ OTEL_TRACES_EXPORTER: 'console, otlp' }, { traces: 'http/protobuf', logs: 'http/protobuf' }],
    [{ OTEL_TRACES_EXPORTER: 'zipkin' }, { traces: undefined, logs: 'http/protobuf' }],
  ])('with an endpoint and %j', (more, settings) => {
    expect(choose({ ...endpoint, ...more })).toEqual({ type: 'on', settings });
  });

  it('may have an endpoint for one signal', () => {
    const logs = { OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: 'https://logs.example/v1/logs' };
    expect(choose(logs)).toEqual({ type: 'on', settings: { traces: undefined, logs: 'http/protobuf' } });
    const traces = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces.example/x' };
    expect(choose(traces)).toEqual({ type: 'on', settings: { traces: 'http/protobuf', logs: undefined } });
  });

  it.each([
    [{ ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, /grpc is not http/],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4318' }, /no address/],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector' }, /no address/],
  ])('that do not fit are no reason not to start: %j', (variables, reason) => {
    expect(choose(variables)).toEqual({ type: 'unfit', reason: expect.stringMatching(reason) });
  });
});

describe('what waits for the collector', () => {
  type Done = (result: ExportResult) => void;

  function open(limit: number) {
    const counts = openCounts(createCountsBuffer());
    const exported: Done[] = [];
    const failures: string[] = [];
    const inner = {
      export: (_items: number[], done: Done) => void exported.push(done),
      shutdown: async () => undefined,
    };
    const exporter = boundExporter(inner, 'logs', {
      counts,
      limit,
      onFailure: (signal, reason) => failures.push(`${signal}: ${reason}`),
    });
    const read = () => ['sent', 'failed', 'dropped', 'waiting'] as const;
    return {
      exporter,
      exported,
      failures,
      count: () => Object.fromEntries(read().map((fate) => [fate, counts.read('logs', fate)])),
      other: () => counts.read('traces', 'sent') + counts.read('traces', 'dropped'),
    };
  }

  it('is bounded, and what is beyond the bound is counted', () => {
    const { exporter, exported, count, other } = open(3);
    expect([1, 2, 3, 4, 5].map(() => exporter.admit())).toEqual([true, true, true, false, false]);
    expect(count()).toEqual({ sent: 0, failed: 0, dropped: 2, waiting: 3 });
    exporter.export([1, 2], () => undefined);
    // On its way, and not answered.
    expect(exporter.admit()).toBe(false);
    exported[0]?.({ code: ExportResultCode.SUCCESS });
    expect(count()).toEqual({ sent: 2, failed: 0, dropped: 3, waiting: 1 });
    expect(exporter.admit()).toBe(true);
    expect(other()).toBe(0);
  });

  it('is counted as failed when the collector does not take it', () => {
    const { exporter, exported, failures, count } = open(3);
    exporter.admit();
    let result: ExportResult | undefined;
    exporter.export([1], (given) => (result = given));
    exported[0]?.({ code: ExportResultCode.FAILED, error: new Error('refused') });
    expect(result?.code).toBe(ExportResultCode.FAILED);
    expect(count()).toEqual({ sent: 0, failed: 1, dropped: 0, waiting: 0 });
    expect(failures).toEqual(['logs: refused']);
  });
});
