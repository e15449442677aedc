import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setImmediate as untilNextTurn, setTimeout as wait } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { readPeakRss, readRss } from '../bench/process-usage.ts';
import { createProxy, type Proxy, type ProxyOptions } from '../src/proxy/create-proxy.ts';
import type { SeenRequest, Tap, Watch } from '../src/proxy/watch.ts';
import { certificate, privateKey } from './testing/proxy-certificate.ts';
import { startRawUpstream, type RawUpstream } from './testing/raw-upstream.ts';

/** What the proxy holds against its clients and for its own memory, and what it tells whoever records. */
let upstream: RawUpstream;
let proxies: Proxy[];
let sockets: Socket[];
let logLines: Record<string, unknown>[];

beforeEach(async () => {
  logLines = [];
  proxies = [];
  sockets = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => logLines.push(JSON.parse(String(text))) > 0);
  upstream = await startRawUpstream();
});

afterEach(async () => {
  vi.restoreAllMocks();
  for (const socket of sockets) socket.destroy();
  await Promise.all(proxies.map((proxy) => proxy.drain(50)));
  await upstream.stop();
});

async function start(options: Partial<ProxyOptions> = {}): Promise<{ proxy: Proxy; port: number }> {
  const proxy = createProxy({ to: `http://127.0.0.1:${upstream.port}`, ...options });
  proxies.push(proxy);
  return { proxy, port: await proxy.listen(0, '127.0.0.1') };
}

type Client = { readonly socket: Socket; readonly text: () => string; readonly closed: Promise<void> };

function open(port: number, bytes: string): Client {
  let text = '';
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  sockets.push(socket);
  socket.setEncoding('latin1').on('data', (data) => (text += String(data)));
  const closed = new Promise<void>((resolve) => {
    socket.on('error', () => undefined).on('close', () => resolve());
  });
  socket.write(bytes, 'latin1');
  return { socket, text: () => text, closed };
}

const get = (target: string, more = '') => `GET ${target} HTTP/1.1\r\nHost: app.example\r\n${more}\r\n`;
const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

async function ask(port: number, request: string): Promise<string> {
  const client = open(port, request);
  await expect.poll(client.text, { timeout: 5_000, interval: 5 }).toMatch(/^HTTP\/1\.1 [2-5][^]*\r\n\r\n/m);
  client.socket.destroy();
  return client.text();
}

const quick = {
  headersTimeout: 200,
  requestTimeout: 0,
  keepAliveTimeout: 5_000,
  stalledTimeout: 400,
  connectionsCheckingInterval: 20,
};

describe('a client', () => {
  test('whose headers do not come gets 408', async () => {
    const { port } = await start({ limits: quick });
    const client = open(port, 'GET / HTTP/1.1\r\nHost: a');
    await client.closed;
    expect(client.text()).toMatch(/^HTTP\/1\.1 408 [^]*"code":"too-slow"/);
  });

  test('whose body stops gets 408, and the app sees the end', async () => {
    const { port } = await start({ limits: quick });
    const closed = vi.fn();
    upstream.on('/', ({ socket }) => socket.on('close', closed), 'onHead');
    const client = open(port, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf');
    await client.closed;
    expect(client.text()).toMatch(/^HTTP\/1\.1 408 [^]*"code":"too-slow"/);
    await expect.poll(() => closed.mock.calls.length).toBe(1);
  });

  test('whose body comes slowly is not hurried', async () => {
    const { port } = await start({ limits: quick });
    upstream.on('/', ({ socket, body }) =>
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`),
    );
    const client = open(port, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n');
    for (const letter of 'slowly'.slice(0, 5)) {
      await wait(200);
      client.socket.write(letter);
    }
    await expect.poll(client.text).toMatch(/\r\n\r\nslowl$/);
  });

  test('whose body stops while its answer comes is left alone', async () => {
    const { port } = await start({ limits: quick });
    upstream.on(
      '/',
      ({ socket }) => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\na');
        setTimeout(() => socket.write('b'), 1_200);
      },
      'onHead',
    );
    const client = open(port, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf');
    await expect.poll(client.text, { timeout: 3_000 }).toMatch(/\r\n\r\nab$/);
  });

  test('whose body waits for a slow app is left waiting', async () => {
    const { port } = await start({ limits: quick });
    upstream.on('/', ({ socket }) => socket.removeAllListeners('data').pause(), 'onHead');
    const client = open(port, `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${64 << 20}\r\n\r\n`);
    client.socket.write(Buffer.alloc(64 << 20));
    await expect.poll(() => upstream.requests.length).toBe(1);
    await wait(1_500);
    expect(client.text()).toBe('');
    const socket = upstream.requests[0]?.socket;
    socket?.on('data', () => undefined).resume();
    socket?.write(ok);
    await expect.poll(client.text, { timeout: 5_000 }).toMatch(/\r\n\r\nok$/);
  });

  test('that waits for a slow app is left waiting', async () => {
    const { port } = await start({ limits: quick });
    upstream.on('/', ({ socket }) => setTimeout(() => socket.write(ok), 1_200));
    expect(await ask(port, get('/'))).toMatch(/\r\n\r\nok$/);
  });

  test('that gets nothing new for a while keeps its stream', async () => {
    const { port } = await start({ limits: quick });
    upstream.on('/', ({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n');
      setTimeout(() => socket.write('1\r\nb\r\n0\r\n\r\n'), 1_200);
    });
    const client = open(port, get('/'));
    await expect.poll(client.text, { timeout: 3_000 }).toMatch(/a\r\n1\r\nb\r\n0\r\n\r\n$/);
  });

  test('that does not read is cut, and the app sees the end', async () => {
    const { port } = await start({ limits: quick });
    const closed = vi.fn();
    upstream.on('/', ({ socket }) => {
      socket.on('close', closed).write(`HTTP/1.1 200 OK\r\nContent-Length: ${64 << 20}\r\n\r\n`);
      socket.write(Buffer.alloc(64 << 20));
    });
    open(port, get('/')).socket.pause();
    await expect.poll(() => closed.mock.calls.length, { timeout: 5_000 }).toBe(1);
  });

  test('that sends ahead is answered in order, one request at a time', async () => {
    const { port } = await start();
    let inFlight = 0;
    let most = 0;
    upstream.on('/n', ({ socket, head }) => {
      most = Math.max(most, ++inFlight);
      setTimeout(() => {
        inFlight -= 1;
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n${/n\?(\d)/.exec(head)?.[1]}`);
      }, 20);
    });
    const client = open(port, Array.from('12345', (number) => get(`/n?${number}`)).join(''));
    await expect.poll(() => client.text().replace(/HTTP[^]*?\r\n\r\n/g, '')).toBe('12345');
    expect(most).toBe(1);
  });
});

describe('who is slower sets the pace', () => {
  test('a client that does not read: the app cannot send on', async () => {
    const { port } = await start();
    let sent = 0;
    upstream.on('/', ({ socket }) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${256 << 20}\r\n\r\n`);
      const piece = Buffer.alloc(1 << 20);
      function more(): void {
        if (socket.destroyed) return;
        sent += piece.length;
        socket.write(piece, more);
      }
      more();
    });
    const client = open(port, get('/'));
    client.socket.pause();
    await expect.poll(() => sent).toBeGreaterThan(0);
    await wait(500);
    const soFar = sent;
    await wait(300);
    expect(sent).toBe(soFar);
    expect(sent).toBeLessThan(32 << 20);
    let received = 0;
    client.socket.on('data', (text) => (received += text.length)).resume();
    await expect.poll(() => received, { timeout: 5_000 }).toBeGreaterThan(64 << 20);
  });

  test('a client that reads late gets every byte as the app sent it, in small pieces and large', async () => {
    const { port } = await start();
    // No two pieces are alike, so that a piece which overwrote another would be seen.
    const pieces = Array.from({ length: 1_500 }, (_, at) => `${at}:`.repeat([60, 1_000, 8_000][at % 3] ?? 1));
    const whole = pieces.join('');
    let sent = 0;
    upstream.on('/', async ({ socket }) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${whole.length}\r\n\r\n`);
      for (const piece of pieces) {
        if (!socket.write(piece)) await once(socket, 'drain');
        sent += 1;
        await untilNextTurn();
      }
    });
    const client = open(port, get('/'));
    client.socket.pause();
    await expect.poll(() => upstream.requests.length).toBe(1);
    // Until everything between the two is full.
    for (let before = -1; before !== sent;) {
      before = sent;
      await wait(400);
    }
    expect(sent).toBeLessThan(pieces.length);
    client.socket.resume();
    await expect.poll(() => client.text().length, { timeout: 20_000 }).toBeGreaterThan(whole.length);
    expect(client.text().slice(-whole.length) === whole).toBe(true);
  });

  test('an app that does not read: the client cannot send on', async () => {
    const { port } = await start();
    upstream.on('/', ({ socket }) => socket.removeAllListeners('data').pause(), 'onHead');
    const client = open(port, `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${256 << 20}\r\n\r\n`);
    await expect.poll(() => upstream.requests.length).toBe(1);
    let sent = 0;
    const piece = Buffer.alloc(1 << 20);
    function more(): void {
      sent += piece.length;
      if (sent < 256 << 20) client.socket.write(piece, more);
    }
    more();
    await wait(500);
    const soFar = sent;
    await wait(300);
    expect(sent).toBe(soFar);
    expect(sent).toBeLessThan(32 << 20);
    upstream.requests[0]?.socket.on('data', () => undefined).resume();
    await expect.poll(() => sent, { timeout: 10_000 }).toBeGreaterThan(64 << 20);
  });
});

type Measured = { readonly pid: number; readonly port: number; readonly idle: number };

/** Uploads of 10,000 chunks of one byte each, all at the same time. @returns MiB at the most, above the idle process */
async function measureTinyChunks({ pid, port, idle }: Measured): Promise<number> {
  const body = `${'1\r\na\r\n'.repeat(10_000)}0\r\n\r\n`;
  const head = 'POST /upload HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n';
  const clients = Array.from({ length: 300 }, () => open(port, head + body));
  await Promise.all(clients.map(({ closed }) => closed));
  for (const { text } of clients) expect(text()).toMatch(/^HTTP\/1\.1 200 /);
  return readPeakRss(pid) - idle;
}

/** 3,000 heads that never end, until all are held or refused. @returns MiB at the most, above the idle process */
async function measureHeads({ pid, port, idle }: Measured): Promise<number> {
  const lines = Array.from({ length: 1_900 }, (_, index) => `a${index.toString(36)}:b\r\n`);
  const head = `GET / HTTP/1.1\r\nHost: a\r\n${lines.join('')}`;
  for (let opened = 0; opened < 3_000; opened += 100) {
    const clients = Array.from({ length: 100 }, () => open(port, head).socket);
    await expect.poll(() => clients.every(({ writableLength }) => writableLength === 0), { timeout: 5_000 }).toBe(true);
  }
  // As long as it grows.
  for (let before = 0; readPeakRss(pid) > before;) {
    before = readPeakRss(pid);
    await wait(500);
  }
  return readPeakRss(pid) - idle;
}

describe('heads that never end', () => {
  const large = `GET / HTTP/1.1\r\nHost: a\r\nX-A: ${'a'.repeat(60_000)}`;

  test('are refused when they are too much in sum, the largest first', async () => {
    const { port } = await start();
    upstream.on('/', ({ socket }) => socket.write(ok));
    const usual = open(port, 'GET / HTTP/1.1\r\nHost: a\r\n');
    const clients = Array.from({ length: 600 }, () => open(port, large));
    const refused = () => clients.filter(({ text }) => text().includes('headers-too-large')).length;
    await expect.poll(refused, { timeout: 4_000 }).toBeGreaterThan(200);
    expect(refused()).toBeLessThan(500);
    // What is left may go on.
    const left = clients.filter(({ socket }) => !socket.closed).at(-1);
    left?.socket.write('\r\n\r\n');
    if (left) await expect.poll(left.text).toMatch(/\r\n\r\nok$/);
    usual.socket.write('\r\n');
    await expect.poll(usual.text).toMatch(/\r\n\r\nok$/);
  });

  test('are not counted with bodies: neither of an upload, nor of what was sent on the connection before', async () => {
    const { port } = await start();
    let uploaded = 0;
    upstream.on(
      '/upload',
      ({ socket }) => {
        socket.removeAllListeners('data').on('data', (bytes: Buffer) => {
          uploaded += bytes.length;
          // What came with the head is not among it.
          const isThere = uploaded > (40 << 20) - 70_000;
          if (isThere) socket.end('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok');
        });
      },
      'onHead',
    );
    upstream.on('/', ({ socket }) => socket.write(ok));
    const client = open(port, `POST /upload HTTP/1.1\r\nHost: a\r\nContent-Length: ${40 << 20}\r\n\r\n`);
    client.socket.write(Buffer.alloc(39 << 20, 'x'));
    // As long as it is looked at some times.
    await wait(500);
    client.socket.write(Buffer.alloc(1 << 20, 'x'));
    await expect.poll(client.text, { timeout: 10_000 }).toMatch(/\r\n\r\nok$/);
    client.socket.write('GET / HTTP/1.1\r\nHost: a\r\n');
    await wait(300);
    client.socket.write('\r\n');
    await expect.poll(client.text).toMatch(/ok[^]*\r\n\r\nok$/);
  });
});

describe('memory', () => {
  const children: ChildProcess[] = [];

  afterEach(() => children.splice(0).forEach((child) => child.kill('SIGKILL')));

  async function startChild(script: string, ...args: string[]): Promise<Measured> {
    const child = spawn(process.execPath, [path.join(import.meta.dirname, 'testing', script), ...args], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    children.push(child);
    if (!child.stdout || child.pid === undefined) throw new Error('no process');
    const [line]: unknown[] = await once(createInterface(child.stdout), 'line');
    return { pid: child.pid, port: Number(line), idle: readRss(child.pid) };
  }

  test('for uploads in chunks of one byte is about what the app itself needs', async () => {
    const app = await startChild('reading-app-child.ts');
    const proxy = await startChild('proxy-child.ts', `http://127.0.0.1:${app.port}`);
    const ofProxy = await measureTinyChunks(proxy);
    const plain = await startChild('reading-app-child.ts');
    const ofApp = await measureTinyChunks(plain);
    expect(ofProxy).toBeLessThan(1.5 * ofApp + 16);
  });

  test('for heads that never end is about what the app itself needs', async () => {
    const app = await startChild('reading-app-child.ts');
    const proxy = await startChild('proxy-child.ts', `http://127.0.0.1:${app.port}`);
    const ofProxy = await measureHeads(proxy);
    // 62 MiB; the proxy takes 21.
    const ofApp = await measureHeads(await startChild('reading-app-child.ts'));
    expect(ofProxy).toBeLessThan(1.5 * ofApp);
  });

  test('does not grow with a download of 600 MiB, nor with an upload of 200', async () => {
    const piece = Buffer.alloc(1 << 20, 'x');
    upstream.on('/download', ({ socket }) => {
      let left = 600;
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${600 << 20}\r\n\r\n`);
      function more(): void {
        left -= 1;
        if (left >= 0) socket.write(piece, more);
      }
      more();
    });
    let uploaded = 0;
    let isAnswered = false;
    upstream.on(
      '/upload',
      ({ socket }) => {
        socket.removeAllListeners('data').on('data', (bytes: Buffer) => {
          uploaded += bytes.length;
          // Not ended: what is still on its way would reset the connection, and with it the answer.
          if (uploaded > 200 << 20 && !isAnswered) socket.write(ok);
          isAnswered ||= uploaded > 200 << 20;
        });
      },
      'onHead',
    );
    const { pid, port, idle } = await startChild('proxy-child.ts', `http://127.0.0.1:${upstream.port}`);

    let received = 0;
    const down = connect(port, '127.0.0.1').on('data', (bytes) => (received += bytes.length));
    sockets.push(down);
    down.write(get('/download'));
    await expect.poll(() => received, { timeout: 40_000 }).toBeGreaterThan(600 << 20);

    const up = open(port, 'POST /upload HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n');
    const chunk = Buffer.concat([Buffer.from('100000\r\n'), piece, Buffer.from('\r\n')]);
    for (let sent = 0; sent <= 200; sent += 1) if (!up.socket.write(chunk)) await once(up.socket, 'drain');
    await expect.poll(up.text, { timeout: 20_000 }).toMatch(/\r\n\r\nok$/);
    // Of 800 MiB. Uploads are read by Node, whose memory for pieces waits for the garbage collector: from 25 to 78 MiB were seen.
    expect(readPeakRss(pid) - idle).toBeLessThan(128);
  });
});

describe('an app elsewhere', () => {
  test('behind TLS', async () => {
    const create = (serve: (socket: Socket) => void): Server =>
      createTlsServer({ key: privateKey, cert: certificate }, serve);
    const secure = await startRawUpstream(undefined, create);
    secure.on('/', ({ socket }) => socket.write(ok));
    const { port } = await start({ to: `https://localhost:${secure.port}`, certificates: certificate });
    expect(await ask(port, get('/'))).toMatch(/\r\n\r\nok$/);
    expect(await ask(port, get('/'))).toMatch(/\r\n\r\nok$/);
    expect(new Set(secure.requests.map(({ connection }) => connection)).size).toBe(1);
    secure.on('/large', ({ socket }) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${3 << 20}\r\n\r\n`);
      socket.write('x'.repeat(3 << 20));
    });
    const large = open(port, get('/large'));
    await expect.poll(() => large.text().length, { timeout: 5_000 }).toBeGreaterThan(3 << 20);
    expect(large.text().slice(-(3 << 20))).toBe('x'.repeat(3 << 20));
    await secure.stop();
  });

  test('behind TLS, with a certificate that nobody vouches for: 502, nothing is sent', async () => {
    const create = (serve: (socket: Socket) => void): Server =>
      createTlsServer({ key: privateKey, cert: certificate }, serve);
    const secure = await startRawUpstream(undefined, create);
    const { port } = await start({ to: `https://localhost:${secure.port}` });
    expect(await ask(port, get('/'))).toMatch(/^HTTP\/1\.1 502 [^]*upstream-unreachable/);
    expect(logLines).toMatchObject([{ detail: expect.stringContaining('certificate') }]);
    expect(secure.requests).toEqual([]);
    await secure.stop();
  });

  test('on a Unix socket', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'proxy-'));
    const where = path.join(folder, 'app.sock');
    const local = await startRawUpstream({ path: where });
    local.on('/', ({ socket }) => socket.write(ok));
    const { port } = await start({ to: `unix:${where}` });
    expect(await ask(port, get('/'))).toMatch(/\r\n\r\nok$/);
    await local.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test('by its own name, where the operator wants that', async () => {
    upstream.on('/', ({ socket }) => socket.write(ok));
    const { port } = await start({ hostHeader: 'upstream' });
    await ask(port, get('/'));
    const lines = upstream.requests[0]?.head.split('\r\n');
    expect(lines?.[1]).toBe(`Host: 127.0.0.1:${upstream.port}`);
    expect(lines).toContain('X-Forwarded-Host: app.example');
  });

  test.each(['ftp://a', 'app', 'http://a/path', 'http://user:secret@a', 'unix:app.sock', 'http://a/?q'])(
    '%s is no address of one',
    (to) => expect(() => createProxy({ to })).toThrow(/give an address like|is not an address like/),
  );
});

describe('whoever records', () => {
  type Seen = { request: SeenRequest; calls: unknown[] };

  function record(more: Partial<Tap> = {}): { watch: Watch; seen: Seen[] } {
    const seen: Seen[] = [];
    const watch: Watch = (request) => {
      const calls: unknown[] = [];
      seen.push({ request, calls });
      return {
        requestBody: (chunk) => void calls.push(['requestBody', Buffer.from(chunk).toString()]),
        response(status, headers) {
          calls.push(['response', status, headers]);
          return true;
        },
        body: (chunk) => void calls.push(['body', Buffer.from(chunk).toString()]),
        end: (outcome) => void calls.push(['end', outcome]),
        ...more,
      };
    };
    return { watch, seen };
  }

  test('sees the request as it came, the answer as the app gave it, and that it was sent', async () => {
    const { watch, seen } = record();
    const { port, proxy } = await start({ watch });
    upstream.on('/a', ({ socket }) =>
      socket.write(
        'HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nX-a: 1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
      ),
    );
    const before = Date.now();
    await ask(port, 'POST /a?b HTTP/1.1\r\nHost: app.example\r\nx-Q: 1\r\nContent-Length: 4\r\n\r\nbody');
    await expect
      .poll(() => seen[0]?.calls)
      .toEqual([
        ['requestBody', 'body'],
        ['response', 200, ['X-a', '1', 'Transfer-Encoding', 'chunked']],
        ['body', 'ok'],
        ['end', 'complete'],
      ]);
    expect(seen[0]?.request).toMatchObject({
      method: 'POST',
      target: '/a?b',
      headers: ['Host', 'app.example', 'x-Q', '1', 'Content-Length', '4'],
      peer: '127.0.0.1',
    });
    expect(seen[0]?.request.startedAt).toBeGreaterThanOrEqual(before);
    expect(proxy.readTapFailures()).toBe(0);
  });

  test('is not given a body that it does not want', async () => {
    const { watch, seen } = record({ response: () => false });
    const { port } = await start({ watch });
    upstream.on('/', ({ socket }) => socket.write(ok));
    await ask(port, get('/'));
    await expect.poll(() => seen[0]?.calls).toEqual([['end', 'complete']]);
  });

  test.each([
    ['broken', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf'],
    ['broken', ''],
  ] as const)('hears that it is %s', async (outcome, text) => {
    const { watch, seen } = record();
    const { port } = await start({ watch });
    upstream.on('/', ({ socket }) => socket.write(text, () => setTimeout(() => socket.destroy(), 20)));
    await open(port, get('/', 'Connection: close\r\n')).closed;
    await expect.poll(() => seen[0]?.calls.at(-1)).toEqual(['end', outcome]);
    expect(seen[0]?.calls.filter((call) => Array.isArray(call) && call[0] === 'end')).toHaveLength(1);
  });

  test.each(['', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf'])('hears that the client left', async (text) => {
    const { watch, seen } = record();
    const { port } = await start({ watch });
    upstream.on('/', ({ socket }) => socket.write(text));
    const client = open(port, get('/'));
    await expect.poll(() => upstream.requests.length).toBe(1);
    if (text) await expect.poll(client.text).toContain('half');
    client.socket.destroy();
    await expect.poll(() => seen[0]?.calls.at(-1)).toEqual(['end', 'left']);
  });

  test('hears nothing but that the client left when its body stops', async () => {
    const { watch, seen } = record();
    const { port } = await start({ watch, limits: quick });
    const client = open(port, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf');
    await client.closed;
    expect(client.text()).toMatch(/^HTTP\/1\.1 408 /);
    await expect
      .poll(() => seen[0]?.calls)
      .toEqual([
        ['requestBody', 'half'],
        ['end', 'left'],
      ]);
  });

  test('sees that a WebSocket was opened, and nothing of it', async () => {
    const { watch, seen } = record();
    const { port } = await start({ watch });
    upstream.on('/', ({ socket }) =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\nsecret'),
    );
    const client = open(port, get('/', 'Connection: Upgrade\r\nUpgrade: websocket\r\n'));
    await expect.poll(client.text).toMatch(/secret$/);
    expect(seen[0]?.calls).toEqual([
      ['response', 101, ['Upgrade', 'websocket']],
      ['end', 'complete'],
    ]);
  });

  const fail = () => {
    throw new Error('the recorder is broken');
  };

  test.each(['requestBody', 'response', 'body', 'end'] as const)('may fail in %s: the bytes go on', async (name) => {
    const { watch, seen } = record({ [name]: fail });
    const { port, proxy } = await start({ watch });
    upstream.on('/', ({ socket }) => socket.write(ok));
    expect(await ask(port, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody')).toMatch(/\r\n\r\nok$/);
    await expect.poll(() => proxy.readTapFailures()).toBe(1);
    const after = { requestBody: 0, response: 1, body: 2, end: 3 };
    expect(seen[0]?.calls).toHaveLength(after[name]);
  });

  test('may fail before it begins', async () => {
    const { port, proxy } = await start({ watch: fail });
    upstream.on('/', ({ socket }) => socket.write(ok));
    expect(await ask(port, get('/'))).toMatch(/\r\n\r\nok$/);
    expect(proxy.readTapFailures()).toBe(1);
  });
});

describe('a stop', () => {
  test('lets the answers in flight end, and the last on a connection says so', async () => {
    const { proxy, port } = await start();
    upstream.on('/', ({ socket }) => setTimeout(() => socket.write(ok), 300));
    const client = open(port, get('/'));
    await expect.poll(() => upstream.requests.length).toBe(1);
    await proxy.drain(5_000);
    await client.closed;
    expect(client.text()).toMatch(/connection: close\r\n[^]*\r\nok$/i);
  });

  test('ends WebSockets, and closes the connections to the app', async () => {
    const { proxy, port } = await start();
    const closed = vi.fn();
    upstream.on('/', ({ socket }) => {
      socket.on('close', closed).write('HTTP/1.1 101 Switching Protocols\r\n\r\n');
    });
    upstream.on('/kept', ({ socket }) => socket.on('close', closed).write(ok));
    await ask(port, get('/kept'));
    const client = open(port, get('/', 'Connection: Upgrade\r\nUpgrade: websocket\r\n'));
    await expect.poll(client.text).toContain('101');
    await proxy.drain(5_000);
    await client.closed;
    await expect.poll(() => closed.mock.calls.length).toBe(2);
  });
});
