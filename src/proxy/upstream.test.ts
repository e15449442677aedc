import { once } from 'node:events';
import { createServer, type Server, Socket } from 'node:net';

import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import type { Connection } from './connection.ts';
import { readUpstreamAddress } from './read-upstream-address.ts';
import { createUpstream, type ConnectionKind, type Upstream } from './upstream.ts';

const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

let server: Server;
let upstream: Upstream;
/** The app's side of each connection, in the order in which they came. */
let sockets: Socket[];
let closed: Socket[];
let reply: (socket: Socket) => void;

beforeEach(async () => {
  sockets = [];
  closed = [];
  reply = (socket) => void socket.write(ok);
  server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined).on('close', () => closed.push(socket));
    socket.on('data', () => reply(socket));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('no port');
  upstream = createUpstream(readUpstreamAddress(`http://127.0.0.1:${address.port}`));
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  upstream.close();
  for (const socket of sockets) socket.destroy();
  server.close();
});

type Exchange = { readonly body: string; readonly connection: Connection };

/** @param onBody of the connection that the exchange has got */
function ask(kind: ConnectionKind = 'any', onBody: (connection: Connection) => void = () => undefined) {
  return new Promise<Exchange>((resolve, reject) => {
    upstream.open(kind, (connection) => {
      let body = '';
      connection.begin('GET / HTTP/1.1\r\nHost: a\r\n\r\n', 'GET', {
        information: () => undefined,
        switched: () => undefined,
        head: () => undefined,
        body(chunk) {
          body += Buffer.from(chunk).toString('latin1');
          onBody(connection);
        },
        end: () => resolve({ body, connection }),
        drain: () => undefined,
        failure: ({ detail, isStale }) => reject(new Error(`${detail}, stale: ${isStale}`)),
      });
      connection.finishRequest();
    });
  });
}

/** In place of the ten seconds in which a connection has to be there. */
function shortenWaiting(ms: number): void {
  const { setTimeout: wait } = Socket.prototype;
  vi.spyOn(Socket.prototype, 'setTimeout').mockImplementation(function (this: Socket, given, listener) {
    return wait.call(this, given === 0 ? 0 : ms, listener);
  });
}

it('gives up no app that was there in time, when this process looked too late', async () => {
  shortenWaiting(20);
  const asked = ask();
  const until = performance.now() + 100;
  while (performance.now() < until);
  expect((await asked).body).toBe('ok');
});

it('uses a connection again, and opens one where it has to be new', async () => {
  const first = await ask();
  expect((await ask()).connection).toBe(first.connection);
  expect((await ask('fresh')).connection).not.toBe(first.connection);
  expect((await ask('switching')).connection).not.toBe(first.connection);
  expect(sockets).toHaveLength(3);
});

it.each([
  [
    'bytes that nobody asked for',
    (socket: Socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil'),
  ],
  ['its end', (socket: Socket) => void socket.end()],
])('sees %s on a kept connection before it is used', async (_, spoil) => {
  await ask();
  // In a timer: what the app sends now is read before the next check for immediates, and after any microtask.
  const next = await new Promise<Exchange>((resolve, reject) => {
    setTimeout(() => {
      const [socket] = sockets;
      if (socket) spoil(socket);
      ask().then(resolve, reject);
    }, 10);
  });
  expect(next.body).toBe('ok');
  expect(sockets).toHaveLength(2);
});

it('goes on after an exchange that ended while it was paused', async () => {
  await ask('any', (connection) => connection.pause());
  expect((await ask()).body).toBe('ok');
  expect(sockets).toHaveLength(1);
});

it('closes a connection whose answer says that it is the last, without waiting for the app', async () => {
  reply = (socket) => void socket.write(ok.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
  await ask();
  await expect.poll(() => closed).toHaveLength(1);
  expect((await ask()).body).toBe('ok');
  expect(sockets).toHaveLength(2);
});

it('closes a connection that was idle for longer than apps keep them', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  await Promise.all([ask(), ask()]);
  expect(sockets).toHaveLength(2);
  vi.advanceTimersByTime(3_000);
  await ask();
  vi.advanceTimersByTime(2_500);
  // The one that was used again stays.
  await expect.poll(() => closed).toHaveLength(1);
  await ask();
  expect(sockets).toHaveLength(2);
  vi.advanceTimersByTime(6_000);
  await expect.poll(() => closed).toHaveLength(2);
});

it('says that a kept connection was closed, and that a new one was', async () => {
  await ask();
  reply = (socket) => void socket.destroy();
  await expect(ask()).rejects.toThrow('the connection was closed, stale: true');
  await expect(ask()).rejects.toThrow('the connection was closed, stale: false');
});

it('cuts all connections at its end', async () => {
  await ask();
  reply = () => undefined;
  const waiting = ask('fresh');
  void waiting.catch(() => undefined);
  await expect.poll(() => sockets).toHaveLength(2);
  upstream.close();
  await expect.poll(() => closed).toHaveLength(2);
});
