import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';

import { Hono } from 'hono';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { useOperator } from '#src/access/testing/use-operator.ts';
import { findErrorDetails } from '#src/faults/digests/find-error-details.ts';
import { countStored } from '#src/faults/kept/queries.ts';
import { localDsn } from '#src/runtime/reporting/local-dsn.ts';

import { errorCodes, type ErrorCode } from '#src/server/http/error-codes.ts';
import { bodyDeadlineMs } from '#src/server/http/read-body.ts';
import { requestContext } from '#src/runtime/middleware/request-context.ts';
import { tunnel } from './tunnel.ts';

/** These tests are about what is read; src/faults/kept/queries-guard.test.ts is about for whom. */
useOperator();

let folder: string;
let app: Hono;
let logLines: Record<string, unknown>[];
const digest = '3F7K2M9QRT';
const id = '9ec79c33ec9942ab8353589fcb2e04dc';
const event = { exception: { values: [{ type: 'Error', value: 'boom' }] }, tags: { digest } };
const envelope = [JSON.stringify({ event_id: id, dsn: localDsn }), '{"type":"event"}', JSON.stringify(event)].join(
  '\n',
);

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-tunnel-'));
  process.env['FLIGHT_DATA'] = folder;
  logLines = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => logLines.push(JSON.parse(String(text))) > 0);
  app = new Hono();
  app.use(tunnel('/tunnel'));
  app.notFound((c) => c.text('the rest of the app', 404));
});

afterEach(async () => {
  delete process.env['FLIGHT_DATA'];
  delete process.env['SENTRY_DSN'];
  vi.restoreAllMocks();
  vi.useRealTimers();
  for (const store of globalThis.__FLIGHT_STORES__?.values() ?? []) await (await store).close();
  rmSync(folder, { recursive: true });
});

function post(body: BodyInit = envelope, headers: Record<string, string> = {}): Promise<Response> {
  const init: RequestInit & { duplex?: 'half' } = { method: 'POST', body, headers, duplex: 'half' };
  return Promise.resolve(app.request('http://shop.test/tunnel', init));
}

async function expectRefusal(response: Response, code: ErrorCode, detail: string): Promise<void> {
  const { status, message } = errorCodes[code];
  expect(response.status).toBe(status);
  // Relay's SDKs print `detail`.
  expect(await response.json()).toEqual({ error: { code, message }, detail: expect.any(String) });
  expect(response.headers.get('x-sentry-error')).toBe(code);
  expect(logLines).toEqual([
    expect.objectContaining({ level: 'warn', event: 'request-refused', code, status, detail }),
  ]);
  expect((await countStored()).browserErrors).toBe(0);
}

describe('the tunnel takes', () => {
  it('a report, which can be found by its digest once it answers', async () => {
    const response = await post(envelope, { 'user-agent': 'Browser/1.0' });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ id });
    expect((await findErrorDetails(digest))?.browser).toMatchObject([
      { eventId: id, message: 'boom', userAgent: 'Browser/1.0' },
    ]);
    expect(logLines).toEqual([]);
  });

  it('an envelope without an event', async () => {
    const response = await post('{}\n{"type":"session"}\n{}');
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({});
    expect((await countStored()).outcomes).toMatchObject([{ type: 'session', reason: 'not_kept' }]);
  });

  it('gzip, and whatever content type the browser says', async () => {
    const response = await post(gzipSync(envelope), { 'content-encoding': 'gzip', 'content-type': 'image/png' });
    expect(response.status).toBe(200);
  });

  it.each([
    ['no headers of a browser', {}],
    ['its own origin', { origin: 'http://shop.test', 'sec-fetch-site': 'same-origin' }],
    ['its own origin behind a proxy that ends TLS', { origin: 'https://shop.test', 'sec-fetch-site': 'same-origin' }],
  ])('requests with %s', async (_, headers) => {
    expect((await post(envelope, headers)).status).toBe(200);
  });

  it('a megabyte to the byte', async () => {
    const start = `${envelope}\n{"type":"attachment"}\n`;
    const response = await post(start + 'x'.repeat(1024 * 1024 - Buffer.byteLength(start)));
    expect(response.status).toBe(200);
  });

  it('nothing at other paths', async () => {
    for (const other of ['/', '/tunnel/', '/tunnel/x', '/Tunnel', '//tunnel']) {
      const response = await app.request(`http://shop.test${other}`, { method: 'POST', body: envelope });
      expect(await response.text()).toBe('the rest of the app');
    }
  });

  it('tells the SDK what is not kept', async () => {
    const limits = (await post()).headers.get('x-sentry-rate-limits');
    expect(limits).toMatch(/^86400:transaction;span;session;[a-z_;]+:key:not_stored$/);
    expect(limits).not.toMatch(/error|default|internal/);
  });
});

describe('the tunnel refuses', () => {
  it.each(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'])('%s', async (method) => {
    const response = await app.request('http://shop.test/tunnel', { method });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST');
    expect(logLines).toHaveLength(1);
  });

  it.each([
    ['another origin', { origin: 'https://evil.test' }],
    ['another port', { origin: 'http://shop.test:8080' }],
    ['a subdomain', { origin: 'http://a.shop.test' }],
    ['no origin to speak of', { origin: 'null' }],
    ['a site next door', { 'sec-fetch-site': 'same-site' }],
    ['another site', { 'sec-fetch-site': 'cross-site' }],
  ])('requests from %s', async (_, headers) => {
    await expectRefusal(await post(envelope, headers), 'wrong-origin', 'not from this origin');
  });

  it.each(['br', 'deflate', 'zstd', 'gzip, gzip', 'x-unknown'])('content encoded as %s', async (encoding) => {
    const response = await post(brotliCompressSync(envelope), { 'content-encoding': encoding });
    await expectRefusal(response, 'unsupported-encoding', `Content-Encoding: ${encoding}`);
  });

  it('a body that is declared too large, without reading it', async () => {
    let wasRead = false;
    const body = new ReadableStream(
      {
        pull(controller) {
          wasRead = true;
          controller.enqueue(new Uint8Array(10));
          controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    const response = await post(body, { 'content-length': '1048577' });
    expect(wasRead).toBe(false);
    await expectRefusal(response, 'body-too-large', 'Content-Length: 1048577');
  });

  it('a body that is larger than declared, and stops reading it', async () => {
    let chunks = 0;
    const body = new ReadableStream({
      pull(controller) {
        chunks += 1;
        controller.enqueue(new Uint8Array(64 * 1024));
      },
    });
    await expectRefusal(await post(body), 'body-too-large', 'more than 1048576 bytes, undeclared');
    expect(chunks).toBeLessThan(25);
  });

  it('a gzip bomb', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
    expect(bomb.length).toBeLessThan(1024 * 1024);
    const before = process.memoryUsage().rss;
    await expectRefusal(
      await post(bomb, { 'content-encoding': 'gzip' }),
      'body-too-large',
      'more than 1048576 bytes, unpacked',
    );
    expect(process.memoryUsage().rss - before).toBeLessThan(50 * 1024 * 1024);
  });

  it('what says gzip and is none', async () => {
    await expectRefusal(
      await post(envelope, { 'content-encoding': 'gzip' }),
      'malformed-request',
      'the body is not gzip',
    );
  });

  it('a body that breaks off', async () => {
    const body = new ReadableStream({
      start(controller) {
        controller.error(new Error('connection reset'));
      },
    });
    await expectRefusal(await post(body), 'malformed-request', 'connection reset');
  });

  it('a body that stops half way, after a while, with the connection', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{'));
      },
    });
    const answered = post(body);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(bodyDeadlineMs);
    const response = await answered;
    expect(response.headers.get('connection')).toBe('close');
    await expectRefusal(response, 'too-slow', 'the body did not arrive in time');
  });

  it('what is no envelope', async () => {
    await expectRefusal(await post('hello'), 'malformed-request', 'envelope header is not one line with a JSON object');
    logLines.length = 0;
    await expectRefusal(await post(''), 'malformed-request', 'envelope header is not one line with a JSON object');
  });

  it('an envelope for somebody else', async () => {
    await expectRefusal(await post('{"dsn":"https://key@evil.test/1"}\n'), 'wrong-dsn', 'dsn is not ours');
  });

  it('more than a burst of 100 and ten a second, and says when to come back', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    app = new Hono().use(requestContext(), tunnel('/tunnel'));
    for (let count = 0; count < 100; count += 1) expect((await post('{}')).status).toBe(200);
    const refused = await post('{}');
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(refused.headers.get('x-sentry-rate-limits')).toBe('1::key:too_many_reports');
    vi.advanceTimersByTime(200);
    expect((await post('{}')).status).toBe(200);
    expect((await post('{}')).status).toBe(200);
    expect((await post('{}')).status).toBe(429);
  });

  describe('by address', () => {
    function postFrom(remoteAddress: string, headers: Record<string, string> = {}): Promise<Response> {
      const init = { method: 'POST', body: '{}', headers };
      return Promise.resolve(app.request('http://shop.test/tunnel', init, { address: remoteAddress }));
    }

    beforeEach(() => {
      vi.useFakeTimers({ toFake: ['performance'] });
      app = new Hono().use(requestContext(), tunnel('/tunnel'));
    });

    it('more than a burst of 20 and two a second, and takes those of everyone else', async () => {
      for (let count = 0; count < 20; count += 1) expect((await postFrom('10.0.0.1')).status).toBe(200);
      const refused = await postFrom('10.0.0.1', { 'x-forwarded-for': '10.9.9.9' });
      expect(refused.status).toBe(429);
      expect(refused.headers.get('retry-after')).toBe('1');
      // What one address is refused takes nothing from the others.
      for (let count = 0; count < 100; count += 1) await postFrom('10.0.0.1');
      expect((await postFrom('10.0.0.2')).status).toBe(200);
      vi.advanceTimersByTime(500);
      expect((await postFrom('10.0.0.1')).status).toBe(200);
      expect((await postFrom('10.0.0.1')).status).toBe(429);
    });

    it('more than its share from a whole IPv6 network', async () => {
      for (let count = 0; count < 20; count += 1) expect((await postFrom(`2001:db8::${count}`)).status).toBe(200);
      expect((await postFrom('2001:db8::ffff')).status).toBe(429);
      expect((await postFrom('2001:db8:0:1::1')).status).toBe(200);
    });

    it('the oldest of the bodies that come slowly, for one that does not', async () => {
      const held: ReadableStreamDefaultController<Uint8Array>[] = [];
      const init = () => ({
        method: 'POST',
        body: new ReadableStream<Uint8Array>({ start: (controller) => void held.push(controller) }),
        duplex: 'half' as const,
      });
      const slow = Array.from({ length: 16 }, () =>
        Promise.resolve(app.request('http://shop.test/tunnel', init(), { address: '10.0.0.1' })),
      );
      expect((await postFrom('10.0.0.1')).status).toBe(200);
      expect((await slow[0])?.status).toBe(408);
      expect((await postFrom('10.0.0.2')).status).toBe(200);
      for (const controller of held) controller.close();
      expect((await slow[15])?.status).not.toBe(408);
    });

    it('sooner, when what it sends is large', async () => {
      const large = { method: 'POST', body: `{}\n{"type":"event"}\n{"message":"${'x'.repeat(200_000)}"}` };
      const statuses = [];
      for (let count = 0; count < 5; count += 1) {
        const answer = await app.request('http://shop.test/tunnel', large, { address: '10.0.0.1' });
        statuses.push(answer.status);
      }
      // 20 tokens, and one and six for each.
      expect(statuses).toEqual([200, 200, 200, 429, 429]);
    });

    it('more than 100 at once from all of them together', async () => {
      for (let count = 0; count < 100; count += 1) expect((await postFrom(`10.0.0.${count}`)).status).toBe(200);
      expect((await postFrom('10.0.1.0')).status).toBe(429);
    });

    it('and forgets the address that was seen longest ago, which then begins anew', async () => {
      async function countTaken(remoteAddress: string): Promise<number> {
        // Ten for all, two for an address that is still known.
        vi.advanceTimersByTime(1_000);
        const answers = [];
        for (let count = 0; count < 12; count += 1) answers.push(await postFrom(remoteAddress));
        return answers.filter(({ status }) => status === 200).length;
      }
      for (let count = 0; count < 30; count += 1) await postFrom('10.0.0.1');
      for (let count = 0; count < 30; count += 1) await postFrom('10.0.0.2');
      for (let count = 0; count < 9_998; count += 1) await postFrom(`10.1.${count >> 8}.${count & 255}`);
      expect(await countTaken('10.0.0.1')).toBe(2);
      await postFrom('10.2.0.0');
      expect(await countTaken('10.0.0.1')).toBe(2);
      // Three seconds would have given it six.
      expect(await countTaken('10.0.0.2')).toBe(12);
    });
  });

  it('with 503 when the store fails, and says so in the log once each', async () => {
    writeFileSync(path.join(folder, 'file'), '');
    process.env['FLIGHT_DATA'] = path.join(folder, 'file', 'data');
    const response = await post();
    expect(response.status).toBe(503);
    expect(await response.json()).toEqual({
      error: { code: 'not-stored', message: 'The report could not be stored.' },
      detail: 'The report could not be stored.',
    });
    expect(response.headers.get('retry-after')).toBe('10');
    expect(response.headers.get('x-sentry-rate-limits')).toBe('10::key:not_stored');
    expect(logLines.map((line) => line['event'])).toEqual(['report-not-stored', 'request-refused']);
  });
});

describe('forwarding', () => {
  let upstream: Server;
  let received: { url: string; headers: IncomingHttpHeaders; body: string }[];
  let answer: { status: number; headers: Record<string, string> };
  let dsn: string;

  beforeEach(async () => {
    received = [];
    answer = { status: 200, headers: {} };
    upstream = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (text: string) => (body += text));
      request.on('end', () => {
        received.push({ url: request.url ?? '', headers: request.headers, body });
        response.writeHead(answer.status, answer.headers).end('{}');
      });
    });
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    const address: AddressInfo | string | null = upstream.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    dsn = `http://0123456789abcdef0123456789abcdef@127.0.0.1:${address.port}/sub/42`;
  });

  afterEach(async () => {
    upstream.closeAllConnections();
    await new Promise((resolve) => upstream.close(resolve));
  });

  it('sends nothing anywhere without SENTRY_DSN', async () => {
    const sent = vi.spyOn(globalThis, 'fetch');
    expect((await post()).status).toBe(200);
    expect(sent).not.toHaveBeenCalled();
  });

  it('sends a copy to exactly SENTRY_DSN, made out to it, with nothing of the request', async () => {
    process.env['SENTRY_DSN'] = dsn;
    const headers = { cookie: 'a=b', authorization: 'Basic x', 'user-agent': 'B', 'x-forwarded-for': '6.6.6.6' };
    const withTrace = envelope.replace('{"event_id"', '{"trace":{"trace_id":"t","public_key":"k"},"event_id"');
    const response = await post(gzipSync(withTrace), { ...headers, 'content-encoding': 'gzip' });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-sentry-rate-limits')).toBeNull();
    await vi.waitFor(() => expect(received).toHaveLength(1));
    const [copy] = received;
    expect(copy?.url).toBe('/sub/api/42/envelope/');
    expect(copy?.headers['x-sentry-auth']).toContain('sentry_key=0123456789abcdef0123456789abcdef');
    for (const name of ['cookie', 'authorization', 'x-forwarded-for']) expect(copy?.headers).not.toHaveProperty(name);
    const [header, ...items] = copy?.body.split('\n') ?? [];
    expect(JSON.parse(header ?? '')).toEqual({
      event_id: id,
      trace: { trace_id: 't', public_key: '0123456789abcdef0123456789abcdef' },
    });
    expect(items).toEqual(envelope.split('\n').slice(1));
    expect((await countStored()).browserErrors).toBe(1);
  });

  it('sends no copy of what it refused', async () => {
    process.env['SENTRY_DSN'] = dsn;
    const sent = vi.spyOn(globalThis, 'fetch');
    expect((await post('{"dsn":"https://key@evil.test/1"}\n')).status).toBe(403);
    expect((await post('hello')).status).toBe(400);
    expect(sent).not.toHaveBeenCalled();
  });

  it('follows no redirect', async () => {
    process.env['SENTRY_DSN'] = dsn;
    answer = { status: 307, headers: { location: '/elsewhere' } };
    expect((await post()).status).toBe(200);
    await vi.waitFor(() => expect(logLines).toMatchObject([{ event: 'report-not-forwarded', reason: 'answered 307' }]));
    expect(received.map(({ url }) => url)).toEqual(['/sub/api/42/envelope/']);
  });

  it('answers before the copy is delivered, and though it never is', async () => {
    process.env['SENTRY_DSN'] = 'http://key@127.0.0.1:1/42';
    expect((await post()).status).toBe(200);
    await vi.waitFor(() =>
      expect(logLines).toMatchObject([{ level: 'warn', event: 'report-not-forwarded', reason: expect.any(String) }]),
    );
  });

  it('pauses while the other side asks for it', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    app = new Hono().use(requestContext(), tunnel('/tunnel'));
    process.env['SENTRY_DSN'] = dsn;
    answer = { status: 429, headers: { 'retry-after': '30' } };
    const sent = vi.spyOn(globalThis, 'fetch');
    await post();
    await vi.waitFor(() => expect(logLines).toMatchObject([{ reason: 'answered 429' }]));
    answer = { status: 200, headers: {} };
    await post();
    vi.advanceTimersByTime(29_000);
    await post();
    expect(sent).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(2_000);
    await post();
    expect(sent).toHaveBeenCalledTimes(2);
    await vi.waitFor(() => expect(received).toHaveLength(2));
  });
});
