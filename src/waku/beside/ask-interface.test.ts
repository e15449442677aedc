import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';

import { afterEach, expect, it } from 'vitest';

import { askInterface, type Asked, type Place, saysGone } from './ask-interface.ts';

const asked: Asked = {
  method: 'GET',
  target: '/',
  headers: ['host', 'shop.example'],
  body: undefined,
  signal: new AbortController().signal,
};

let servers: Server[] = [];

afterEach(() => {
  for (const server of servers) server.close().closeAllConnections();
  servers = [];
});

async function listen(answer: RequestListener): Promise<Place> {
  const server = createServer(answer);
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('no port');
  return { hostname: '127.0.0.1', port: address.port };
}

async function fail(place: Place, more: Partial<Asked>): Promise<unknown> {
  return askInterface(place, { ...asked, ...more }).then(
    () => 'answered',
    (error: unknown) => error,
  );
}

async function* breakOff(): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(3);
  // As Node says it of a client that left.
  throw Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
}

async function* yieldBytes(length: number): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(length);
}

it('knows that the interface is gone', async () => {
  const place = await listen((_, outgoing) => void outgoing.destroy());
  expect(saysGone(await fail(place, {}))).toBe(true);
  servers.pop()?.close();
  expect(saysGone(await fail(place, {}))).toBe(true);
});

it.each<[string, Partial<Asked>]>([
  ['left', { signal: AbortSignal.abort() }],
  ['sent what no request can have', { target: '/\n' }],
  ['broke off a body', { method: 'POST', body: { length: undefined, pieces: breakOff() } }],
  ['sent more than the length', { method: 'POST', body: { length: 3, pieces: yieldBytes(4) } }],
  ['sent less than the length', { method: 'POST', body: { length: 5, pieces: yieldBytes(4) } }],
])('does not take it for gone where the visitor %s', async (_, more) => {
  const place = await listen((incoming, outgoing) => {
    incoming.on('error', () => undefined).resume();
    incoming.on('end', () => outgoing.end());
  });
  const error = await fail(place, more);
  expect(error).toBeInstanceOf(Error);
  expect(saysGone(error)).toBe(false);
});

it('ends the connection where the answer was before the end of the body', async () => {
  const ended = Promise.withResolvers<void>();
  const place = await listen((incoming, outgoing) => {
    incoming.on('error', () => undefined).socket.on('close', ended.resolve);
    outgoing.writeHead(413).end('too much');
  });
  const never = Promise.withResolvers<never>();
  const body = {
    length: 10,
    pieces: (async function* wait(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(3);
      await never.promise;
    })(),
  };
  const answer = await askInterface(place, { ...asked, method: 'POST', body });
  answer.resume();
  expect(answer.statusCode).toBe(413);
  await ended.promise;
});
