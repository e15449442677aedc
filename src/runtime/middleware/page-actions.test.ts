import { request as send } from 'node:http';
import { connect } from 'node:net';

import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { currentRequest } from '#src/server/http/request-context.ts';

import { createCallCheck, createFormCheck, pageActions } from './page-actions.ts';
import { bodyDeadlineMs } from '#src/server/http/read-body.ts';
import { requestContext } from './request-context.ts';

const mebibyte = 1024 * 1024;
const known = { file: '0123456789ab', name: 'saveOrder' };
const header = `${known.file}/${known.name}`;
const origin = 'http://localhost';
const own = { origin, 'x-flight-action': header };

const hasAction = vi.fn(async (file: string, name: string) => file === known.file && name === known.name);
let passed: {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: string;
  readonly kind: string | undefined;
}[] = [];
let lines: string[] = [];

const app = new Hono();
app.use(requestContext(), pageActions({ hasAction }));
app.all('*', async (c) => {
  const { url, method, headers } = c.req.raw;
  passed.push({ url, method, headers, body: await c.req.raw.text(), kind: currentRequest()?.kind });
  return c.text('passed on');
});

function post(path: string, headers: Record<string, string>, body: BodyInit = '[]'): Request {
  return new Request(origin + path, { method: 'POST', headers, body });
}

function submit(fields: Record<string, string>, headers: Record<string, string> = { origin }): Request {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  return new Request(`${origin}/orders?page=2`, { method: 'POST', headers, body });
}

function stream(headers: Record<string, string>, body: ReadableStream): Request {
  const init: RequestInit & { readonly duplex: 'half' } = { method: 'POST', headers, body, duplex: 'half' };
  return new Request(`${origin}/`, init);
}

/** A body that does not say how long it is; `pulled` counts what was asked of it. */
function createLongBody() {
  let pulled = 0;
  const cancel = vi.fn<() => void>();
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      pulled += 1;
      controller.enqueue(new Uint8Array(64 * 1024));
      // Well past the limit; a reader that goes on to here has failed its test.
      if (pulled === 64) controller.close();
    },
    cancel,
  });
  return { body, cancel, pulled: () => pulled };
}

beforeEach(() => {
  passed = [];
  lines = [];
  hasAction.mockClear();
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    lines.push(String(text));
    return true;
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.mocked(process.stderr.write).mockRestore();
});

async function expectRefused(request: Request, code: string, status: number): Promise<Response> {
  const response = await app.request(request);
  expect(response.status).toBe(status);
  expect(response.headers.get('cache-control')).toBe('private, no-store');
  expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f]{32}$/);
  expect(passed).toEqual([]);
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'warn', event: 'request-refused', code, status });
  return response;
}

async function expectPassed(request: Request) {
  const response = await app.request(request);
  expect(await response.text()).toBe('passed on');
  expect(lines).toEqual([]);
  expect(passed).toHaveLength(1);
  return passed[0];
}

describe('a call by a page’s JavaScript', () => {
  test('becomes Waku’s own request, with its body, for the route of the page', async () => {
    const taken = await expectPassed(
      post('/orders?page=2', { ...own, 'x-waku-action-location': '/admin' }, '[1,"two"]'),
    );
    expect(taken?.url).toBe(`${origin}/RSC/F/${header}.txt?page=2`);
    expect(taken?.method).toBe('POST');
    expect(taken?.body).toBe('[1,"two"]');
    expect(taken?.headers.get('x-waku-action-location')).toBe('/orders?page=2');
  });

  test('on the 404 page may render that again', async () => {
    const taken = await expectPassed(post('/gone', { ...own, 'x-waku-action-location': '/404' }));
    expect(taken?.headers.get('x-waku-action-location')).toBe('/404');
  });

  test('is spelled as Waku does when its name ends in an underscore, or its file is a path', async () => {
    hasAction.mockResolvedValueOnce(true);
    const taken = await expectPassed(post('/', { ...own, 'x-flight-action': '_/src/actions/a.ts/save_' }));
    expect(taken?.url).toBe(`${origin}/RSC/F/_/src/actions/a.ts/save__.txt`);
    expect(hasAction).toHaveBeenCalledWith('/src/actions/a.ts', 'save_');
  });

  test('may have a body of 1 MiB, declared or not', async () => {
    await expectPassed(post('/', { ...own, 'content-length': String(mebibyte) }, 'x'.repeat(mebibyte)));
    passed = [];
    await expectPassed(post('/', own, 'x'.repeat(mebibyte)));
  });

  test.each([
    ['no origin', { origin: undefined }],
    ['another origin', { origin: 'https://evil.example' }],
    ['another port', { origin: 'http://localhost:81' }],
    ['an origin that only begins like ours', { origin: 'http://localhost.evil.example' }],
    ['no origin to speak of', { origin: 'null' }],
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['a subdomain', { 'sec-fetch-site': 'same-site' }],
  ])('from %s is refused', async (_name, changed) => {
    const headers = new Headers();
    for (const [name, value] of Object.entries({ ...own, ...changed })) if (value) headers.set(name, value);
    await expectRefused(post('/', Object.fromEntries(headers)), 'wrong-origin', 403);
    expect(hasAction).not.toHaveBeenCalled();
  });

  test.each([
    ['its origin', { origin }],
    ['its origin behind a proxy that ends TLS', { origin: 'https://localhost' }],
    ['its own site alone', { origin: undefined, 'sec-fetch-site': 'same-origin' }],
  ])('that names %s is taken', async (_name, changed) => {
    const headers = new Headers();
    for (const [name, value] of Object.entries({ ...own, ...changed })) if (value) headers.set(name, value);
    await expectPassed(post('/', Object.fromEntries(headers)));
  });

  test.each([
    '',
    'x',
    '/',
    'x/',
    '/x',
    '../../x',
    '0123456789ab/a b',
    '0123456789ab/ä',
    `${'a'.repeat(400)}/x`,
    'a//../b/x',
  ])('with the malformed id %j is refused', async (id) => {
    await expectRefused(post('/', { ...own, 'x-flight-action': id }), 'malformed-action', 400);
    expect(hasAction).not.toHaveBeenCalled();
  });

  test('with an id that this build does not have is refused', async () => {
    const response = await expectRefused(
      post('/', { ...own, 'x-flight-action': 'toString/call' }),
      'unknown-action',
      409,
    );
    expect(await response.json()).toEqual({
      error: { code: 'unknown-action', message: expect.stringContaining('older version') },
    });
  });

  test.each(['GET', 'PUT', 'DELETE'])('by %s is refused, with the methods that are not', async (method) => {
    const response = await expectRefused(new Request(`${origin}/`, { method, headers: own }), 'wrong-method', 405);
    expect(response.headers.get('allow')).toBe('GET, HEAD, POST');
  });

  test('that says it is too large is refused before it is read', async () => {
    const { body, pulled } = createLongBody();
    await expectRefused(stream({ ...own, 'content-length': String(mebibyte + 1) }, body), 'too-large', 413);
    expect(pulled()).toBeLessThanOrEqual(1);
  });

  test('that turns out too large is refused where it passes the limit', async () => {
    const { body, pulled, cancel } = createLongBody();
    await expectRefused(stream(own, body), 'too-large', 413);
    expect(pulled()).toBeLessThanOrEqual(mebibyte / (64 * 1024) + 2);
    expect(cancel).toHaveBeenCalled();
  });

  test('whose body breaks off is refused', async () => {
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull(controller) {
        controller.error(new Error('connection reset'));
      },
    });
    await expectRefused(stream(own, body), 'malformed-request', 400);
  });

  test('with more than a thousand fields is refused, however they are packed', async () => {
    const body = `--x\r\n${'content-disposition: form-data; name="a"\r\n\r\n\r\n--x\r\n'.repeat(1001)}--x--`;
    const headers = { ...own, 'content-type': 'multipart/form-data; boundary=x' };
    await expectRefused(post('/', headers, body), 'too-many-fields', 413);
  });

  test.each([
    'multipart/form-data; xboundary=zzz; boundary=x',
    'multipart/form-data; boundary-of=zzz; boundary="x"',
    'multipart/form-data; note="; boundary=zzz"; boundary=x',
    'multipart/form-data;BOUNDARY=x',
  ])('has its fields counted by the boundary alone: %s', async (contentType) => {
    const body = `--x\r\n${'content-disposition: form-data; name="a"\r\n\r\n\r\n--x\r\n'.repeat(3000)}--x--`;
    await expectRefused(post('/', { ...own, 'content-type': contentType }, body), 'too-many-fields', 413);
  });

  test.each([
    'multipart/form-data; boundary=zzz; boundary=x',
    'multipart/form-data; boundary=x; Boundary="x"',
    'multipart/form-data; boundary="x',
    'multipart/form-data; boundary="x\\"; boundary=y"',
    'multipart/form-data; boundary=',
    'multipart/form-data; boundary=x, multipart/form-data; boundary=y',
    'multipart/form-data-and-more; boundary=x',
    `multipart/form-data; boundary=${'x'.repeat(71)}`,
  ])('is refused when its fields could be found in two ways, or in none: %s', async (contentType) => {
    await expectRefused(post('/', { ...own, 'content-type': contentType }, '--x--'), 'malformed-request', 400);
  });
});

describe('a form that the browser submits', () => {
  const reference = `${known.file}#${known.name}`;
  const named = { [`$ACTION_ID_${reference}`]: '' };
  const bound = { $ACTION_REF_3: '', '$ACTION_3:0': `{"id":"${reference}","bound":"$@1"}`, '$ACTION_3:1': '[5]' };

  test.each([
    ['by id', { ...named, note: 'hello' }],
    ['by reference', { ...bound, note: 'hello' }],
    ['of a form and of its button', { ...bound, ...named, note: 'hello' }],
  ])('is passed on whole when it names an action %s', async (_name, fields) => {
    const taken = await expectPassed(submit(fields));
    expect(taken?.url).toBe(`${origin}/orders?page=2`);
    expect(taken?.body).toContain('hello');
  });

  test.each([
    ['no action', 'malformed-action', 400, { note: 'hello' }],
    ['three actions', 'malformed-action', 400, { ...named, ...bound, '$ACTION_ID_a#b': '' }],
    ['a malformed id', 'malformed-action', 400, { '$ACTION_ID_../../x': '' }],
    ['a reference to nothing', 'malformed-action', 400, { $ACTION_REF_1: '' }],
    ['a reference that is not JSON', 'malformed-action', 400, { ...bound, '$ACTION_3:0': '{' }],
    ['an unknown id', 'unknown-action', 409, { '$ACTION_ID_0123456789ab#gone': '' }],
    ['an unknown action beside a known one', 'unknown-action', 409, { ...named, '$ACTION_ID_toString#length': '' }],
    ['an unknown reference', 'unknown-action', 409, { ...bound, '$ACTION_3:0': '{"id":"toString#length"}' }],
  ])('with %s is refused, as a page', async (_name, code, status, fields) => {
    const response = await expectRefused(submit(fields), code, status);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(await response.text()).toMatch(/^<!DOCTYPE html>[^]*<a href="">[^]*<\/html>\n$/);
  });

  test('with two fields of one reference is refused: two readers could take different ones', async () => {
    const request = submit(bound);
    const form = await request.formData();
    form.append('$ACTION_3:0', '{"id":"toString#length"}');
    const twice = new Request(request.url, { method: 'POST', headers: { origin }, body: form });
    await expectRefused(twice, 'malformed-action', 400);
  });

  test('is passed on as a form, however its Content-Type is spelled', async () => {
    const body = `--x\r\ncontent-disposition: form-data; name="$ACTION_ID_${reference}"\r\n\r\n\r\n--x--\r\n`;
    const spelled = 'Multipart/Form-Data; charset=utf-8; Boundary="x"';
    const taken = await expectPassed(post('/orders', { origin, 'content-type': spelled }, body));
    expect(taken?.headers.get('content-type')).toBe('multipart/form-data; boundary="x"');
    expect(taken?.body).toBe(body);
    expect(taken?.kind).toBe('action');
  });

  test('of another origin is refused before it is decoded', async () => {
    await expectRefused(submit(named, { origin: 'https://evil.example' }), 'wrong-origin', 403);
    expect(hasAction).not.toHaveBeenCalled();
  });

  test('that is no form inside, or has no boundary, is refused', async () => {
    const headers = { origin, 'content-type': 'multipart/form-data; boundary=x' };
    await expectRefused(post('/', headers, 'junk'), 'malformed-request', 400);
    lines = [];
    await expectRefused(post('/', { origin, 'content-type': 'MULTIPART/form-data' }, 'junk'), 'malformed-request', 400);
  });

  test('that is too large is refused', async () => {
    const { body, cancel } = createLongBody();
    const headers = { origin, 'content-type': 'multipart/form-data; boundary=x' };
    await expectRefused(stream(headers, body), 'too-large', 413);
    expect(cancel).toHaveBeenCalled();
  });
});

describe('the framework’s own addresses', () => {
  test.each(['/RSC/F/0123456789ab/saveOrder.txt', '/RSC/_F/0123456789ab/saveOrder.txt', '/x/../RSC/F/a/b.txt'])(
    'reach no action: %s',
    async (path) => {
      await expectRefused(post(path, own), 'not-public', 404);
    },
  );

  test('take no body', async () => {
    await expectRefused(post('/RSC/R/orders.txt', { origin }), 'wrong-method', 405);
  });

  test('still give payloads, and pages still get other requests', async () => {
    await expectPassed(new Request(`${origin}/RSC/R/orders.txt?query=a`));
    passed = [];
    await expectPassed(new Request(`${origin}/orders`));
    passed = [];
    await expectPassed(post('/tunnel', { 'content-type': 'text/plain' }, 'an envelope'));
  });
});

describe('the calls of another app', () => {
  const check = createCallCheck({ hasAction }, '/shop/flight/');

  test('go to its own address, which is refused from outside', async () => {
    const call = post('/shop/orders', own);
    expect(await check(call)).toBeUndefined();
    expect(call.url).toBe(`${origin}/shop/flight/F/${header}.txt`);
    const atOnce = await check(post('/shop/flight/_F/0123456789ab/saveOrder.txt', own));
    expect(atOnce?.status).toBe(404);
    expect((await check(post('/shop/flight/R/orders.txt', { origin })))?.status).toBe(405);
  });

  test('are all that is looked at', async () => {
    const form = submit({ note: 'hello' }, { origin: 'https://elsewhere.example' });
    expect(await check(form)).toBeUndefined();
    expect(form.bodyUsed).toBe(false);
    expect(await check(new Request(`${origin}/orders`, { method: 'PUT' }))).toBeUndefined();
    expect(await check(post('/RSC/F/0123456789ab/saveOrder.txt', { origin }))).toBeUndefined();
  });
});

describe('over a real connection', () => {
  test.each(['content-length: 100', 'transfer-encoding: chunked'])(
    'a body with %s that stops half way is given up, and its connection closed',
    async (framing) => {
      const server = createAdaptorServer({ fetch: app.fetch });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const address = server.address();
      const port = typeof address === 'object' && address ? address.port : 0;
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const socket = connect(port, '127.0.0.1');
      socket.write(
        `POST / HTTP/1.1\r\nhost: localhost\r\norigin: ${origin}\r\nx-flight-action: ${header}\r\n${framing}\r\n\r\n1\r\n[`,
      );
      let answer = '';
      const closed = new Promise<void>((resolve) => socket.on('data', (data) => (answer += data)).on('end', resolve));
      while (vi.getTimerCount() === 0) await new Promise((resolve) => setImmediate(resolve));
      await vi.advanceTimersByTimeAsync(bodyDeadlineMs - 1);
      expect(answer).toBe('');
      await vi.advanceTimersByTimeAsync(1);
      await closed;
      socket.destroy();
      expect(answer).toMatch(/^HTTP\/1.1 408 [^]*\r\nconnection: close\r\n[^]*"code":"too-slow"/i);
      expect(passed).toEqual([]);
      expect(lines).toHaveLength(1);
      await new Promise((resolve) => server.close(resolve));
    },
  );

  test.each([{ 'content-length': '2' }, { 'transfer-encoding': 'chunked' }])(
    'a call with %j can be read in every way, and knows when its client leaves',
    async (framing) => {
      const arrived = Promise.withResolvers<Request>();
      const left = Promise.withResolvers<void>();
      const waiting = new Hono().use(requestContext(), pageActions({ hasAction }));
      waiting.all('*', async (c) => {
        currentRequest()?.signal.addEventListener('abort', () => left.resolve());
        arrived.resolve(c.req.raw);
        await left.promise;
        return c.text('to nobody');
      });
      const server = createAdaptorServer({ fetch: waiting.fetch });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const address = server.address();
      const port = typeof address === 'object' && address ? address.port : 0;
      const headers = { origin: `http://127.0.0.1:${port}`, 'x-flight-action': header, ...framing };
      const call = send({ port, host: '127.0.0.1', method: 'POST', path: '/', headers });
      const broken = new Promise((resolve) => call.on('error', resolve));
      call.end('[]');
      const request = await arrived.promise;
      expect(request.url).toBe(`http://127.0.0.1:${port}/RSC/F/${header}.txt`);
      expect(await request.text()).toBe('[]');
      expect(new TextDecoder().decode(await request.arrayBuffer())).toBe('[]');
      // What Waku makes for a route of the API.
      expect(await new Request(origin, request).text()).toBe('[]');
      expect(request.signal.aborted).toBe(false);
      call.destroy();
      await Promise.all([broken, left.promise]);
      expect(request.signal.aborted).toBe(true);
      await new Promise((resolve) => server.close(resolve));
    },
  );

  test('a long body is answered while it is still being sent', async () => {
    const server = createAdaptorServer({ fetch: app.fetch });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const headers = { ...own, origin: `http://127.0.0.1:${port}`, 'transfer-encoding': 'chunked' };
    let sent = 0;
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const request = send({ port, host: '127.0.0.1', method: 'POST', path: '/', headers }, (response) => {
        resolve(response.statusCode);
        request.destroy();
      });
      request.on('error', reject);
      function sendMore(): void {
        sent += 64 * 1024;
        if (sent > 8 * mebibyte) request.end();
        else if (!request.destroyed) request.write(Buffer.alloc(64 * 1024), sendMore);
      }
      sendMore();
    });
    expect(status).toBe(413);
    expect(sent).toBeLessThan(8 * mebibyte);
    expect(passed).toEqual([]);
    expect(lines).toHaveLength(1);
    await new Promise((resolve) => server.close(resolve));
  });
});

test('inside another app, calls and forms may come from the address that people use', async () => {
  const actions = { hasAction, publicOrigin: 'https://shop.example' };
  const [checkCall, checkForm] = [createCallCheck(actions, '/RSC/'), createFormCheck(actions)];
  const field = { [`$ACTION_ID_${known.file}#${known.name}`]: '' };
  async function ask(from: string): Promise<unknown[]> {
    const call = await checkCall(post('/', { ...own, origin: from }));
    return [call?.status, (await checkForm(submit(field, { origin: from }))).outcome];
  }
  expect(await ask('https://shop.example')).toEqual([undefined, 'action']);
  expect(await ask('https://evil.example')).toEqual([403, 'refused']);
});
