import { once } from 'node:events';
import { createServer, request as ask, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { createGuard } from './index.ts';
import type * as declared from './public.d.ts';

const call = { 'next-action': 'a'.repeat(42), 'content-type': 'text/plain;charset=UTF-8' };
const forged = '["$0:constructor:constructor"]';
const long = JSON.stringify(['x'.repeat(3 * 1024 * 1024)]);
const refusal = { error: { code: 'forged-request', message: 'No client of React could have sent this request.' } };

it('has the types that are declared for others', () => {
  const create: typeof declared.createGuard = createGuard;
  expect(create).toBe(createGuard);
});

it.each([[{}], [{ larger: true }], [{ larger: 'refused' }]])('does not begin with %j', (options) => {
  expect(() => Reflect.apply(createGuard, undefined, [options])).toThrow('takes "pass" or "refuse"');
});

it('says a line a minute without a query, whatever was tried', async () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue();
  const { check } = createGuard({ larger: 'pass' });
  for (const path of ['/a\u001B[31m?secret=1', '/b']) {
    await check(new Request(`http://shop.test${path}`, { method: 'POST', headers: call, body: forged }));
  }
  expect(warn.mock.calls).toEqual([[expect.stringContaining('a call that is forged: POST /a%1B[31m (')]]);
  warn.mockRestore();
});

describe('a request', () => {
  const refused = vi.fn();
  const pass = createGuard({ larger: 'pass', onRefused: refused });
  const refuse = createGuard({ larger: 'refuse', onRefused: refused });
  const post = (body: string, headers: Record<string, string> = call) =>
    new Request('http://shop.test/cart?x=1', { method: 'POST', headers, body });

  beforeEach(() => refused.mockClear());

  it('that nobody could have written gets a 403', async () => {
    const response = await pass.check(post(forged));
    expect(response?.status).toBe(403);
    expect(await response?.json()).toEqual(refusal);
    expect(refused.mock.calls).toEqual([[{ path: '/cart', reason: 'forged' }]]);
  });

  it.each([
    ['is a call', '[1]', call],
    ['is a form', 'a=1', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['calls nothing', forged, { 'content-type': 'application/json' }],
  ])('that %s can be read afterwards', async (_, body, headers) => {
    const request = post(body, headers);
    expect(await refuse.check(request)).toBeUndefined();
    expect(await request.text()).toBe(body);
    expect(refused).not.toHaveBeenCalled();
  });

  it('that is too long is let through whole, or refused, as it is set', async () => {
    const request = post(long);
    expect(await pass.check(request)).toBeUndefined();
    expect(await request.text()).toBe(long);
    expect((await refuse.check(post(long)))?.status).toBe(403);
    expect(refused.mock.calls).toEqual([[{ path: '/cart', reason: 'too long' }]]);
  });

  it('that breaks off is the app’s business', async () => {
    const body = new ReadableStream({ pull: (controller) => controller.error(new Error('gone')) });
    const streamed = { method: 'POST', headers: call, body, duplex: 'half' };
    const request = new Request('http://shop.test/', streamed);
    expect(await refuse.check(request)).toBeUndefined();
    await expect(request.text()).rejects.toThrow('gone');
  });
});

describe('in front of a server of Node', () => {
  let server: Server;
  let seen: string[];

  async function start(larger: 'pass' | 'refuse', wait: Promise<void> = Promise.resolve()): Promise<number> {
    const { middleware } = createGuard({ larger, onRefused() {} });
    async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
      await wait;
      const body = await text(incoming);
      seen.push(body);
      outgoing.end(String(body.length));
    }
    server = createServer((incoming, outgoing) => {
      middleware(incoming, outgoing, () => void answer(incoming, outgoing));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const address = server.address();
    return typeof address === 'object' && address ? address.port : 0;
  }

  beforeEach(() => {
    seen = [];
  });

  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  type Sent = { readonly pieces: readonly string[]; readonly headers?: Record<string, string | number> };

  async function send(port: number, { pieces, headers = {} }: Sent): Promise<string> {
    const outgoing = ask({ port, host: '127.0.0.1', method: 'POST', headers: { ...call, ...headers }, agent: false });
    const answered = once(outgoing, 'response');
    // What is refused before it was sent whole may not be taken any more.
    outgoing.on('error', () => undefined);
    for (const piece of pieces) outgoing.write(piece);
    outgoing.end();
    const [incoming]: IncomingMessage[] = await answered;
    return incoming ? `${incoming.statusCode} ${await text(incoming)}` : 'none';
  }

  const declared = (body: string) => ({ pieces: [body], headers: { 'content-length': Buffer.byteLength(body) } });
  const chunked = (body: string) => ({ pieces: [body.slice(0, 3), body.slice(3)] });

  it.each([
    ['with its length', declared],
    ['in chunks', chunked],
  ])('refuses what comes %s, and the app sees nothing of it', async (_, write) => {
    const port = await start('pass');
    expect(await send(port, write(forged))).toBe(`403 ${JSON.stringify(refusal)}\n`);
    expect(seen).toEqual([]);
    for (const body of ['[1]', `["${'é'.repeat(200_000)}"]`]) {
      expect(await send(port, write(body))).toBe(`200 ${body.length}`);
      expect(seen.pop()).toBe(body);
    }
    expect(await send(port, { pieces: [], headers: { 'content-length': 0 } })).toBe('200 0');
  });

  it('lets an app read late, and all of it', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const port = await start('pass', promise);
    const answer = send(port, chunked('["late"]'));
    setImmediate(() => setImmediate(resolve));
    expect(await answer).toBe('200 8');
  });

  it('lets what is too long through whole, or refuses it', async () => {
    expect(await send(await start('pass'), declared(long))).toBe(`200 ${long.length}`);
    expect(seen).toEqual([long]);
    server.closeAllConnections();
    server.close();
    expect(await send(await start('refuse'), declared(long))).toMatch(/^403 /);
    expect(seen).toEqual([long]);
  });
});
