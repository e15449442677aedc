import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { createProxy, type Proxy } from './create-proxy.ts';
import { createHold, type Screen } from './screen.ts';
import type { SeenRequest } from './watch.ts';

let app: Server;
let proxies: Proxy[];
/** What the app got of each request: its method and its body. */
let seen: string[];
let toldBytes: number;
let told: string[];

async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const body = await text(incoming);
  seen.push(`${incoming.method} ${body.length} ${body.slice(-4)}`);
  outgoing.end('answered');
}

beforeEach(async () => {
  seen = [];
  told = [];
  toldBytes = 0;
  proxies = [];
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  app = createServer((incoming, outgoing) => {
    void answer(incoming, outgoing);
  });
  await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve));
});

afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all(proxies.map((proxy) => proxy.drain(50)));
  app.closeAllConnections();
  app.close();
});

function watch({ method }: SeenRequest) {
  return {
    requestBody: (chunk: Uint8Array) => {
      toldBytes += chunk.length;
    },
    response: (status: number) => told.push(`${method} ${status}`) > 0,
    body: () => {},
    end: (outcome: string) => void told.push(outcome),
  };
}

async function start(refusesLarger: boolean): Promise<number> {
  const address = app.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  const screen: Screen = ({ target }) =>
    target === '/free'
      ? undefined
      : { limit: 1_000, refusesLarger, isRefused: (body) => Buffer.from(body).includes('forged') };
  const proxy = createProxy({ to: `http://127.0.0.1:${address.port}`, screen, watch });
  proxies.push(proxy);
  return proxy.listen(0, '127.0.0.1');
}

type Sent = { readonly path?: string; readonly headers?: Record<string, string>; readonly pieces: readonly string[] };

async function send(port: number, { path = '/', headers = {}, pieces }: Sent): Promise<string> {
  const outgoing = request({ port, host: '127.0.0.1', method: 'POST', path, headers, agent: false });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.on('response', resolve).on('error', reject);
  });
  for (const piece of pieces) outgoing.write(piece);
  outgoing.end();
  const incoming = await answered;
  return `${incoming.statusCode} ${await text(incoming)}`;
}

it('refuses before the app sees a byte, and tells who records', async () => {
  const port = await start(false);
  expect(await send(port, { pieces: ['for', 'ged'] })).toMatch(/^403 .*"forged-request"/);
  expect(seen).toEqual([]);
  await vi.waitFor(() => expect([toldBytes, ...told]).toEqual([6, 'POST 403', 'complete']));
});

it.each([{}, { 'content-length': '8' }])('lets through whole what is not refused, %o', async (headers: object) => {
  const port = await start(true);
  expect(await send(port, { headers: { ...headers }, pieces: ['abcd', 'efgh'] })).toBe('200 answered');
  expect(await send(port, { path: '/free', pieces: ['forged'] })).toBe('200 answered');
  expect(seen).toEqual(['POST 8 efgh', 'POST 6 rged']);
});

it('what is too long to look at is let through or refused, as set', async () => {
  const pieces = ['x'.repeat(900), 'y'.repeat(900), 'forged'.repeat(100_000), 'end.'];
  expect(await send(await start(false), { pieces })).toBe('200 answered');
  expect(seen).toEqual(['POST 601804 end.']);
  expect(await send(await start(true), { pieces: pieces.slice(0, 2) })).toMatch(/^403/);
  expect(seen).toHaveLength(1);
});

it('of all that is held, the oldest gives way, and what is sent in one go is judged', () => {
  const mebibyte = 1024 * 1024;
  const gaveWay: number[] = [];
  const slow = Array.from({ length: 64 }, (_, index) => createHold(mebibyte, () => gaveWay.push(index)));
  expect(slow.map((hold) => hold.add(Buffer.alloc(mebibyte)))).toEqual(Array(64).fill(true));
  const whole = createHold(mebibyte, () => gaveWay.push(-1));
  expect([whole.add(Buffer.alloc(1_000)), whole.add(Buffer.alloc(1_000))]).toEqual([true, true]);
  expect(gaveWay).toEqual([0]);
  for (const hold of [...slow, whole]) hold.release();
  const alone = createHold(100 * mebibyte, () => gaveWay.push(-2));
  expect([alone.add(Buffer.alloc(64 * mebibyte)), alone.add(Buffer.alloc(1))]).toEqual([true, false]);
  alone.release();
  expect(gaveWay).toEqual([0]);
});

it('a client that waits to be told to go on is told so', async () => {
  const port = await start(false);
  const outgoing = request({
    port,
    host: '127.0.0.1',
    method: 'POST',
    headers: { expect: '100-continue' },
    agent: false,
  });
  outgoing.flushHeaders();
  await new Promise((resolve) => outgoing.once('continue', resolve));
  const answered = new Promise<IncomingMessage>((resolve) => outgoing.on('response', resolve));
  outgoing.end('forged');
  expect((await answered).statusCode).toBe(403);
  expect(seen).toEqual([]);
});

it('a client that leaves meanwhile takes nothing with it', async () => {
  const port = await start(false);
  for (let count = 0; count < 20; count += 1) {
    const outgoing = request({
      port,
      host: '127.0.0.1',
      method: 'POST',
      headers: { 'content-length': '900' },
      agent: false,
    });
    outgoing.on('error', () => {});
    await new Promise((resolve) => outgoing.write('half', resolve));
    outgoing.destroy();
  }
  expect(await send(port, { pieces: ['good'] })).toBe('200 answered');
  expect(seen).toEqual(['POST 4 good']);
});
