import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

import { Hono } from 'hono';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { writeFlightFile, type FlightFile } from '#flight';
import { addApp, setRecord, type App } from '#src/apps/apps.ts';
import { readRefusals, writeRefusals } from '#src/apps/refusals.ts';
import { closeFlightsReader, openFlightsReader } from '#src/flights/recorder/flights-reader.ts';
import { currentWriter, startRecorder } from '#src/flights/recorder/recorder.ts';
import { openStore, type Store } from '#src/store/open-store.ts';

import { findFlightsApp, receiveFlights } from './receive-flights.ts';

let folder: string;
let store: Store;
let stop: () => Promise<void>;
let server: Hono;
let shop: App;
let log: string[];

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'receive-flights-'));
  vi.stubEnv('FLIGHT_DATA', folder);
  log = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => log.push(String(text)) > 0);
  store = await openStore();
  stop = await startRecorder();
  server = new Hono().use(receiveFlights());
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

function id(): string {
  return randomBytes(16).toString('hex');
}

type Changes = Partial<Omit<FlightFile, 'facts'>> & { readonly facts?: Partial<FlightFile['facts']> };

function write({ facts, ...changes }: Changes = {}): string {
  return writeFlightFile({
    facts: {
      requestId: id(),
      traceId: id(),
      visit: null,
      kind: 'navigation',
      method: 'GET',
      path: '/cart',
      query: ['page', 'a b'],
      route: '/cart',
      build: '',
      status: 200,
      rendering: 'unknown',
      outcome: 'complete',
      startedAt: '2026-11-21T00:08:09.123Z',
      firstByteMs: 4.25,
      durationMs: 30,
      bytes: 12,
      digests: [],
      action: null,
      hits: 1,
      lastAt: null,
      framework: 'next',
      sentBytes: 9,
      decodedBytes: 100,
      ...facts,
    },
    content: 'flight',
    chunks: [[4.25, 12]],
    body: Buffer.from('0:"payload"\n'),
    debug: null,
    elements: [],
    elided: [],
    arguments: null,
    ...changes,
  });
}

type Sent = { readonly headers?: Record<string, string>; readonly app?: string; readonly method?: string };

async function post(body: BodyInit, { headers = {}, app = 'shop', method = 'POST' }: Sent = {}): Promise<Response> {
  return server.request(`http://host.test/api/${app}/flights`, {
    method,
    body,
    headers: { authorization: `Bearer ${shop.secretKey}`, 'content-type': 'application/x-ndjson', ...headers },
  });
}

async function readRows(): Promise<Record<string, unknown>[]> {
  const db = await openFlightsReader();
  if (!db) return [];
  return db.selectFrom('flight').selectAll().orderBy('id').execute();
}

describe('flights of another app', () => {
  it('are stored under the app whose key was shown, as received', async () => {
    const response = await post(
      write({
        facts: { app: 'other', digests: ['2338734591@E394', 'a,b'], fromPath: '/list', trigger: 'hover', codec: 'br' },
      }) + write(),
    );
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ stored: 2, left: 0 });
    const rows = await readRows();
    expect(rows).toHaveLength(2);
    expect(rows[0]).toMatchObject({
      app: 'shop',
      source: 'received',
      framework: 'next',
      sent_bytes: 9,
      decoded_bytes: 100,
      path: '/cart',
      query: 'page&a%20b',
      digests: '2338734591@E394,a%2Cb',
      chunks_json: '[[4.25,12,0]]',
      from_path: '/list',
      prefetch_trigger: 'hover',
      content_encoding: 'br',
      first_byte_ms: 4.25,
      started_at: Date.parse('2026-11-21T00:08:09.123Z'),
    });
    expect(log).toEqual([]);
  });

  it('of a document bring the size of its Flight', async () => {
    const sizes = { flight: 700, response: 12, transferred: 8 };
    await post(write({ content: 'html', facts: { sizes } }) + write({ facts: { sizes } }));
    expect(await readRows()).toMatchObject([
      { content: 'html', flight_bytes: 700, decoded_bytes: 12, sent_bytes: 8 },
      { content: 'flight', flight_bytes: null, decoded_bytes: 12, sent_bytes: 8 },
    ]);
  });

  it('may come packed, and with an empty line at the end', async () => {
    const response = await post(gzipSync(`${write()}\n`), { headers: { 'content-encoding': 'gzip' } });
    expect(await response.json()).toEqual({ stored: 1, left: 0 });
  });

  it('are written once, however often they are sent', async () => {
    const batch = write() + write();
    await post(batch);
    expect((await post(batch)).status).toBe(200);
    expect(await readRows()).toHaveLength(2);
  });

  it('are those that RECORD of their app keeps', async () => {
    const failed = { facts: { outcome: 'failed' } };
    await setRecord('shop', 'errors');
    expect(await (await post(write() + write(failed))).json()).toEqual({ stored: 1, left: 1 });
    expect(await (await post(write({ facts: { status: 500 } }))).json()).toEqual({ stored: 1, left: 0 });
    await setRecord('shop', 'off');
    expect(await (await post(write(failed))).json()).toEqual({ stored: 0, left: 1 });
    await setRecord('shop', undefined);
    expect(await (await post(write())).json()).toEqual({ stored: 1, left: 0 });
    vi.stubEnv('RECORD', 'errors');
    expect(await (await post(write())).json()).toEqual({ stored: 0, left: 1 });
    await setRecord('shop', 'all');
    expect(await (await post(write())).json()).toEqual({ stored: 1, left: 0 });
  });

  it('never began in the future', async () => {
    const before = Date.now();
    await post(write({ facts: { startedAt: '2999-01-01T00:00:00.000Z' } }));
    const [row] = await readRows();
    expect(row?.['started_at']).toBeGreaterThanOrEqual(before);
    expect(row?.['started_at']).toBeLessThanOrEqual(Date.now());
  });

  it('began in 1970 at the earliest', async () => {
    await post(write({ facts: { startedAt: '-000001-01-01T00:00:00.000Z' } }));
    expect((await readRows())[0]?.['started_at']).toBe(0);
  });

  it('are asked for again while too much waits for the disk', async () => {
    vi.spyOn(currentWriter(), 'add').mockReturnValue(false);
    const response = await post(write());
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2']);
    expect(await readRows()).toEqual([]);
  });

  it('are asked for again when they could not be written', async () => {
    vi.spyOn(currentWriter(), 'flush').mockResolvedValue(false);
    expect((await post(write())).status).toBe(503);
    expect(await readRefusals('shop')).toMatchObject([{ endpoint: 'flights', reason: 'not-stored', count: 1 }]);
  });

  it('are taken while many come slowly, the oldest of which gives way', async () => {
    const added = await addApp('Blog');
    if (added.type !== 'added') throw new Error(added.reason);
    const bodies = Array.from({ length: 32 }, () => new TransformStream<Uint8Array, Uint8Array>());
    const slow = bodies.map(({ readable }) => postStream(readable));
    let first = 0;
    void slow[0]?.then(({ status }) => (first = status));
    // They have shown their key when the first of them has to give way.
    await vi.waitFor(async () => {
      expect((await post(write())).status).toBe(200);
      expect(first).toBe(408);
    });
    const authorization = `Bearer ${added.app.secretKey}`;
    expect((await post(write(), { app: added.app.id, headers: { authorization } })).status).toBe(200);
    await Promise.all(bodies.map(({ writable }) => writable.close().catch(() => undefined)));
    const statuses = (await Promise.all(slow)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([408, 200]));
  });
});

async function postStream(body: ReadableStream): Promise<Response> {
  const headers = { authorization: `Bearer ${shop.secretKey}`, 'content-type': 'application/x-ndjson' };
  const sent = { method: 'POST', body, headers, duplex: 'half' };
  return server.request('http://host.test/api/shop/flights', sent);
}

it('takes a query name with half an emoji, and what was sent with it', async () => {
  const response = await post(write({ facts: { query: ['x\uD800y', '\uDC00'] } }) + write());
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ stored: 2 });
});

describe('what is refused', () => {
  it.each([
    ['another key', { authorization: 'Bearer nonsense' }, 401, 'wrong-key'],
    ['no key', { authorization: '' }, 401, 'wrong-key'],
    ['another type', { 'content-type': 'text/plain' }, 415, 'unsupported-type'],
    ['another encoding', { 'content-encoding': 'br' }, 415, 'unsupported-encoding'],
    ['what says that it is gzip', { 'content-encoding': 'gzip' }, 400, 'malformed-request'],
    ['a length of more than a mebibyte', { 'content-length': '1048577' }, 413, 'body-too-large'],
  ])('%s', async (_, headers, status, reason) => {
    const response = await post(write(), { headers });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { code: reason } });
    expect(log).toHaveLength(1);
    expect(await readRefusals('shop')).toMatchObject([{ endpoint: 'flights', reason, count: 1 }]);
    expect(await readRows()).toEqual([]);
  });

  it('what unpacks to more than 8 MiB', async () => {
    const bomb = gzipSync(Buffer.alloc(8 * 1024 * 1024 + 1, ' '));
    expect((await post(bomb, { headers: { 'content-encoding': 'gzip' } })).status).toBe(413);
  });

  it('bytes that are not text', async () => {
    expect((await post(new Uint8Array([0xff, 0xfe]))).status).toBe(400);
  });

  it('an app that is not there, which is counted nowhere', async () => {
    expect((await post(write(), { app: 'nobody' })).status).toBe(401);
    expect(await store.db.selectFrom('refusal').selectAll().execute()).toEqual([]);
  });

  it('another method', async () => {
    const response = await server.request('http://host.test/api/shop/flights');
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
  });

  it('a batch with one line that cannot be read, all of it', async () => {
    const response = await post(`${write()}{"format":"flight-recorder/flight@1"}\n${write()}`);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ reason: expect.stringMatching(/^line 2: content must be/) });
    expect(log.join('')).toContain('line 2: ');
    expect(await readRows()).toEqual([]);
  });

  const long = 'x'.repeat(2_001);
  it.each<[string, Changes]>([
    ['facts.requestId', { facts: { requestId: 'A'.repeat(32) } }],
    ['facts.traceId', { facts: { traceId: 'short' } }],
    ['facts.visit', { facts: { visit: 'a tab' } }],
    ['facts.kind', { facts: { kind: 'odd' } }],
    ['facts.rendering', { facts: { rendering: 'cached' } }],
    ['facts.outcome', { facts: { outcome: 'fine' } }],
    ['facts.method', { facts: { method: 'GET /' } }],
    ['facts.path', { facts: { path: long } }],
    ['facts.route', { facts: { route: long } }],
    ['facts.build', { facts: { build: long } }],
    ['facts.action', { facts: { action: long } }],
    ['facts.query', { facts: { query: Array.from({ length: 101 }, () => 'q') } }],
    ['facts.query[0]', { facts: { query: [long] } }],
    ['facts.status', { facts: { status: 200.5 } }],
    ['facts.durationMs', { facts: { durationMs: 86_400_001 } }],
    ['facts.bytes', { facts: { bytes: 2 ** 40 + 1 } }],
    ['facts.digests', { facts: { digests: ['a\nb'] } }],
    ['facts.digests', { facts: { digests: ['x'.repeat(65)] } }],
    ['facts.digests', { facts: { digests: Array.from({ length: 101 }, String) } }],
    ['facts.hits', { facts: { hits: 1.5 } }],
    ['facts.framework', { facts: { framework: '<b>' } }],
    ['facts.sizes.transferred', { facts: { sentBytes: 0.5 } }],
    ['facts.sizes.transferred', { facts: { sentBytes: 2 ** 40 + 1 } }],
    ['facts.sizes.response', { facts: { decodedBytes: 0.5 } }],
    ['facts.sizes.flight', { content: 'html', facts: { sizes: { flight: 0.5, response: null, transferred: null } } }],
    ['facts.codec', { facts: { codec: 'rot13' } }],
    ['facts.fromPath', { facts: { fromPath: '/a\nb' } }],
    ['facts.fromPath', { facts: { fromPath: 'https://other.example/' } }],
    ['facts.trigger', { facts: { trigger: 'a click' } }],
    ['elements', { elements: Array.from({ length: 101 }, () => 'e') }],
    ['elided[0]', { elided: [long] }],
    ['chunks', { chunks: Array.from({ length: 4_097 }, () => [0, 0] as const), body: new Uint8Array() }],
    ['chunks[0][0]', { chunks: [[1e9, 12]] }],
    [
      'chunks[0][1]',
      {
        chunks: [
          [1, 11.5],
          [1, 0.5],
        ],
      },
    ],
    ['arguments.contentType', { arguments: { contentType: long, bytes: 1, body: new Uint8Array(1) } }],
    ['arguments.bytes', { arguments: { contentType: 'text/plain', bytes: 0.5, body: new Uint8Array(1) } }],
  ])('%s that a row cannot hold', async (name, changes) => {
    expect((await post(write(changes))).status).toBe(400);
    expect(log.join('')).toContain(`line 1: ${name} must be`);
  });

  it.each(['[{}', '[['])('more parts than are parsed, as %s', async (part) => {
    const most = part === '[[' ? '['.repeat(500_000) : `[${'{},'.repeat(500_000)}{}]`;
    const response = await post(gzipSync(most), { headers: { 'content-encoding': 'gzip' } });
    expect([response.status, await response.json()]).toMatchObject([400, { reason: 'more than 400000 parts' }]);
  });

  it('a line with more parts than are parsed at once', async () => {
    const unknown = write().replace(/\}\s*$/, `,"x":${'['.repeat(90_000)}${']'.repeat(90_000)}}`);
    const response = await post(gzipSync(`${write()}${unknown}`), { headers: { 'content-encoding': 'gzip' } });
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { reason: expect.stringMatching(/line \d: more than 80000/) },
    ]);
  });

  it('more lines than a batch may have', async () => {
    expect((await post('\n'.repeat(2_000))).status).toBe(400);
    expect((await post('\n'.repeat(1_999))).status).toBe(200);
  });
});

it('cuts what is longer than a recording keeps, and says so', async () => {
  const body = new Uint8Array(1024 * 1024 + 10).fill(32);
  const batch = gzipSync(write({ body, chunks: [], facts: { bytes: body.length } }));
  expect((await post(batch, { headers: { 'content-encoding': 'gzip' } })).status).toBe(200);
  expect((await readRows())[0]).toMatchObject({ bytes: body.length, kept_bytes: 1024 * 1024 });
});

it('lets every other path pass', async () => {
  expect(await (await server.request('http://host.test/api/shop/other', { method: 'POST' })).text()).toBe(
    'the rest of the app',
  );
  expect(findFlightsApp('/api/my-shop/flights')).toBe('my-shop');
  for (const other of ['/api//flights', '/api/a/b/flights', '/api/a%2Fb/flights', '/flights', '/api/A/flights']) {
    expect(findFlightsApp(other)).toBeUndefined();
  }
});
