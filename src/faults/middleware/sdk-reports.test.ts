import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';

import { Hono } from 'hono';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { type App, ensureApp } from '#src/apps/apps.ts';
import { readRefusals, writeRefusals } from '#src/apps/refusals.ts';
import { errorCodes, type ErrorCode } from '#src/server/http/error-codes.ts';
import { readAppErrors } from '#src/faults/app-errors/read-app-errors.ts';
import { storeAppErrors } from '#src/faults/app-errors/store-app-errors.ts';
import { openStore } from '#src/store/open-store.ts';
import type { EventRow } from '#src/store/schema.ts';

import { requestContext } from '#src/runtime/middleware/request-context.ts';
import { sdkReports, isSdkPath } from './sdk-reports.ts';

/** How many large bodies were unpacked at once, and how many in all. */
const large = vi.hoisted(() => ({ now: 0, most: 0, count: 0 }));

vi.mock('#src/server/http/unpack-body.ts', async (importOriginal) => {
  const original = await importOriginal<typeof import('#src/server/http/unpack-body.ts')>();
  return {
    ...original,
    async unpackBody(...given: Parameters<typeof original.unpackBody>) {
      if (given[2] <= 1024 * 1024) return original.unpackBody(...given);
      large.now += 1;
      large.count += 1;
      large.most = Math.max(large.most, large.now);
      const unpacked = await original.unpackBody(...given);
      large.now -= 1;
      return unpacked;
    },
  };
});

let folder: string;
let server: Hono;
let shop: App;
let lines: Record<string, unknown>[];
const id = '9ec79c33ec9942ab8353589fcb2e04dc';
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';

function createServer(): Hono {
  const made = new Hono();
  made.use(requestContext());
  made.use(sdkReports());
  made.notFound((c) => c.text('the rest of the app', 404));
  return made;
}

/** No token comes back while a slow machine sends. */
function freezeClock(): void {
  vi.useFakeTimers({ toFake: ['performance'] });
  server = createServer();
}

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-sdk-'));
  process.env['FLIGHT_DATA'] = folder;
  lines = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(JSON.parse(String(text))) > 0);
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  shop = await ensureApp('shop');
  server = createServer();
});

afterEach(async () => {
  delete process.env['FLIGHT_DATA'];
  vi.restoreAllMocks();
  vi.useRealTimers();
  for (const store of globalThis.__FLIGHT_STORES__?.values() ?? []) await (await store).close();
  rmSync(folder, { recursive: true });
});

const exception = { values: [{ type: 'RangeError', value: 'Invalid array length' }] };

function encode(header: object, ...items: [object, unknown][]): string {
  return [header, ...items.flat()].map((line) => JSON.stringify(line)).join('\n');
}

const envelope = encode({ event_id: id }, [{ type: 'event' }, { exception }]);

type Sent = {
  readonly method?: string;
  readonly path?: string;
  readonly body?: BodyInit | undefined;
  readonly headers?: Record<string, string>;
  /** Empty: none in the head. */
  readonly key?: string;
  readonly address?: string;
};

function send({ method = 'POST', path: at, body = envelope, headers = {}, key, address = '' }: Sent = {}) {
  const shown = key ?? shop.secretKey;
  const auth =
    shown === '' ? {} : { 'x-sentry-auth': `Sentry sentry_version=7, sentry_client=x/1, sentry_key=${shown}` };
  const init: RequestInit & { duplex?: 'half' } = { method, headers: { ...auth, ...headers }, duplex: 'half' };
  if (method !== 'GET' && method !== 'OPTIONS') init.body = body;
  const target = `http://recorder.test${at ?? `/api/${shop.number}/envelope/`}`;
  return Promise.resolve(server.request(target, init, { address }));
}

async function readErrors(): Promise<EventRow[]> {
  const { db } = await openStore();
  return db.selectFrom('event').where('side', '=', 'server').selectAll().execute();
}

async function readReports(): Promise<EventRow[]> {
  const { db } = await openStore();
  return db.selectFrom('event').where('side', '=', 'browser').selectAll().execute();
}

async function readOutcomes() {
  const { db } = await openStore();
  return db.selectFrom('outcome').select(['app', 'source', 'type', 'reason', 'count']).orderBy('type').execute();
}

async function expectRefusal(response: Response, code: ErrorCode, detail: string): Promise<void> {
  const { status, message } = errorCodes[code];
  expect(response.status).toBe(status);
  expect(await response.json()).toEqual({ error: { code, message }, detail: expect.any(String) });
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  expect(response.headers.get('access-control-expose-headers')).toContain('x-sentry-rate-limits');
  expect(response.headers.get('x-sentry-error')).toBeTruthy();
  expect(lines).toEqual([expect.objectContaining({ event: 'request-refused', code, status, detail })]);
  expect(await readErrors()).toEqual([]);
  expect(await readReports()).toEqual([]);
}

describe('what an SDK sends', () => {
  it('is a server’s error with the secret key, on disk when it is answered', async () => {
    const response = await send();
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ id });
    expect(await readErrors()).toMatchObject([{ id: `shop.${id}`, app: 'shop', name: 'RangeError' }]);
    expect(await readReports()).toEqual([]);
    expect(lines).toEqual([]);
  });

  it('is untrusted with the public key', async () => {
    const response = await send({ key: shop.publicKey, headers: { 'user-agent': 'Browser/1.0' } });
    expect(await response.json()).toEqual({ id });
    expect(await readReports()).toMatchObject([{ id: `shop.${id}`, app: 'shop', user_agent: 'Browser/1.0' }]);
    expect(await readErrors()).toEqual([]);
  });

  it.each([
    ['the app’s number', () => `/api/${shop.number}/envelope/`],
    ['no last slash', () => `/api/${shop.number}/envelope`],
    ['the app’s id', () => '/api/shop/envelope/'],
    ['something before it', () => `/tools/recorder/api/${shop.number}/envelope/`],
  ])('is taken at an address with %s', async (_, toPath) => {
    expect((await send({ path: toPath() })).status).toBe(200);
    expect(await readErrors()).toHaveLength(1);
    expect(isSdkPath(toPath())).toBe(true);
  });

  it.each([
    [
      'X-Sentry-Auth',
      () => ({ headers: { 'x-sentry-auth': `sentry sentry_key = ${shop.secretKey} ,sentry_version=8` } }),
    ],
    ['Authorization', () => ({ headers: { authorization: `Sentry sentry_key=${shop.secretKey}, sentry_version=7` } })],
    ['the query', () => ({ path: `/api/${shop.number}/envelope/?sentry_version=7&sentry_key=${shop.secretKey}` })],
    [
      'the envelope',
      () => ({
        body: encode({ dsn: `https://${shop.secretKey}@any.test/x/${shop.number}` }, [
          { type: 'event' },
          { exception },
        ]),
      }),
    ],
  ])('may name its key in %s', async (_, toSent) => {
    expect((await send({ key: '', ...toSent() })).status).toBe(200);
    expect(await readErrors()).toHaveLength(1);
  });

  it.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['zstd', zstdCompressSync],
  ])('may be packed as %s', async (coding, pack) => {
    const response = await send({ body: new Uint8Array(pack(envelope)), headers: { 'content-encoding': coding } });
    expect(response.status).toBe(200);
    expect(await readErrors()).toHaveLength(1);
  });

  it('may come in chunks, without a length or a type', async () => {
    const bytes = new TextEncoder().encode(envelope);
    const body = new ReadableStream({
      start(controller) {
        for (let at = 0; at < bytes.length; at += 10) controller.enqueue(bytes.subarray(at, at + 10));
        controller.close();
      },
    });
    expect((await send({ body })).status).toBe(200);
    expect(await readErrors()).toHaveLength(1);
  });

  it.each(['text/plain', 'multipart/form-data', 'application/x-www-form-urlencoded'])(
    'may be called %s',
    async (type) => {
      expect((await send({ headers: { 'content-type': type } })).status).toBe(200);
    },
  );

  it('may come from a page of any origin, which asks before', async () => {
    const asked = await send({
      method: 'OPTIONS',
      key: '',
      headers: { origin: 'https://shop.test', 'access-control-request-method': 'POST' },
    });
    expect(asked.status).toBe(204);
    expect(asked.headers.get('access-control-allow-origin')).toBe('*');
    expect(asked.headers.get('access-control-allow-methods')).toBe('POST');
    expect(asked.headers.get('access-control-allow-headers')).toMatch(/x-sentry-auth.*content-encoding.*sentry-trace/);
    const sent = await send({ key: shop.publicKey, headers: { origin: 'https://shop.test' } });
    expect(sent.headers.get('access-control-allow-origin')).toBe('*');
    expect(sent.headers.get('access-control-allow-credentials')).toBeNull();
  });

  it('is told what is not kept, and that is counted for its app', async () => {
    const body = encode({}, [{ type: 'transaction' }, {}], [{ type: 'span' }, {}], [{ type: 'hologram' }, {}]);
    const response = await send({ body });
    expect(await response.json()).toEqual({});
    const told = response.headers.get('x-sentry-rate-limits');
    expect(told).toMatch(/^86400:transaction;span;session;[a-z_;]+:key:not_stored$/);
    expect(told).not.toMatch(/error|default|internal|feedback/);
    expect(await readOutcomes()).toEqual([
      { app: 'shop', source: 'receiver', type: 'span', reason: 'not_kept', count: 1 },
      { app: 'shop', source: 'receiver', type: 'transaction', reason: 'not_kept', count: 1 },
      { app: 'shop', source: 'receiver', type: 'unknown', reason: 'not_kept', count: 1 },
    ]);
  });

  it('is kept once, when it is sent again; another app may use the same id', async () => {
    const blog = await ensureApp('blog');
    await send();
    await send();
    await send({ path: '/api/blog/envelope/', key: blog.secretKey });
    expect((await readErrors()).map((row) => row.id).toSorted()).toEqual([`blog.${id}`, `shop.${id}`]);
    await send({ key: shop.publicKey });
    await send({ key: shop.publicKey });
    expect(await readReports()).toHaveLength(1);
    const { db } = await openStore();
    const faults = await db.selectFrom('fault').select(['app', 'count', 'untrusted']).orderBy('app').execute();
    expect(faults).toEqual([
      { app: 'blog', count: 1, untrusted: 0 },
      { app: 'shop', count: 1, untrusted: 1 },
    ]);
  });

  it('keeps the first 100 items, and counts the others', async () => {
    const sessions = Array.from({ length: 120 }, (): [object, unknown] => [{ type: 'session' }, {}]);
    await send({ body: encode({ event_id: id }, ...sessions, [{ type: 'event' }, { exception }]) });
    expect(await readOutcomes()).toMatchObject([
      { type: 'event', reason: 'excess', count: 1 },
      { type: 'session', reason: 'excess', count: 20 },
      { type: 'session', reason: 'not_kept', count: 100 },
    ]);
  });
});

describe('an old SDK', () => {
  const event = JSON.stringify({ exception, level: 'fatal', event_id: id });

  it.each([
    ['as it is', event],
    ['as base64 of zlib', deflateSync(event).toString('base64')],
    ['as zlib', new Uint8Array(deflateSync(event))],
    ['as base64', Buffer.from(event).toString('base64')],
  ])('sends one event to /store/: %s', async (_, body) => {
    const response = await send({ path: `/api/${shop.number}/store/`, body });
    expect(await response.json()).toEqual({ id });
    expect(await readErrors()).toMatchObject([{ id: `shop.${id}`, level: 'fatal' }]);
  });

  it('gets an id for an event without one', async () => {
    const response = await send({ path: '/api/shop/store', body: '{"message":"m"}' });
    expect(await response.json()).toEqual({ id: expect.stringMatching(/^[\da-f]{32}$/) });
  });

  it.each(['hello', '[]', '', '{}', 'e30=', new Uint8Array([0x78, 0x9c, 1, 2])])(
    'is told of what is no event: %j',
    async (body) => {
      await expectRefusal(
        await send({ path: '/api/shop/store/', body }),
        'malformed-request',
        'the body is not an event',
      );
    },
  );
});

describe('is refused', () => {
  it.each([
    ['no key', { key: '' }, 'no-key', 'neither in the head nor in the envelope'],
    ['a key of nobody', { key: 'f'.repeat(32) }, 'unknown-key', 'for the project 2'],
    ['a project of nobody', { path: '/api/77/envelope/' }, 'unknown-key', 'for the project 77'],
    ['this server’s own project', { path: '/api/1/envelope/' }, 'unknown-key', 'for the project 1'],
    ['a key that is none', { key: '../x' }, 'no-key', 'a key that no app can have'],
    [
      'a version that does not exist',
      { path: '/api/2/envelope/?sentry_key=a&sentry_version=9', key: '' },
      'malformed-request',
      'version 9',
    ],
    ['GET', { method: 'GET' }, 'wrong-method', 'only POST'],
    [
      'Brotli',
      { body: new Uint8Array(brotliCompressSync('x')), headers: { 'content-encoding': 'br' } },
      'unsupported-encoding',
      'Content-Encoding: br',
    ],
    ['what is not gzip', { headers: { 'content-encoding': 'gzip' } }, 'malformed-request', 'the body is not gzip'],
    ['a body over 2 MiB', { body: 'x'.repeat(2 ** 21 + 1) }, 'body-too-large', 'more than 2097152 bytes, undeclared'],
    [
      'a declared length over 2 MiB',
      { headers: { 'content-length': '2097153' } },
      'body-too-large',
      'Content-Length: 2097153',
    ],
    ['no envelope', { body: 'hello' }, 'malformed-request', 'envelope header is not one line with a JSON object'],
    [
      'an envelope that ends too early',
      { body: '{}\n{"type":"event","length":9}\n{}' },
      'malformed-request',
      'unexpected end of file in an item',
    ],
    [
      'a DSN that cannot be read',
      { body: '{"dsn":"x"}\n' },
      'malformed-request',
      'the DSN in the envelope header cannot be read',
    ],
    [
      'a DSN of another project',
      { body: '{"dsn":"http://SECRET@a.test/3"}\n' },
      'malformed-request',
      'the envelope has another DSN',
    ],
    ['a DSN with another key', { body: '{"dsn":"http://abc@a.test/2"}\n' }, 'unknown-key', 'for the project 2'],
  ] as const satisfies readonly (readonly [string, Sent, ErrorCode, string])[])('%s', async (_, sent, code, detail) => {
    const body =
      'body' in sent && typeof sent.body === 'string' ? sent.body.replace('SECRET', shop.secretKey) : undefined;
    await expectRefusal(await send({ ...sent, ...(body === undefined ? {} : { body }) }), code, detail);
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['zstd', zstdCompressSync],
  ])('a bomb of %s, at 20 MiB', async (coding, pack) => {
    const body = new Uint8Array(pack(Buffer.alloc(32 * 1024 * 1024)));
    await expectRefusal(
      await send({ body, headers: { 'content-encoding': coding } }),
      'body-too-large',
      'more than 20971520 bytes, unpacked',
    );
  });

  it('and at 2 MiB where the head has no key', async () => {
    const headers = { 'content-encoding': 'gzip' };
    const body = new Uint8Array(gzipSync(Buffer.alloc(3 * 1024 * 1024)));
    await expectRefusal(await send({ key: '', body, headers }), 'body-too-large', 'more than 2097152 bytes, unpacked');
    const text = 'x'.repeat(1024 * 1024);
    const dsn = `http://${shop.secretKey}@a.test/${shop.number}`;
    const whole = new Uint8Array(gzipSync(encode({ dsn }, [{ type: 'event' }, { exception, extra: { text } }])));
    expect((await send({ key: '', body: whole, headers })).status).toBe(200);
  });

  it('and what unpacks to less is read, one at a time', async () => {
    const text = 'x'.repeat(18 * 1024 * 1024);
    const packed = new Uint8Array(gzipSync(encode({}, [{ type: 'event' }, { exception, extra: { text } }])));
    Object.assign(large, { most: 0, count: 0 });
    const sent = Array.from({ length: 3 }, () => send({ body: packed, headers: { 'content-encoding': 'gzip' } }));
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(large).toEqual({ now: 0, most: 1, count: 3 });
    expect((await readErrors()).map(({ extra_json }) => JSON.parse(extra_json))).toEqual(
      Array.from({ length: 3 }, () => ({ 'flight-recorder.left-out': 'too large: extra' })),
    );
  });

  it('and that is counted for an app that exists', async () => {
    // Counts of what was refused before are written a second later.
    await writeRefusals();
    await (await openStore()).db.deleteFrom('refusal').execute();
    await send({ key: 'f'.repeat(32) });
    await send({ body: 'hello' });
    await send({ path: '/api/77/envelope/' });
    const refusals = await readRefusals('shop');
    expect(refusals.map(({ endpoint, reason, count }) => [endpoint, reason, count]).toSorted()).toEqual([
      ['envelope', 'malformed-request', 1],
      ['envelope', 'unknown-key', 1],
    ]);
    const { db } = await openStore();
    expect(await db.selectFrom('refusal').select('app').distinct().execute()).toEqual([{ app: 'shop' }]);
  });

  it('and what the app’s server refused of browsers is counted, where its secret key came with it', async () => {
    await writeRefusals();
    await (await openStore()).db.deleteFrom('refusal').execute();
    const refused =
      'too-many-requests=71, overloaded=2,invented=5,too-slow=x,no-key=-1,too-large=0,malformed-request=1e3';
    const headers = { 'x-flight-side': 'browser', 'x-flight-refused': refused };
    expect((await send({ key: shop.publicKey, body: '{}\n', headers })).status).toBe(200);
    expect(await readRefusals('shop')).toEqual([]);
    expect((await send({ key: shop.secretKey, body: '{}\n', headers })).status).toBe(200);
    const refusals = await readRefusals('shop');
    expect(refusals.map(({ endpoint, reason, count }) => [endpoint, reason, count]).toSorted()).toEqual([
      ['browser', 'overloaded', 2],
      ['browser', 'too-many-requests', 71],
    ]);
  });

  it('by its rate: a browser’s address, and all browsers of an app; its servers go on', async () => {
    freezeClock();
    const empty = { key: shop.publicKey, body: '{}\n' };
    const statuses = [];
    for (let count = 0; count < 21; count += 1) statuses.push((await send({ ...empty, address: '192.0.2.1' })).status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(20);
    const refused = await send({ ...empty, address: '192.0.2.1' });
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(refused.headers.get('x-sentry-rate-limits')).toBe('1::key:too_many_reports');
    const others = [];
    for (let count = 0; count < 200; count += 1) {
      others.push((await send({ ...empty, address: `198.51.100.${count}` })).status);
    }
    expect(others.at(0)).toBe(200);
    expect(others.at(-1)).toBe(429);
    expect((await send({ body: '{}\n', address: '192.0.2.1' })).status).toBe(200);
  });

  it('by the rate of its key, when that is in the envelope', async () => {
    freezeClock();
    const body = encode({ dsn: `http://${shop.publicKey}@a.test/${shop.number}` });
    const statuses = [];
    for (let count = 0; count < 210; count += 1) {
      statuses.push((await send({ key: '', body, address: `198.51.100.${count}` })).status);
    }
    expect([statuses.at(0), statuses.at(-1)]).toEqual([200, 429]);
  });

  function holdSlow(count: number, toSent: (at: number) => Parameters<typeof send>[0]) {
    const held: ReadableStreamDefaultController<Uint8Array>[] = [];
    const answers = Array.from({ length: count }, (_, at) => {
      const body = new ReadableStream<Uint8Array>({ start: (controller) => void held.push(controller) });
      return send({ ...toSent(at), body });
    });
    return async () => {
      for (const controller of held) controller.close();
      return (await Promise.all(answers)).map(({ status }) => status);
    };
  }

  it('by no place where others of its app send slowly: the oldest of them gives way', async () => {
    const end = holdSlow(100, (at) => ({ key: shop.publicKey, address: `198.51.100.${at}` }));
    expect((await send({ key: shop.publicKey, address: '192.0.2.1' })).status).toBe(200);
    const burst = await Promise.all(Array.from({ length: 128 }, () => send({ body: '{}\n', address: '192.0.2.1' })));
    expect(new Set(burst.map(({ status }) => status))).toEqual(new Set([200]));
    const statuses = await end();
    expect(statuses.filter((status) => status === 408)).toEqual(Array(5).fill(408));
    expect(statuses.slice(5)).toEqual(Array(95).fill(400));
  });

  it('by none that shows a key, however many show none', async () => {
    const end = holdSlow(30, (at) => ({ key: '', address: `2001:db8:0:${at}::1` }));
    expect((await send({ key: '', address: '2001:db8:1::1' })).status).not.toBe(503);
    expect((await send({ key: shop.publicKey, address: '192.0.2.1' })).status).toBe(200);
    await end();
  });

  it('not because another app’s servers send slowly', async () => {
    const blog = await ensureApp('blog');
    const end = holdSlow(172, () => ({}));
    const at = `/api/${blog.number}/envelope/`;
    const burst = await Promise.all(Array.from({ length: 32 }, () => send({ path: at, key: blog.secretKey })));
    expect(new Set(burst.map(({ status }) => status))).toEqual(new Set([200]));
    await end();
  });

  it('in the middle of a large body that comes slowly, for one of whoever has fewer', async () => {
    const blog = await ensureApp('blog');
    const held: ReadableStreamDefaultController<Uint8Array>[] = [];
    const half = new Uint8Array(200 * 1024).fill(32);
    const slow = Array.from({ length: 16 }, () => {
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          controller.enqueue(half);
          held.push(controller);
        },
      });
      return send({ body });
    });
    const padded = envelope + '\n'.repeat(200 * 1024);
    const at = `/api/${blog.number}/envelope/`;
    const others = await Promise.all(
      Array.from({ length: 3 }, () => send({ path: at, key: blog.secretKey, body: padded })),
    );
    expect(others.map(({ status }) => status)).toEqual([200, 200, 200]);
    for (const controller of held) {
      try {
        controller.close();
      } catch {
        // Given up already.
      }
    }
    const statuses = (await Promise.all(slow)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 408).length).toBeGreaterThan(0);
    expect((await send()).status).toBe(200);
  });

  it('sooner when its reports are large: each costs as many tokens as it has 32 KiB', async () => {
    freezeClock();
    const text = 'x'.repeat(4_000);
    const contexts = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`c${index}`, { text }]));
    const body = encode({ event_id: id }, [{ type: 'event' }, { exception, contexts }]);
    expect(body.length).toBeGreaterThan(240_000);
    const statuses = [];
    for (let count = 0; count < 60; count += 1) {
      statuses.push((await send({ key: shop.publicKey, body, address: `198.51.100.${count}` })).status);
    }
    // 200 tokens, and one and seven for each.
    expect(statuses.filter((status) => status === 200)).toHaveLength(25);
    expect((await send({ body })).status).toBe(200);
  });

  it('by its address before it is read, when its key is in the envelope', async () => {
    freezeClock();
    const read = vi.fn<() => void>();
    for (let count = 0; count < 20; count += 1) await send({ key: '', body: '{}\n', address: '192.0.2.1' });
    const body = new ReadableStream({ pull: read }, { highWaterMark: 0 });
    expect((await send({ key: '', body, address: '192.0.2.1' })).status).toBe(429);
    expect(read).not.toHaveBeenCalled();
  });
});

it('lets every other path pass', async () => {
  for (const other of ['/', '/api/shop/errors', '/api/2/minidump/', '/api/2/envelope/x']) {
    expect(await (await send({ path: other })).text()).toBe('the rest of the app');
    expect(isSdkPath(other)).toBe(false);
  }
});

describe('a server’s event', () => {
  const frames = [
    { filename: 'node:internal/process', function: 'tick', lineno: 1, in_app: false },
    {
      filename: 'app/views.py',
      abs_path: '/srv/app/views.py',
      function: 'show',
      lineno: 12,
      in_app: true,
      pre_context: ['def show(id):'],
      context_line: '    return items[id]',
      post_context: [''],
      vars: { password: 'hunter2' },
    },
  ];
  const event = {
    platform: 'python',
    level: 'warning',
    release: 42,
    environment: 'staging',
    server_name: 'db-7.internal',
    sdk: { name: 'sentry.python.django', version: '2.1.0' },
    transaction: 'GET /items/{id}',
    tags: [['color', 'red'], ['server_name', 'db-7.internal'], { key: 'n', value: 7 }],
    extra: { basket: { size: 3 }, api_key: 'abc' },
    contexts: { runtime: { name: 'CPython', version: '3.14' }, os: { name: 'Linux' }, trace: { trace_id: traceId } },
    user: { id: 7, email: 'jane@example.org', ip_address: '203.0.113.9' },
    request: { method: 'get', url: 'https://shop.test/items/9?token=abc', cookies: 'a=b', headers: [['Host', 'x']] },
    exception: {
      values: [
        { type: 'KeyError', value: 'inner', mechanism: { exception_id: 1, parent_id: 0 } },
        { type: 'LookupError', value: 'outer', mechanism: { exception_id: 0 }, stacktrace: { frames } },
      ],
    },
    breadcrumbs: { values: [{ timestamp: '2026-11-22T10:00:00Z', category: 'query', message: 'select 1' }] },
  };

  it('is a row with all that it says, and nothing of who or where', async () => {
    await send({ body: encode({ event_id: id }, [{ type: 'event' }, event]) });
    const [row] = await readErrors();
    expect(row).toMatchObject({
      name: 'LookupError',
      message: 'outer',
      level: 'warning',
      release: '42',
      environment: 'staging',
      framework: 'django',
      sdk: 'sentry.python.django/2.1.0',
      runtime: 'CPython 3.14',
      route: '/items/{id}',
      method: 'GET',
      path: '/items/9',
      trace_id: traceId,
      phase: 'unknown',
      user_key: expect.stringMatching(/^[\da-f]{16}$/),
    });
    expect(JSON.parse(row?.tags_json ?? '')).toEqual({ color: 'red', n: '7' });
    expect(JSON.parse(row?.extra_json ?? '')).toEqual({
      'basket.size': '3',
      api_key: '[Filtered]',
      'runtime.name': 'CPython',
      'runtime.version': '3.14',
      'os.name': 'Linux',
    });
    expect(JSON.parse(row?.causes_json ?? '')).toEqual([{ name: 'KeyError', message: 'inner', stack: '' }]);
    expect(JSON.parse(row?.frames_json ?? '')[0]).toEqual({
      fn: 'show',
      file: '/srv/app/views.py',
      source: 'app/views.py',
      line: 12,
      column: 1,
      inApp: true,
      context: { firstLine: 11, lines: ['def show(id):', '    return items[id]', ''] },
    });
    expect(row?.stack).toBe(
      'LookupError: outer\n    at show (/srv/app/views.py:12:1)\n    at tick (node:internal/process:1:1)',
    );
    expect(JSON.parse(row?.breadcrumbs_json ?? '')).toMatchObject([{ category: 'query', message: 'select 1' }]);
    expect(JSON.stringify(row)).not.toMatch(/hunter2|db-7|jane|203\.0|abc/);
  });

  it('tells users apart by a key of this server alone', async () => {
    const users = [{ id: 7 }, { id: '7' }, { username: '7' }, { email: 'a@b.test' }, { ip_address: '192.0.2.1' }];
    for (const user of users) await send({ body: encode({}, [{ type: 'event' }, { exception, user }]) });
    const keys = (await readErrors()).map(({ user_key }) => user_key);
    expect(keys[0]).toBe(keys[1]);
    expect(new Set(keys.slice(0, 4)).size).toBe(3);
    expect(keys[4]).toBeNull();
    const blog = await ensureApp('blog');
    const body = encode({}, [{ type: 'event' }, { exception, user: users[0] }]);
    await send({ path: '/api/blog/envelope/', key: blog.secretKey, body });
    const [other] = (await readErrors()).filter(({ app }) => app === 'blog');
    expect(other?.user_key).not.toBe(keys[0]);
    expect(statSync(path.join(folder, 'user-key')).mode & 0o777).toBe(0o600);
  });

  it.each([
    ['before it', 'not stocked'],
    ['after it', 'not sold'],
  ])('has the digest that the app’s output says %s, unless it is another error’s', async (when, message) => {
    const time = Date.now();
    const sdkEvent = { ...event, timestamp: time / 1000, exception: { values: [{ type: 'Error', value: message }] } };
    async function print(letter: string, digest: string, says = message, at = time): Promise<void> {
      const error = { id: letter.repeat(32), time: at, reporter: 'log', name: 'Error', message: says, digest };
      const read = readAppErrors(new TextEncoder().encode(JSON.stringify({ errors: [error] })));
      if (read.type === 'malformed') throw new Error(read.reason);
      await storeAppErrors('shop', read.errors);
    }
    const tell = (letter: string) =>
      send({ body: encode({ event_id: letter.repeat(32) }, [{ type: 'event' }, sdkEvent]) });
    const isAfter = when === 'after it';
    // What other tests have sent a moment ago is known by its id.
    const [first, second, other, ...prints] = isAfter ? '012345' : '6789ef';
    const letters = [first ?? '', second ?? ''];
    await print(other ?? '', '2338734599', 'of another', time - 60_000);
    for (const [at, letter] of letters.entries()) {
      const digest = at === 0 ? '2338734592' : '2338734599';
      if (isAfter) await tell(letter);
      await print(prints[at] ?? '', digest);
      if (!isAfter) await tell(letter);
    }
    const rows = await readErrors();
    const ofSdk = rows.filter(({ message: said, sdk }) => said === message && sdk !== '');
    expect(ofSdk.map(({ id: key, digest }) => [key.slice(0, 6), digest])).toEqual([
      [`shop.${letters[0]}`, '2338734592'],
      [`shop.${letters[1]}`, null],
    ]);
  });

  it('is one with the error that a reporter of ours has sent, whichever comes first', async () => {
    const time = Date.now();
    // Other tests have sent the other one a moment ago.
    const sdkEvent = {
      ...event,
      timestamp: time / 1000,
      exception: { values: [{ type: 'Error', value: 'seen twice' }] },
    };
    async function report(key: string): Promise<void> {
      const error = { id: key.repeat(32), time, name: 'Error', message: 'seen twice', digest: '2338734591' };
      const read = readAppErrors(new TextEncoder().encode(JSON.stringify({ errors: [error] })));
      if (read.type === 'malformed') throw new Error(read.reason);
      await storeAppErrors('shop', read.errors);
    }
    await report('a');
    await send({ body: encode({ event_id: id }, [{ type: 'event' }, sdkEvent]) });
    expect(await readErrors()).toMatchObject([
      { id: `shop.${'a'.repeat(32)}`, digest: '2338734591', environment: 'staging', sdk: 'sentry.python.django/2.1.0' },
    ]);
    await send({ body: encode({ event_id: 'b'.repeat(32) }, [{ type: 'event' }, sdkEvent]) });
    await report('c');
    const rows = await readErrors();
    expect(rows.map((row) => [row.id, row.digest, row.environment]).toSorted()).toEqual([
      [`shop.${'a'.repeat(32)}`, '2338734591', 'staging'],
      [`shop.${'c'.repeat(32)}`, '2338734591', 'staging'],
    ]);
    const { db } = await openStore();
    const { count } = await db
      .selectFrom('fault')
      .select(({ fn }) => fn.sum<number>('count').as('count'))
      .executeTakeFirstOrThrow();
    expect(count).toBe(2);
  });
});

describe('feedback', () => {
  it('of either form is kept, and names the event that it is about', async () => {
    await send({ key: shop.publicKey });
    const feedback = { message: 'it broke', name: 'Jane', contact_email: 'jane@example.org', associated_event_id: id };
    const body = encode(
      { event_id: 'd'.repeat(32) },
      [{ type: 'feedback' }, { contexts: { feedback, trace: { trace_id: traceId } } }],
      [{ type: 'user_report' }, { event_id: id, comments: 'I clicked pay', name: 'Jo', email: '' }],
      [{ type: 'user_report' }, { comments: '' }],
    );
    const response = await send({ key: shop.publicKey, body });
    expect(await response.json()).toEqual({ id: 'd'.repeat(32) });
    const { db } = await openStore();
    const rows = await db.selectFrom('feedback').selectAll().orderBy('id').execute();
    const [report] = await readReports();
    expect(rows).toMatchObject([
      { app: 'shop', event_id: `shop.${id}`, trace_id: traceId, message: 'it broke', name: 'Jane', email: '[email]' },
      { app: 'shop', event_id: `shop.${id}`, message: 'I clicked pay', name: 'Jo', fault: report?.fault },
    ]);
    expect(await readOutcomes()).toMatchObject([{ type: 'user_report', reason: 'malformed', count: 1 }]);
  });
});

it('queues what came with a secret key behind our own errors, and what came with a public one behind that', async () => {
  const store = await openStore();
  const commit = vi.spyOn(store, 'commit');
  /** What was asked for last with a size: what is understood in the background has none. */
  const readLast = () => commit.mock.calls.findLast((call) => call.length > 2)?.slice(1, 3);
  expect((await send({ body: envelope })).status).toBe(200);
  expect(readLast()).toEqual(['app-error', expect.toSatisfy((bytes: number) => bytes > 0)]);
  expect((await send({ body: envelope, key: shop.publicKey })).status).toBe(200);
  expect(readLast()).toEqual(['untrusted', expect.any(Number)]);
  const error = {
    id: 'f0'.repeat(16),
    time: Date.now(),
    name: 'QueueError',
    message: 'in a queue',
    digest: '4000000001',
  };
  const read = readAppErrors(Buffer.from(JSON.stringify({ errors: [error] })));
  if (read.type === 'malformed') throw new Error(read.reason);
  await storeAppErrors(shop.id, read.errors);
  expect(readLast()).toEqual(['app-error', expect.toSatisfy((bytes: number) => bytes > 0)]);
});
