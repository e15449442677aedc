import type { Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { readServerSettings } from '#src/server/http/server-settings.ts';

import { createHeadCheck } from '#src/server/adapter/check-request-head.ts';
import { createAddressReader } from '#src/server/http/client-address.ts';
import { createHttpServer, type Answer } from '#src/server/adapter/create-server.ts';
import type { Limits } from './limited-server.ts';
import { begunPerTurn, mostWaiting, mostWaitingInAll } from './request-queue.ts';
import { createInFlightResponses } from './in-flight-responses.ts';

const patient: Limits = {
  headersTimeout: 20_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 5_000,
  stalledTimeout: 20_000,
  connectionsCheckingInterval: 20,
};
const quick: Limits = { ...patient, headersTimeout: 400, requestTimeout: 600 };

let server: Server;
let port: number;
let logLines: Record<string, unknown>[];
/** The paths of the requests that were begun, and what lets each be answered. */
let begun: string[];
let answers: Map<string, () => void>;

/** Answers at once, but for what lies below `/wait`. */
const answer: Answer = async (request) => {
  const { pathname } = new URL(request.url);
  begun.push(pathname);
  if (pathname.startsWith('/wait')) await new Promise<void>((resolve) => answers.set(pathname, resolve));
  const body = request.method === 'POST' ? await request.text().catch(() => 'broken') : '';
  return new Response(`${pathname}${body}\n`, { status: body === 'broken' ? 400 : 200 });
};

function get(path: string, more = ''): string {
  return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${more}\r\n`;
}

function post(path: string, more: string): string {
  return `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${more}\r\n`;
}

type Client = { readonly socket: Socket; readonly text: () => string; readonly closed: Promise<string> };

function open(): Client {
  let text = '';
  const socket = connect(port, '127.0.0.1');
  socket.setEncoding('latin1').on('data', (chunk) => (text += String(chunk)));
  const closed = new Promise<string>((resolve) => {
    socket.on('error', () => undefined).on('close', () => resolve(text));
  });
  return { socket, text: () => text, closed };
}

function letGo(path: string): void {
  answers.get(path)?.();
}

async function untilBegun(path: string): Promise<void> {
  await expect.poll(() => begun).toContain(path);
}

/** Every answer's first line and body. */
function readAnswers(text: string): string[] {
  return Array.from(
    text.matchAll(/HTTP\/1\.1 (\d+) [^]*?\r\n\r\n([^]*?)(?=HTTP\/1\.1|$)/g),
    ([, status, body]) => `${status} ${body?.trim() ?? ''}`,
  );
}

async function listen(limits: Limits): Promise<void> {
  let settings = readServerSettings({});
  server = createHttpServer({
    answer,
    sendFile: () => false,
    checkHead: (incoming) => createHeadCheck(settings)(incoming),
    readAddress: createAddressReader([]),
    inFlight: createInFlightResponses(),
    limits,
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address: AddressInfo | string | null = server.address();
  if (typeof address !== 'object' || !address) throw new Error('no port');
  ({ port } = address);
  settings = { ...settings, port };
}

async function close(): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

beforeEach(async () => {
  begun = [];
  answers = new Map();
  logLines = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => logLines.push(JSON.parse(String(text))) > 0);
  await listen(patient);
});

afterEach(async () => {
  vi.restoreAllMocks();
  await close();
});

describe('what a client sends ahead', () => {
  it('is begun when the answer before it is out, and answered in order', async () => {
    const { socket, closed } = open();
    socket.write(get('/wait/1') + get('/2') + get('/wait/3') + get('/4', 'Connection: close\r\n'));
    await untilBegun('/wait/1');
    expect(begun).toEqual(['/wait/1']);
    letGo('/wait/1');
    await untilBegun('/wait/3');
    expect(begun).toEqual(['/wait/1', '/2', '/wait/3']);
    letGo('/wait/3');
    expect(readAnswers(await closed)).toEqual(['200 /wait/1', '200 /2', '200 /wait/3', '200 /4']);
  });

  it('is noticed when its client resets the connection, though nothing more is read', async () => {
    const count = () => new Promise((resolve) => server.getConnections((_, connections) => resolve(connections)));
    const { socket } = open();
    socket.write(get('/wait/1') + get('/wait/2'));
    await untilBegun('/wait/1');
    expect(await count()).toBe(1);
    socket.resetAndDestroy();
    await expect.poll(count).toBe(0);
    expect(begun).toEqual(['/wait/1']);
  });

  it('has no timer of its own, however often a connection waits and goes on', async () => {
    await close();
    await listen({ ...patient, connectionsCheckingInterval: 31 });
    const started = vi.spyOn(globalThis, 'setInterval');
    const [keeper, client] = [open(), open()];
    // A connection whose requests wait all the time.
    keeper.socket.write(get('/wait/1') + get('/wait/2'));
    await untilBegun('/wait/1');
    for (let round = 0; round < 20; round += 1) {
      client.socket.write(get(`/${round}`) + get(`/${round}/ahead`));
      await untilBegun(`/${round}/ahead`);
    }
    expect(started.mock.calls.filter(([, ms]) => ms === 5 * 31)).toHaveLength(1);
  });

  it.each([
    ['two requests', () => get('/2') + get('/3', 'Connection: close\r\n'), 80, ['200 /2', '200 /3']],
    ['a body', () => `${post('/2', 'Connection: close\r\nContent-Length: 4\r\n')}body`, -2, ['200 /2body']],
  ])(
    'may come in pieces, as %s, and is not too slow for the time that it is not read',
    async (_, make, at, expected) => {
      await close();
      await listen(quick);
      const { socket, closed } = open();
      const ahead = make();
      socket.write(get('/wait/1') + ahead.slice(0, at));
      await untilBegun('/wait/1');
      socket.write(ahead.slice(at));
      // Two other connections are given up meanwhile: one whose head does not come, and one whose body does not.
      const others = [get('/other').slice(0, 20), post('/other', 'Content-Length: 4\r\n')].map((bytes) => {
        const other = open();
        other.socket.write(bytes);
        return other.closed;
      });
      await Promise.all(others);
      letGo('/wait/1');
      expect(readAnswers(await closed)).toEqual(['200 /wait/1', ...expected]);
    },
  );

  it('stays with the system while something waits, beyond what had come', async () => {
    const { socket, closed } = open();
    // What is read in one go has eight of them.
    const long = `X-Long: ${'x'.repeat(8_000)}\r\n`;
    const count = 1_500;
    socket.write(get('/wait/1') + get('/x', long).repeat(count) + get('/last', 'Connection: close\r\n'));
    await untilBegun('/wait/1');
    const other = open();
    other.socket.write(get('/other', 'Connection: close\r\n'));
    await other.closed;
    // It is looked for clients that are gone, again and again; of one with few requests each time.
    const looks = vi.fn<() => void>();
    server.once('connection', (one: Socket) => {
      const { resume } = one;
      one.resume = () => {
        looks();
        return resume.call(one);
      };
    });
    const patientOne = open();
    patientOne.socket.write(get('/wait/2') + get('/x', 'Connection: close\r\n'));
    await expect.poll(() => looks.mock.calls.length).toBeGreaterThan(20);
    expect(socket.writableLength).toBeGreaterThan(0);
    expect(begun).toEqual(['/wait/1', '/other', '/wait/2']);
    letGo('/wait/1');
    letGo('/wait/2');
    const answered = readAnswers(await closed);
    expect(answered).toHaveLength(count + 2);
    expect(answered.at(-1)).toBe('200 /last');
    expect(logLines).toEqual([]);
  });

  it('on many connections is begun a few at a time, so that somebody new does not wait for all of it', async () => {
    const clients = Array.from({ length: 60 }, (_, index) => {
      const client = open();
      client.socket.write(get(`/wait/${index}`) + get('/x').repeat(6) + get('/x', 'Connection: close\r\n'));
      return client;
    });
    await expect.poll(() => answers.size).toBe(60);
    const perTurn: number[] = [];
    let isOver = false;
    function count(before: number): void {
      perTurn.push(begun.length - before);
      if (!isOver) setImmediate(count, begun.length);
    }
    count(begun.length);
    for (const [path] of answers) letGo(path);
    for (const { closed } of clients) expect(readAnswers(await closed)).toHaveLength(8);
    isOver = true;
    expect(perTurn.reduce((sum, one) => sum + one, 0)).toBe(60 * 7);
    expect(Math.max(...perTurn)).toBeLessThanOrEqual(begunPerTurn);
  });

  it('waits while connections come, and somebody who sends nothing ahead does not', async () => {
    const many = Array.from({ length: 100 }, (_, index) => {
      const client = open();
      client.socket.write(get(`/slow/${index}`) + get('/slow').repeat(3) + get('/slow', 'Connection: close\r\n'));
      return client;
    });
    const last = open();
    last.socket.write(get('/last', 'Connection: close\r\n'));
    expect(readAnswers(await last.closed)).toEqual(['200 /last']);
    // The loop accepts one connection in a turn.
    expect(begun.indexOf('/last')).toBeLessThan(2 * begunPerTurn);
    for (const { closed } of many) expect(readAnswers(await closed)).toHaveLength(5);
  });

  it('is cut where it is too much, and not below that', async () => {
    const much = open();
    much.socket.write(get('/wait/much') + get('/x').repeat(mostWaiting + 1));
    expect(await much.closed).toBe('');
    expect(logLines).toMatchObject([{ event: 'too-many-sent-ahead', ahead: mostWaiting + 1 }]);
    const enough = open();
    enough.socket.write(get('/wait/enough') + get('/x').repeat(mostWaiting - 1) + get('/x', 'Connection: close\r\n'));
    await untilBegun('/wait/enough');
    letGo('/wait/enough');
    expect(readAnswers(await enough.closed)).toHaveLength(mostWaiting + 1);
  });

  it('on many connections is cut where it has waited longest, and what is gone is not counted', async () => {
    const count = mostWaitingInAll / mostWaiting;
    async function fill(round: string): Promise<Client[]> {
      const clients: Client[] = [];
      for (let index = 0; index < count; index += 1) {
        const client = open();
        clients.push(client);
        client.socket.write(get(`/wait/${round}/${index}`) + get('/x').repeat(mostWaiting));
        await untilBegun(`/wait/${round}/${index}`);
      }
      return clients;
    }
    const gone = await fill('gone');
    server.closeAllConnections();
    for (const { closed } of gone) await closed;
    const [first, ...others] = await fill('here');
    expect(logLines).toEqual([]);
    const one = open();
    one.socket.write(get('/wait/one') + get('/y', 'Connection: close\r\n'));
    expect(await first?.closed).toBe('');
    letGo('/wait/one');
    expect(readAnswers(await one.closed)).toEqual(['200 /wait/one', '200 /y']);
    expect(others.map(({ socket }) => socket.destroyed)).not.toContain(true);
    expect(logLines).toMatchObject([{ event: 'too-many-sent-ahead', ahead: mostWaiting }]);
  });
});

describe('what breaks behind requests that are being answered', () => {
  it('is answered after them, once', async () => {
    const { socket, closed } = open();
    socket.write(`${get('/wait/1')}${get('/2')}no request\r\n\r\n`);
    await untilBegun('/wait/1');
    letGo('/wait/1');
    const [first, second, third, ...more] = readAnswers(await closed);
    expect([first, second, more]).toEqual(['200 /wait/1', '200 /2', []]);
    expect(third).toMatch(/^400 .*malformed-request/);
    expect(logLines).toMatchObject([{ event: 'request-refused', status: 400 }]);
  });

  it('and is the body of one that waits, is answered by whoever reads it, once', async () => {
    const { socket, closed } = open();
    const broken = `${post('/2', 'Transfer-Encoding: chunked\r\n')}2\r\nok\r\nzz\r\n`;
    socket.write(get('/wait/1') + broken);
    await untilBegun('/wait/1');
    letGo('/wait/1');
    expect(readAnswers(await closed)).toEqual(['200 /wait/1', '400 /2broken']);
  });

  it('and is a CONNECT, ends the connection and writes nothing into their answers', async () => {
    const { socket, closed } = open();
    socket.write(`${get('/wait/1')}CONNECT a:1 HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
    expect(await closed).toBe('');
  });
});

describe('a body that breaks when its request has been answered', () => {
  const head = (path: string) =>
    `PUT ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n`;

  it('has no second answer', async () => {
    const { socket, text, closed } = open();
    socket.write(head('/1'));
    await expect.poll(text).toContain('/1\n');
    socket.write('zz\r\n');
    expect(readAnswers(await closed)).toHaveLength(1);
    expect(logLines).toMatchObject([{ event: 'request-refused', status: 400, method: 'PUT' }]);
  });

  it('nor has one that does not come', async () => {
    await close();
    // Hono's server gives up such a connection by itself after half a second.
    await listen({ ...patient, headersTimeout: 200, requestTimeout: 200 });
    const { socket, closed } = open();
    socket.write(head('/1'));
    expect(readAnswers(await closed)).toHaveLength(1);
    expect(logLines).toMatchObject([{ event: 'request-refused', status: 408, method: 'PUT' }]);
  });

  it('and when it has come, what breaks behind it is answered', async () => {
    const { socket, text, closed } = open();
    socket.write(head('/1'));
    await expect.poll(text).toContain('/1\n');
    socket.write('0\r\n\r\nno request\r\n\r\n');
    expect(readAnswers(await closed)).toEqual([expect.stringContaining('200'), expect.stringContaining('400')]);
  });
});
