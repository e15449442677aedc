import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { encodedMap, TraceMap } from '@jridgewell/trace-mapping';
import { createTransport, defaultStackParser, linkedErrorsIntegration, NodeClient, Scope } from '@sentry/node';
import { captureReactException } from '@sentry/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { useOperator } from '#src/access/testing/use-operator.ts';
import { localDsn } from '#src/runtime/reporting/local-dsn.ts';
import { openStore } from '#src/store/open-store.ts';
import type { EventRow } from '#src/store/schema.ts';

import { listFaults } from '../grouping/list-faults.ts';
import { ingestEnvelope, type IngestResult } from './ingest-envelope.ts';
import { findErrorDetails } from '../digests/find-error-details.ts';
import { countStored } from '../kept/queries.ts';

/** These tests are about what is read. src/faults/kept/queries-guard.test.ts tests who may read it. */
useOperator();

let folder: string;
const id = '9ec79c33ec9942ab8353589fcb2e04dc';
const digest = '3F7K2M9QRT';

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-ingest-'));
  process.env['FLIGHT_DATA'] = folder;
});

afterEach(async () => {
  delete process.env['FLIGHT_DATA'];
  delete process.env['SENTRY_DSN'];
  vi.restoreAllMocks();
  for (const store of globalThis.__FLIGHT_STORES__?.values() ?? []) await (await store).close();
  rmSync(folder, { recursive: true });
});

function encode(header: object, ...items: [object, unknown][]): Uint8Array {
  const lines = items.flatMap(([item, payload]) => [
    JSON.stringify(item),
    typeof payload === 'string' ? payload : JSON.stringify(payload),
  ]);
  return new TextEncoder().encode([JSON.stringify(header), ...lines].join('\n'));
}

function ingest(event: object, header: object = { event_id: id }) {
  return ingestEnvelope(encode(header, [{ type: 'event' }, event]));
}

async function readReports(): Promise<EventRow[]> {
  const { db } = await openStore();
  return db.selectFrom('event').where('side', '=', 'browser').selectAll().orderBy('received_at').execute();
}

async function readOnlyReport(): Promise<EventRow> {
  const [report, ...more] = await readReports();
  expect(more).toEqual([]);
  if (!report) throw new Error('nothing was stored');
  return report;
}

const stored: IngestResult = { status: 'stored', eventIds: [id] };
const exception = { values: [{ type: 'RangeError', value: 'Invalid array length' }] };

describe('what real SDKs send', () => {
  async function capture(error: unknown, scope: Scope): Promise<IngestResult[]> {
    const results: IngestResult[] = [];
    const client = new NodeClient({
      dsn: localDsn,
      integrations: [linkedErrorsIntegration()],
      stackParser: defaultStackParser,
      enableRuntimeChannelInjection: false,
      transport: (options) =>
        createTransport(options, async ({ body }) => {
          const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
          results.push(await ingestEnvelope(bytes));
          return { statusCode: 200 };
        }),
    });
    client.init();
    if (typeof error === 'string') client.captureMessage(error, 'warning', undefined, scope);
    else client.captureException(error, { originalException: error }, scope);
    await client.close(2000);
    return results;
  }

  it('an error with its cause, tags, breadcrumbs and trace', async () => {
    const scope = new Scope();
    scope.setTransactionName('/checkout/basket');
    scope.setTags({ digest, fingerprint: '8c1f0a6b5d2e4970' });
    scope.setPropagationContext({ traceId: '4bf92f3577b34da6a3ce929d0e0e4736', sampleRand: 0 });
    scope.setContext('react', { componentStack: '\n    at Basket' });
    scope.addBreadcrumb({ category: 'http', message: 'GET /basket', level: 'warning', data: { status_code: 502 } });
    const [result] = await capture(new TypeError('boom', { cause: new Error('inner') }), scope);
    expect(result).toMatchObject({ status: 'stored', eventIds: [expect.stringMatching(/^[\da-f]{32}$/)] });
    const report = await readOnlyReport();
    expect(report).toMatchObject({
      digest,
      side: 'browser',
      name: 'TypeError',
      message: 'boom',
      path: '/checkout/basket',
      trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
      component_stack: '\n    at Basket',
    });
    expect(JSON.parse(report.frames_json)[0]).toMatchObject({
      file: expect.stringContaining('ingest-envelope.test.ts'),
    });
    expect(JSON.parse(report.breadcrumbs_json)).toEqual([
      expect.objectContaining({ category: 'http', level: 'warning', data: { status_code: '502' } }),
    ]);
  });

  it('a message, which comes as an exception without a type', async () => {
    await capture('just a message', new Scope());
    expect(await readOnlyReport()).toMatchObject({ name: 'Message', message: 'just a message' });
  });

  it("React's component stack, which comes as a cause of the error", async () => {
    const error = new TypeError('boom');
    // Without a client this captures nothing. It only puts the component stack on the error.
    captureReactException(error, {
      componentStack: '\n    at Basket (http://x.test/assets/a.js:3:5)\n    at App (http://x.test/assets/a.js:9:1)',
    });
    await capture(error, new Scope());
    expect(await readOnlyReport()).toMatchObject({
      name: 'TypeError',
      component_stack: '    at Basket (/assets/a.js:3:5)\n    at App (/assets/a.js:9:1)',
    });
  });
});

describe('ingestEnvelope keeps', () => {
  it('an event that can then be found by its digest', async () => {
    expect(await ingest({ exception, tags: { digest }, request: { url: 'https://shop.test/basket?user=7' } })).toEqual(
      stored,
    );
    const details = await findErrorDetails(digest);
    expect(details?.browser).toMatchObject([{ eventId: id, name: 'RangeError', path: '/basket' }]);
  });

  it.each([
    ['a list of exceptions', { exception: exception.values }],
    ['a bare exception', { exception: exception.values[0] }],
    ['a message', { message: 'Invalid array length' }],
    ['a log entry', { logentry: { formatted: 'Invalid array length' } }],
    ['an old log entry', { 'sentry.interfaces.Message': 1, logentry: { message: 'Invalid array length', params: [] } }],
  ])('%s', async (_, event) => {
    expect(await ingest(event)).toEqual(stored);
    expect(await readOnlyReport()).toMatchObject({ message: 'Invalid array length' });
  });

  it('log entries with other values as one fault, shown and found with their values', async () => {
    for (const [order, name, formatted] of [
      ['4711', 'ada'],
      ['Z-9', 'grace hopper'],
      // As newer SDKs send the same line.
      ['twelve', 'kay', 'Order twelve of kay failed'],
    ]) {
      const logentry = { message: 'Order %s of %s failed', params: [order, name], ...(formatted && { formatted }) };
      await ingest({ logentry }, { event_id: randomUUID().replaceAll('-', '') });
    }
    const [first, second, third, ...more] = await readReports();
    expect([first?.message, second?.message, third?.message, more]).toEqual([
      'Order 4711 of ada failed',
      'Order Z-9 of grace hopper failed',
      'Order twelve of kay failed',
      [],
    ]);
    expect(new Set([first?.fingerprint, second?.fingerprint, third?.fingerprint]).size).toBe(1);
    const query = { order: 'last', place: undefined, limit: 10, hours: 24, filter: { state: 'any' } } as const;
    for (const text of ['hopper', 'twelve']) {
      expect((await listFaults({ ...query, text }, Date.now())).faults).toMatchObject([{ id: first?.fault }]);
    }
    expect((await listFaults({ ...query, text: 'lovelace' }, Date.now())).faults).toEqual([]);
  });

  it.each([
    ['as an object', { digest }],
    [
      'as a list of pairs',
      [
        ['a', 'b'],
        ['digest', digest],
      ],
    ],
    ['as a list of objects', [{ key: 'digest', value: digest }]],
  ])('a digest in tags %s', async (_, tags) => {
    await ingest({ exception, tags });
    expect(await readOnlyReport()).toMatchObject({ digest });
  });

  it.each(['3f7k2m9qrt', '3F7K2-M9QRT', '__WAKU_CUSTOM_ERROR__;{}', '1', 123456789, null, ['3F7K2M9QRT']])(
    'no digest that is none of ours: %j',
    async (other) => {
      await ingest({ exception, tags: { digest: other } });
      expect(await readOnlyReport()).toMatchObject({ digest: null });
    },
  );

  it("the envelope's id rather than the payload's, and one of its own when there is none", async () => {
    await ingest({ exception, event_id: 'a'.repeat(32) }, { event_id: '9EC79C33-EC99-42AB-8353-589FCB2E04DC' });
    expect(await readOnlyReport()).toMatchObject({ id });
    const second = await ingest({ exception, event_id: 'a'.repeat(32) }, {});
    expect(second).toMatchObject({ eventIds: ['a'.repeat(32)] });
    const third = await ingest({ exception, event_id: '../../etc/passwd' }, { event_id: 7 });
    expect(third).toMatchObject({ eventIds: [expect.stringMatching(/^[\da-f]{32}$/)] });
  });

  it('an event that is sent again only once', async () => {
    await ingest({ exception });
    expect(await ingest({ exception: [{ type: 'Other', value: 'body' }] })).toEqual(stored);
    expect(await readOnlyReport()).toMatchObject({ name: 'RangeError' });
  });

  it('a server fingerprint of nobody but the server', async () => {
    const tags = { fingerprint: '8c1f0a6b5d2e4970' };
    await ingest({ exception, tags });
    expect((await readOnlyReport()).fingerprint).not.toBe('8c1f0a6b5d2e4970');
  });

  it('the newest 100 breadcrumbs, oldest first, and no more than 64 KiB of them', async () => {
    const now = Date.now() / 1000;
    const breadcrumbs = Array.from({ length: 130 }, (_, index) => ({
      timestamp: now - 200 + index,
      message: `m${index}`,
    }));
    await ingest({ exception, breadcrumbs: { values: breadcrumbs } });
    const kept: { message: string }[] = JSON.parse((await readOnlyReport()).breadcrumbs_json);
    expect(kept.map(({ message }) => message)).toEqual(Array.from({ length: 100 }, (_, index) => `m${index + 30}`));

    const data = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`key${index}`, 'v'.repeat(300)]));
    const large = breadcrumbs.map((crumb) => ({ ...crumb, data }));
    await ingest({ exception, breadcrumbs: large }, {});
    const json = (await readReports())[1]?.breadcrumbs_json ?? '';
    expect(json.length).toBeGreaterThan(50 * 1024);
    expect(json.length).toBeLessThan(65 * 1024);
    expect(JSON.parse(json).at(-1).message).toBe('m129');
  });

  it('breadcrumbs, tags, extra data and causes of 64 KiB together', async () => {
    const data = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`key${index}`, 'v'.repeat(100)]));
    await ingest({
      exception: Array.from({ length: 5 }, () => ({ type: 'E', value: 'v'.repeat(2_000) })),
      extra: data,
      contexts: Object.fromEntries(Array.from({ length: 6 }, (_, index) => [`context${index}`, data])),
      tags: data,
      breadcrumbs: Array.from({ length: 100 }, (_, index) => ({ timestamp: 1 + index, message: `m${index}`, data })),
    });
    const { breadcrumbs_json, tags_json, extra_json, causes_json } = await readOnlyReport();
    const bytes = [breadcrumbs_json, tags_json, extra_json, causes_json].map((json) => Buffer.byteLength(json));
    expect(Math.min(...bytes)).toBeGreaterThan(2_000);
    expect(bytes.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(64 * 1024 + '{}{}[]'.length);
    expect(JSON.parse(breadcrumbs_json).at(-1)).toMatchObject({ message: 'm99' });
  });

  it('nothing personal or secret, wherever it stands', async () => {
    const canary = 'canary-4711';
    await ingest({
      exception: { values: [{ type: 'Error', value: `token=${canary} for jane@example.org from 203.0.113.9` }] },
      user: { id: canary, ip_address: '203.0.113.9', email: 'jane@example.org' },
      extra: { session_token: canary, note: `password=${canary}`, 'e-mail': canary },
      contexts: { app: { api_key: canary }, device: { name: canary } },
      tags: { server_name: canary, 'user.name': canary, note: `token=${canary}` },
      server_name: canary,
      request: {
        url: `https://shop.test/reset?code=${canary}#${canary}`,
        cookies: { session: canary },
        data: canary,
        query_string: canary,
        headers: { Cookie: canary, Referer: `https://x.test/?q=${canary}`, 'User-Agent': 'Browser/1.0' },
        env: { REMOTE_ADDR: '203.0.113.9' },
      },
      breadcrumbs: [
        { timestamp: 1, category: 'fetch', data: { url: `/api?token=${canary}`, authorization: canary, body: canary } },
        { timestamp: 2, category: 'console', message: `password: ${canary}`, data: { arguments: [canary] } },
      ],
    });
    const report = JSON.stringify(await readOnlyReport());
    expect(report).not.toContain('4711');
    expect(report).not.toContain('jane');
    expect(report).not.toContain('203.0.113.9');
    expect(report).toContain('Browser/1.0');
  });

  it('text that a database or a page could stumble over', async () => {
    await ingest({
      exception: [
        { type: '<script>', value: 'a\0b \uD800 \u202E "; drop table report; --', stacktrace: { frames: 7 } },
      ],
      tags: [[], 5, null],
      breadcrumbs: [null, 5, { timestamp: 'yesterday' }, { timestamp: 1e300 }, { timestamp: -1 }],
      contexts: [],
      request: 'x',
      timestamp: { a: 1 },
      release: 7,
    });
    expect(await readOnlyReport()).toMatchObject({ name: '<script>', breadcrumbs_json: '[]', release: '7' });
    expect((await readOnlyReport()).message).toContain('a\uFFFDb');
  });
});

describe('an event that is too large', () => {
  it.each([
    ['a text of 3 MiB', { message: 'x'.repeat(3 * 1024 * 1024) }, 'too large: long texts'],
    [
      'breadcrumbs of 2 MiB',
      { message: 'm', breadcrumbs: [{ message: 'x'.repeat(2 ** 21) }] },
      'too large: breadcrumbs',
    ],
    [
      'extra data that takes as long to parse as many megabytes',
      { message: 'm', extra: Array.from({ length: 20_000 }, (_, index) => ({ [`key${index}`]: 1 })) },
      'too large: extra',
    ],
  ])('is kept without %s, and says so', async (_, event, note) => {
    expect(await ingest(event)).toEqual(stored);
    const { message, extra_json, bytes } = await readOnlyReport();
    expect(message).toMatch(/^(?:m|x{8191})$/);
    expect(JSON.parse(extra_json)).toEqual({ 'flight-recorder.left-out': note });
    expect(bytes).toBeLessThan(10_000);
    expect((await countStored()).outcomes).toEqual([]);
  });
});

describe('times', () => {
  it("correct a sender's wrong clock by the time it says it sent at", async () => {
    const skew = 3_600_000;
    const theirs = Date.now() - skew;
    const before = Date.now();
    await ingest(
      { exception, timestamp: (theirs - 2000) / 1000, breadcrumbs: [{ timestamp: (theirs - 5000) / 1000 }] },
      { event_id: id, sent_at: new Date(theirs).toISOString().replace('Z', '+00:00') },
    );
    const report = await readOnlyReport();
    expect(report.time).toBeGreaterThanOrEqual(before - 2001);
    expect(report.time).toBeLessThanOrEqual(Date.now());
    expect(JSON.parse(report.breadcrumbs_json)[0].time).toBeLessThanOrEqual(report.time - 2999);
  });

  it.each([
    ['in the future', 4_000_000_000],
    ['before there was the web', 1],
    ['no number', 'soon'],
    ['absent', undefined],
  ])('that are %s become the time of arrival', async (_, timestamp) => {
    const before = Date.now();
    await ingest({ exception, timestamp });
    const { time } = await readOnlyReport();
    expect(time).toBeGreaterThanOrEqual(before);
    expect(time).toBeLessThanOrEqual(Date.now());
  });
});

describe('ingestEnvelope counts what it does not keep', () => {
  it('by type and reason, and keeps the event among it', async () => {
    const event = { exception };
    const result = await ingestEnvelope(
      encode(
        { event_id: id },
        [{ type: 'session' }, {}],
        [{ type: 'session' }, {}],
        [{ type: 'hologram-1' }, 'x'],
        [{ type: 'event' }, 'not json'],
        [{}, 'no type'],
        [{ type: 'event' }, event],
        [{ type: 'event' }, event],
      ),
    );
    expect(result).toEqual(stored);
    const { outcomes } = await countStored();
    expect(outcomes.map(({ type, reason, count }) => [type, reason, count])).toEqual([
      ['session', 'not_kept', 2],
      ['event', 'excess', 1],
      ['event', 'malformed', 1],
      ['unknown', 'malformed', 1],
      ['unknown', 'not_kept', 1],
    ]);
    expect(await readReports()).toHaveLength(1);
  });

  it('an event of which nothing can be left out that would be enough', async () => {
    const exceptions = Array.from({ length: 20_000 }, () => ({ type: 'E', value: 'v' }));
    expect(await ingest({ exception: exceptions })).toEqual({ status: 'stored', eventIds: [] });
    expect((await countStored()).outcomes).toMatchObject([{ type: 'event', reason: 'too_large', count: 1 }]);
  });

  it('client reports that are as much together', async () => {
    const report = { discarded_events: Array.from({ length: 9000 }, () => ({})) };
    const items = Array.from({ length: 4 }, (): [object, unknown] => [{ type: 'client_report' }, report]);
    await ingestEnvelope(encode({}, ...items));
    expect((await countStored()).outcomes).toMatchObject([{ type: 'client_report', reason: 'too_large', count: 2 }]);
  });

  it('client reports by their sum, whatever they say', async () => {
    const report = {
      discarded_events: [
        { reason: 'before_send', category: 'error', quantity: 3 },
        { reason: 'my own', category: 'mine', quantity: 1e15 },
        { reason: 'before_send', category: 'error', quantity: -5 },
        { reason: 'before_send', category: 'error', quantity: 'many' },
        null,
      ],
    };
    const envelope = encode({}, [{ type: 'client_report' }, report], [{ type: 'client_report' }, 'x']);
    await ingestEnvelope(envelope);
    await ingestEnvelope(envelope);
    expect((await countStored()).outcomes.map((o) => [o.source, o.type, o.reason, o.count])).toEqual([
      ['client', 'unknown', 'unknown', 200_000],
      ['client', 'error', 'before_send', 6],
      ['receiver', 'client_report', 'malformed', 2],
    ]);
  });

  it('nothing, when there is nothing', async () => {
    expect(await ingestEnvelope(encode({}))).toEqual({ status: 'stored', eventIds: [] });
  });
});

describe('ingestEnvelope refuses', () => {
  it('what is no envelope', async () => {
    const result = await ingestEnvelope(new TextEncoder().encode('hello'));
    expect(result).toMatchObject({ status: 'refused', httpStatus: 400 });
  });

  it.each([
    'https://f119847ec04de40000000000000000a5@sentry.example/1',
    'http://f119847ec04de40000000000000000a5@127.0.0.1/2',
    'http://f119847ec04de40000000000000000a5@127.0.0.1:8080/1',
    'http://f119847ec04de40000000000000000a5@127.0.0.1.evil.test/1',
    'http://other@127.0.0.1/1',
    'nonsense',
    7,
    null,
  ])('an envelope for another DSN: %j', async (dsn) => {
    expect(await ingest({ exception }, { dsn })).toMatchObject({ status: 'refused', httpStatus: 403 });
    expect(await readReports()).toEqual([]);
  });

  it.each([
    localDsn,
    `${localDsn}/`,
    'https://key@o1.ingest.example/42',
    'https://key:secret@o1.ingest.example:443/42',
  ])('none for ours: %s', async (dsn) => {
    process.env['SENTRY_DSN'] = 'https://key@o1.ingest.example/42';
    expect(await ingest({ exception }, { event_id: id, dsn })).toEqual(stored);
  });
});

describe("a browser's stack", () => {
  const sources = ['const list = [];', 'export function fill(size) {', '  list.length = size;', '}'].join('\n');

  /** A script whose whole code is on line 1, mapped to line 3 of `src/fill.ts`. */
  function writeMap(root: string, asset: string): void {
    const map = new TraceMap({
      version: 3,
      sources: ['../../../src/fill.ts', '../../../node_modules/react/index.js'],
      sourcesContent: [sources, 'react'],
      names: [],
      mappings: [
        [
          [0, 0, 2, 2],
          [100, 1, 0, 0],
        ],
      ],
    });
    const file = path.join(root, 'dist', 'maps', `${asset}.map`);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify(encodedMap(map)));
  }

  function eventIn(filename: string, fn: string) {
    const frame = { filename, lineno: 1, in_app: true };
    const frames = [
      { ...frame, function: 'r', colno: 120 },
      { ...frame, function: fn, colno: 5 },
    ];
    return { exception: [{ ...exception.values[0], stacktrace: { frames } }] };
  }

  it('is translated by the map of the script, and groups across builds', async () => {
    vi.spyOn(process, 'cwd').mockReturnValue(folder);
    writeMap(folder, 'assets/index-4f3c2a.js');
    writeMap(folder, 'assets/index-99ab01.js');
    await ingest(eventIn('https://shop.test/assets/index-4f3c2a.js', 'a'), {});
    await ingest(eventIn('https://shop.test/assets/index-99ab01.js', 'Zx'), {});
    const [first, second] = await readReports();
    expect(JSON.parse(first?.frames_json ?? '')).toEqual([
      {
        fn: 'fill',
        file: '/assets/index-4f3c2a.js',
        source: 'src/fill.ts',
        line: 3,
        column: 3,
        inApp: true,
        context: { firstLine: 1, lines: sources.split('\n') },
      },
      expect.objectContaining({ source: 'node_modules/react/index.js', inApp: false }),
    ]);
    expect(first?.fingerprint).toBe(second?.fingerprint);
  });

  it.each([
    'https://shop.test/assets/unknown.js',
    'https://shop.test/%2e%2e/%2e%2e/secret.js',
    '../../secret.js',
    '/../../secret.js',
    'file:///etc/passwd',
  ])('stays as it is without a map, and names no file of this machine: %s', async (filename) => {
    vi.spyOn(process, 'cwd').mockReturnValue(folder);
    writeMap(folder, '../../secret.js');
    writeFileSync(path.join(folder, 'secret.js'), 'secret');
    await ingest(eventIn(filename, 'a'));
    const [frame] = JSON.parse((await readOnlyReport()).frames_json);
    expect(frame).toMatchObject({ fn: 'a', line: 1, column: 5, inApp: false });
    expect(frame).not.toHaveProperty('source');
  });
});

describe('an acknowledged report', () => {
  it('survives kill -9', async ({ skip }) => {
    skip((await openStore()).engine === 'postgres', 'reliability kills the whole server, on both');
    const child = spawn(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        `import { registerHooks } from 'node:module';
        registerHooks({
          resolve: (name, context, next) =>
            name === 'server-only' ? { url: 'data:text/javascript,', shortCircuit: true } : next(name, context),
        });
        const { ingestEnvelope } = await import(${JSON.stringify(new URL('./ingest-envelope.ts', import.meta.url).href)});
        for (let number = 0; ; number += 1) {
          const event_id = String(number).padStart(32, '0');
          const text = JSON.stringify({ event_id }) + '\\n{"type":"event"}\\n{"message":"m"}';
          const result = await ingestEnvelope(new TextEncoder().encode(text));
          process.stdout.write(result.eventIds[0] + '\\n');
        }`,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, NODE_OPTIONS: '' } },
    );
    let acknowledged = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      acknowledged += text;
      if (acknowledged.split('\n').length > 50) child.kill('SIGKILL');
    });
    const signal = await new Promise((resolve) => child.on('close', (_, killedBy) => resolve(killedBy)));
    expect(signal).toBe('SIGKILL');
    const ids = acknowledged.split('\n').filter((line) => line.length === 32);
    const kept = new Set((await readReports()).map((report) => report.id));
    expect(ids.length).toBeGreaterThanOrEqual(50);
    expect(ids.filter((one) => !kept.has(one))).toEqual([]);
  }, 20_000);
});
