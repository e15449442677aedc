import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';

import { createProxy, type Proxy } from '../src/proxy/create-proxy.ts';
import { startRawUpstream, takeBody, type RawUpstream } from './testing/raw-upstream.ts';

/**
 * The same bytes are sent to an app directly and through the proxy, on sockets, and what comes back is compared. What may differ
 * belongs to one connection: `Connection`, `Keep-Alive`, `Transfer-Encoding`, and where chunks begin.
 */
let upstream: RawUpstream;
let proxy: Proxy;
let port: number;
let logLines: Record<string, unknown>[];

beforeAll(async () => {
  upstream = await startRawUpstream();
  proxy = createProxy({ to: `http://127.0.0.1:${upstream.port}` });
  port = await proxy.listen(0, '127.0.0.1');
});

beforeEach(() => {
  logLines = [];
  upstream.requests.length = 0;
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => logLines.push(JSON.parse(String(text))) > 0);
});

afterEach(() => vi.restoreAllMocks());

afterAll(async () => {
  proxy.server.closeAllConnections();
  await Promise.all([proxy.drain(100), upstream.stop()]);
});

type Piece = { readonly text: string; readonly at: number };

type Client = {
  readonly socket: Socket;
  readonly pieces: readonly Piece[];
  readonly text: () => string;
  /** end: the other side has ended in order. reset: it was cut. */
  readonly closed: Promise<'end' | 'reset'>;
  readonly until: (pattern: RegExp) => Promise<void>;
};

function open(to: number, bytes: string): Client {
  const pieces: Piece[] = [];
  const begin = performance.now();
  const socket = connect({ port: to, host: '127.0.0.1', noDelay: true });
  const text = () => pieces.map((piece) => piece.text).join('');
  socket.setEncoding('latin1').on('data', (data) => pieces.push({ text: String(data), at: performance.now() - begin }));
  const closed = new Promise<'end' | 'reset'>((resolve) => {
    let how: 'end' | 'reset' = 'end';
    socket.on('error', () => (how = 'reset')).on('close', () => resolve(how));
  });
  socket.write(bytes, 'latin1');
  return { socket, pieces, text, closed, until: (pattern) => expect.poll(text, { timeout: 5_000 }).toMatch(pattern) };
}

type Parsed = {
  readonly information: readonly string[];
  readonly status: string;
  readonly headers: readonly string[];
  readonly body: string;
  readonly trailers: string;
  readonly isWhole: boolean;
};

const ofConnection = /^(?:connection|keep-alive|transfer-encoding):/i;

function parse(text: string, closed: 'end' | 'reset' | 'open', method = 'GET'): Parsed {
  const information: string[] = [];
  let rest = text;
  while (/^HTTP\/1\.1 1\d\d/.test(rest)) {
    const end = rest.indexOf('\r\n\r\n');
    information.push(rest.slice(0, end));
    rest = rest.slice(end + 4);
  }
  const end = rest.indexOf('\r\n\r\n');
  const head = rest.slice(0, end);
  const after = rest.slice(end + 4);
  const [status = '', ...headers] = head.split('\r\n');
  // Spaces around a value are none of it.
  const trimmed = headers.map((line) => line.trimEnd());
  const common = { information, status, headers: trimmed.filter((line) => !ofConnection.test(line)) };
  const hasNoBody = method === 'HEAD' || / (?:204|304) /.test(status);
  const isFramed = hasNoBody || /^(?:content-length|transfer-encoding):/im.test(head);
  if (!isFramed) return { ...common, body: after, trailers: '', isWhole: closed === 'end' };
  const whole = hasNoBody ? { body: after, trailers: '' } : takeBody(head, after);
  return { ...common, body: whole?.body ?? after, trailers: whole?.trailers ?? '', isWhole: whole !== undefined };
}

/** Asks once, on a connection of its own, and waits until the answer is whole or the connection ends. */
async function ask(to: number, request: string): Promise<Parsed & { readonly pieces: readonly Piece[] }> {
  const method = request.split(' ')[0] ?? '';
  const client = open(to, request);
  let closed: 'end' | 'reset' | 'open' = 'open';
  void client.closed.then((how) => (closed = how));
  await expect
    .poll(() => closed !== 'open' || (client.text() !== '' && parse(client.text(), 'open', method).isWhole), {
      timeout: 5_000,
      interval: 5,
    })
    .toBe(true);
  client.socket.destroy();
  return { ...parse(client.text(), closed, method), pieces: client.pieces };
}

async function askBoth(request: string): Promise<{ direct: Parsed; proxied: Parsed; seen: string[] }> {
  upstream.requests.length = 0;
  const { pieces: _, ...direct } = await ask(upstream.port, request);
  const { pieces: __, ...proxied } = await ask(port, request);
  return { direct, proxied, seen: upstream.requests.map(({ head }) => head) };
}

function answer(path: string, text: string): void {
  upstream.on(path, ({ socket }) => socket.write(text, 'latin1'));
}

const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: app.example\r\n${more}\r\n`;

describe('an answer is the same through the proxy', () => {
  const odd =
    'X-Lower: 1\r\nx-UPPER: 2\r\nSet-Cookie: a=1\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\nset-cookie: b=2\r\n' +
    'Content-Type: text/html\r\nX-Bytes: \xe4\xf6\r\nX-Empty:\r\nServer: odd';
  const length = (text: string) => `Content-Length: ${text.length}`;
  test.each([
    ['with odd headers', `HTTP/1.1 200 Fine by me\r\n${odd}\r\n${length('body')}\r\n\r\nbody`],
    ['without a reason', `HTTP/1.1 200 \r\n${length('x')}\r\n\r\nx`],
    ['without a date or anything', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'],
    ['in chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1;x=y\r\nc\r\n0\r\n\r\n'],
    [
      'with trailers',
      'HTTP/1.1 200 OK\r\nTrailer: X-Sum\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX-Sum: 1\r\nx-more: 2\r\n\r\n',
    ],
    [
      'compressed',
      `HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nVary: *\r\n${length('\x0b\x02\x80')}\r\n\r\n\x0b\x02\x80`,
    ],
    ['206', 'HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-1/9\r\nContent-Length: 2\r\n\r\nab'],
    ['304 with a length', 'HTTP/1.1 304 Not Modified\r\nETag: "a"\r\nContent-Length: 400\r\n\r\n'],
    ['204', 'HTTP/1.1 204 No Content\r\nX-A: 1\r\n\r\n'],
    ['a status that nobody knows', `HTTP/1.1 799 What\r\n${length('a')}\r\n\r\na`],
    [
      '103 before it, twice',
      'HTTP/1.1 103 Early Hints\r\nlink: </a.css>; rel=preload\r\nLink: </b.css>\r\n\r\n' +
        `HTTP/1.1 103 Early Hints\r\nLink: </c.css>\r\n\r\nHTTP/1.1 200 OK\r\n${length('a')}\r\n\r\na`,
    ],
    ['102 before it', `HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 200 OK\r\n${length('a')}\r\n\r\na`],
    ['of 100 kB', `HTTP/1.1 200 OK\r\n${length('x'.repeat(100_000))}\r\n\r\n${'x'.repeat(100_000)}`],
  ])('%s', async (_, text) => {
    answer('/same', text);
    const { direct, proxied } = await askBoth(get('/same'));
    expect(direct.isWhole).toBe(true);
    expect(proxied).toEqual(direct);
  });

  test('to HEAD', async () => {
    answer('/head', 'HTTP/1.1 200 OK\r\nContent-Length: 400\r\nX-A: 1\r\n\r\n');
    const { direct, proxied } = await askBoth('HEAD /head HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(proxied).toEqual(direct);
    expect(proxied.headers).toEqual(['Content-Length: 400', 'X-A: 1']);
  });

  test('that ends with its connection', async () => {
    upstream.on('/until-close', ({ socket }) => socket.end('HTTP/1.1 200 OK\r\nX-A: 1\r\n\r\nall of it'));
    const { direct, proxied } = await askBoth(get('/until-close'));
    expect(direct.isWhole).toBe(true);
    expect(proxied).toEqual(direct);
  });

  test('without the headers of the upstream’s own connection', async () => {
    answer(
      '/connection',
      'HTTP/1.1 200 OK\r\nConnection: X-Hop, keep-alive\r\nX-Hop: 1\r\nKeep-Alive: timeout=9\r\nProxy-Connection: a\r\nX-End: 1\r\n' +
        'Content-Length: 0\r\n\r\n',
    );
    const { proxied } = await askBoth(get('/connection'));
    expect(proxied.headers).toEqual(['X-End: 1', 'Content-Length: 0']);
  });
});

/** Spaces around a value are none of it. */
function toLines(head = ''): string[] {
  return head.split('\r\n').map((line) => line.replace(/^([\w-]+): *(.*?) *$/, '$1: $2'));
}

describe('a request is the same through the proxy', () => {
  const added = ['X-Forwarded-For: 127.0.0.1', 'X-Forwarded-Proto: http', 'X-Forwarded-Host: app.example'];

  test.each([
    [
      'order and spelling',
      get('/r', 'uSER-agent: a\r\nX-B: 1\r\nx-a:  2  \r\nCookie: a=1\r\ncookie: b=2\r\nX-B: 3\r\nX-E:\r\n'),
    ],
    ['a query as it was typed', get('/r?a=b&c=%2F%zz|{}"<>\\&_rsc=1x?y=/../')],
    ['a body', 'POST /r HTTP/1.1\r\nHost: app.example\r\ncontent-LENGTH: 4\r\n\r\nbody'],
    ['a body without bytes', 'POST /r HTTP/1.1\r\nHost: app.example\r\nContent-Length: 0\r\n\r\n'],
    ['GET with a body', 'GET /r HTTP/1.1\r\nHost: app.example\r\nContent-Length: 4\r\n\r\nbody'],
    ['another method', 'PROPFIND /r HTTP/1.1\r\nHost: app.example\r\nDepth: 1\r\n\r\n'],
    ['a whole address', 'GET http://app.example/r HTTP/1.1\r\nHost: app.example\r\n\r\n'],
  ])('%s', async (_, request) => {
    for (const path of ['/r', 'http://app.example/r']) answer(path, 'HTTP/1.1 204 No Content\r\n\r\n');
    const { seen } = await askBoth(request);
    expect(seen).toHaveLength(2);
    expect(toLines(seen[1])).toEqual([...toLines(seen[0]), ...added]);
    expect(upstream.requests[1]?.body).toBe(upstream.requests[0]?.body);
  });

  test.each(['//a', '/a//b', '/a/../b', '/%2e%2E/%00%2f', '/\\a', '/a;b=c', '/[slug]', '/%zz', '/.'])(
    'the target %s',
    async (target) => {
      answer(target, 'HTTP/1.1 204 No Content\r\n\r\n');
      const { direct, proxied, seen } = await askBoth(get(target));
      expect(direct.status).toContain('204');
      expect(proxied).toEqual(direct);
      expect(seen[1]?.split('\r\n')[0]).toBe(`GET ${target} HTTP/1.1`);
    },
  );

  test('OPTIONS *', async () => {
    answer('*', 'HTTP/1.1 204 No Content\r\n\r\n');
    expect((await ask(port, 'OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n')).status).toContain('204');
  });

  test('a body in chunks with trailers, and what each connection says of itself', async () => {
    answer('/chunks', 'HTTP/1.1 204 No Content\r\n\r\n');
    await ask(
      port,
      'POST /chunks HTTP/1.1\r\nHost: a\r\nConnection: close, X-Hop, TE\r\nX-Hop: 1\r\nTE: gzip, trailers\r\nKeep-Alive: 5\r\n' +
        'Transfer-encoding: Chunked\r\nTrailer: X-Sum\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\nX-Sum: 5\r\n\r\n',
    );
    const [seen] = upstream.requests;
    expect(seen?.body).toBe('abcde');
    expect(seen?.trailers).toBe('X-Sum: 5\r\n');
    expect(seen?.head.split('\r\n').slice(1, -3)).toEqual([
      'Host: a',
      'Connection: keep-alive',
      'TE: trailers',
      'Transfer-encoding: chunked',
      'Trailer: X-Sum',
    ]);
  });

  test('whatever a client declares as its connection’s own, a message keeps its length, its host and its hops', async () => {
    answer('/declared', 'HTTP/1.1 204 No Content\r\n\r\n');
    await ask(
      port,
      'POST /declared HTTP/1.1\r\nHost: a\r\nConnection: Host, Content-Length\r\nX-Forwarded-For: 10.0.0.1\r\n' +
        'Connection: X-Forwarded-For, x-forwarded-proto, X-Forwarded-Host\r\nX-Forwarded-Proto: https\r\n' +
        'X-Forwarded-Host: b\r\nContent-Length: 4\r\n\r\nbody',
    );
    expect(upstream.requests[0]?.body).toBe('body');
    expect(
      upstream.requests[0]?.head
        .split('\r\n')
        .filter((line) => !ofConnection.test(line))
        .slice(1),
    ).toEqual([
      'Host: a',
      'X-Forwarded-For: 10.0.0.1, 127.0.0.1',
      'X-Forwarded-Proto: https',
      'X-Forwarded-Host: b',
      'Content-Length: 4',
    ]);
  });

  test('X-Forwarded-* gain one hop', async () => {
    answer('/hop', 'HTTP/1.1 204 No Content\r\n\r\n');
    const more =
      'x-forwarded-for: 198.51.100.7\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Host: front.example\r\nX-End: 1\r\n';
    await ask(port, get('/hop', more));
    expect(upstream.requests[0]?.head.split('\r\n').slice(2)).toEqual([
      'x-forwarded-for: 198.51.100.7, 127.0.0.1',
      'X-Forwarded-Proto: https',
      'X-Forwarded-Host: front.example',
      'X-End: 1',
    ]);
  });

  test('with an empty Host has one, as it came', async () => {
    await ask(port, 'GET /r HTTP/1.1\r\nHost:\r\n\r\n');
    const hosts = upstream.requests[0]?.head.match(/^(?:x-forwarded-)?host:.*$/gim);
    expect(hosts).toEqual(['Host: ']);
  });

  test('of HTTP/1.0 gets a Host, and an answer without chunks', async () => {
    answer(
      '/old',
      'HTTP/1.1 200 OK\r\nTrailer: X-T\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nold\r\n0\r\nX-T: 1\r\n\r\n',
    );
    const client = open(port, 'GET /old HTTP/1.0\r\n\r\n');
    expect(await client.closed).toBe('end');
    expect(client.text()).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\nold$/);
    expect(client.text()).not.toMatch(/transfer-encoding/i);
    expect(upstream.requests[0]?.head).toContain(`\r\nHost: 127.0.0.1:${upstream.port}\r\n`);
  });
});

describe('100-continue', () => {
  const head = 'POST /continue HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n';

  test('is the app’s to say: then the body follows', async () => {
    upstream.on('/continue', ({ socket }) => socket.write('HTTP/1.1 100 Continue\r\n\r\n'), 'onHead');
    const client = open(port, head);
    await client.until(/^HTTP\/1\.1 100 Continue\r\n\r\n$/);
    expect(upstream.requests[0]?.head).toContain('Expect: 100-continue');
    upstream.requests[0]?.socket.once('data', (bytes) => {
      upstream.requests[0]?.socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n${String(bytes)}`);
    });
    client.socket.write('body');
    await client.until(/\r\n\r\nbody$/);
    // The connection goes on.
    answer('/next', 'HTTP/1.1 204 No Content\r\n\r\n');
    client.socket.write(get('/next'));
    await client.until(/HTTP\/1\.1 204/);
    client.socket.destroy();
  });

  test('is the app’s to refuse: nothing asks for the body', async () => {
    upstream.on(
      '/continue',
      ({ socket }) => socket.write('HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno'),
      'onHead',
    );
    const client = open(port, head);
    await client.until(/^HTTP\/1\.1 413 Too Large\r\n[^]*no$/);
    expect(await client.closed).toBe('end');
  });

  test('another expectation is the app’s, too', async () => {
    answer('/expect', 'HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n');
    expect((await ask(port, get('/expect', 'Expect: the-worst\r\n'))).status).toContain('417');
    expect(upstream.requests[0]?.head).toContain('Expect: the-worst');
  });
});

describe('times', () => {
  test('the head, and each flush of the app, is there at once', async () => {
    upstream.on('/events', async ({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n');
      await wait(150);
      socket.write('8\r\ndata: 1\n\r\n');
      await wait(150);
      socket.write('8\r\ndata: 2\n\r\n0\r\n\r\n');
    });
    const times: number[][] = [];
    for (const to of [upstream.port, port]) {
      const { pieces, body } = await ask(to, get('/events'));
      expect(body).toBe('data: 1\ndata: 2\n');
      times.push(
        [/HTTP\/1/, /data: 1/, /data: 2/].map((what) => pieces.find(({ text }) => what.test(text))?.at ?? NaN),
      );
    }
    const [direct = [], proxied = []] = times;
    expect(proxied[1]).toBeGreaterThan((proxied[0] ?? NaN) + 100);
    expect(proxied[2]).toBeGreaterThan((proxied[1] ?? NaN) + 100);
    for (const at of [0, 1, 2]) expect(Math.abs((proxied[at] ?? NaN) - (direct[at] ?? NaN))).toBeLessThan(60);
  });

  test('pieces of a request reach the app as they come', async () => {
    const pieces: string[] = [];
    upstream.on('/up', ({ socket }) => socket.on('data', (bytes) => pieces.push(String(bytes))), 'onHead');
    const client = open(port, 'POST /up HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n');
    await expect.poll(() => upstream.requests.length).toBe(1);
    client.socket.write('3\r\none\r\n');
    await expect.poll(() => pieces.join('')).toBe('3\r\none\r\n');
    client.socket.write('3\r\ntwo\r\n');
    await expect.poll(() => pieces.join('')).toBe('3\r\none\r\n3\r\ntwo\r\n');
    client.socket.destroy();
  });
});

describe('a WebSocket', () => {
  const request = get('/ws', 'Connection: keep-alive, Upgrade\r\nUpgrade: WebSocket\r\nSec-WebSocket-Key: abc\r\n');

  test('has its data in both directions, and its end', async () => {
    upstream.on('/ws', ({ socket }) => {
      socket.write(
        'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nsec-Accept: x\r\n\r\nfirst',
      );
      socket.on('data', (bytes) => socket.write(`echo ${String(bytes)}`));
    });
    const client = open(port, request);
    await client.until(/first$/);
    expect(client.text()).toBe(
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nsec-Accept: x\r\n\r\nfirst',
    );
    expect(upstream.requests[0]?.head.split('\r\n').slice(1, 5)).toEqual([
      'Host: app.example',
      'Connection: Upgrade',
      'Upgrade: WebSocket',
      'Sec-WebSocket-Key: abc',
    ]);
    client.socket.write('ping');
    await client.until(/echo ping$/);
    const ended = vi.fn();
    upstream.requests[0]?.socket.on('end', ended);
    client.socket.end();
    await expect.poll(() => ended.mock.calls.length).toBe(1);
    expect(await client.closed).toBe('end');
  });

  test('that the app cuts is cut', async () => {
    upstream.on('/ws', ({ socket }) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n');
      setTimeout(() => socket.destroy(), 50);
    });
    const client = open(port, request);
    await client.closed;
    expect(client.text()).toBe('HTTP/1.1 101 Switching Protocols\r\n\r\n');
  });

  test('that the client cuts is cut for the app', async () => {
    const closed = vi.fn();
    upstream.on('/ws', ({ socket }) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n');
      socket.on('close', closed);
    });
    const client = open(port, request);
    await client.until(/101/);
    client.socket.resetAndDestroy();
    await expect.poll(() => closed.mock.calls.length).toBe(1);
  });

  test('that the client gives up before the app has answered is given up for the app', async () => {
    const closed = vi.fn();
    upstream.on('/ws', ({ socket }) => socket.on('close', closed));
    for (const leave of ['end', 'resetAndDestroy'] as const) {
      upstream.requests.length = 0;
      closed.mockClear();
      const client = open(port, request);
      await expect.poll(() => upstream.requests.length).toBe(1);
      client.socket[leave]();
      await expect.poll(() => closed.mock.calls.length).toBe(1);
    }
  });

  test('whose client sends much before the app has answered, and is gone, is given up for the app', async () => {
    const closed = vi.fn();
    upstream.on('/ws', ({ socket }) => socket.on('close', closed));
    upstream.requests.length = 0;
    const client = open(port, request);
    await expect.poll(() => upstream.requests.length).toBe(1);
    client.socket.write(Buffer.alloc(1024 * 1024));
    setTimeout(() => client.socket.resetAndDestroy(), 100);
    await expect.poll(() => closed.mock.calls.length).toBe(1);
  });

  test('whose client does not wait for the answer loses nothing', async () => {
    upstream.on('/ws', ({ socket }) => {
      let early = '';
      socket.removeAllListeners('data').on('data', (bytes) => (early += String(bytes)));
      setTimeout(() => socket.write(`HTTP/1.1 101 Switching Protocols\r\n\r\n`), 50);
      setTimeout(() => socket.write(early), 150);
    });
    const client = open(port, `${request}one`);
    client.socket.write('two');
    await client.until(/onetwo$/);
    client.socket.destroy();
  });

  test('that the app refuses is refused with the app’s answer', async () => {
    answer('/ws', 'HTTP/1.1 403 Forbidden\r\nX-Why: no\r\nContent-Length: 2\r\n\r\nno');
    const client = open(port, request);
    expect(await client.closed).toBe('end');
    expect(parse(client.text(), 'end')).toMatchObject({
      status: 'HTTP/1.1 403 Forbidden',
      headers: ['X-Why: no', 'Content-Length: 2'],
      body: 'no',
    });
  });

  test('to an app that is not there is 502', async () => {
    const lonely = createProxy({ to: 'http://127.0.0.1:9' });
    const client = open(await lonely.listen(0, '127.0.0.1'), request);
    expect(await client.closed).toBe('end');
    expect(client.text()).toMatch(/^HTTP\/1\.1 502 [^]*upstream-unreachable/);
    await lonely.drain(100);
  });

  test('is the one protocol to change to: another request for a change is an ordinary one', async () => {
    answer('/h2c', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    const asked = get('/h2c', 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n');
    expect((await ask(port, asked)).body).toBe('ok');
    expect(upstream.requests[0]?.head).not.toMatch(/upgrade|http2-settings/i);
  });

  test('a change of protocol that nobody asked for is no answer', async () => {
    answer('/odd', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n');
    expect((await ask(port, get('/odd'))).status).toContain('502');
  });
});

describe('an app that breaks off', () => {
  test.each([
    ['with a length', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf'],
    ['in chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n'],
    ['inside a chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhalf'],
  ])('%s: the client gets what came, sees it broken, and one line says so', async (_, text) => {
    upstream.on('/half', ({ socket }) => socket.write(text, () => setTimeout(() => socket.destroy(), 30)));
    const { direct, proxied } = await askBoth(get('/half'));
    expect(direct.isWhole).toBe(false);
    expect(proxied.isWhole).toBe(false);
    expect(proxied.status).toBe('HTTP/1.1 200 OK');
    expect(proxied.body).toContain('half');
    expect(logLines).toMatchObject([{ event: 'upstream-broke-off', method: 'GET', route: '/half' }]);
  });

  test('with what is no chunk: the client gets what came in the same packet', async () => {
    let goOn = () => {};
    upstream.on('/odd', ({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
      goOn = () => void socket.write('4\r\nhalf\r\nnone\r\n');
    });
    const client = open(port, get('/odd'));
    await client.until(/^HTTP/);
    goOn();
    await client.closed;
    expect(client.text()).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*4\r\nhalf\r\n$/);
  });

  test('that resets is a reset where only the end of the connection ends the body', async () => {
    upstream.on('/cut', ({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\nhalf', () => setTimeout(() => socket.resetAndDestroy(), 30));
    });
    const client = open(port, 'GET /cut HTTP/1.0\r\n\r\n');
    expect(await client.closed).toBe('reset');
  });

  test('before its answer: 502 once, and no second request', async () => {
    upstream.on('/gone', ({ socket }) => socket.destroy());
    const answered = await ask(port, get('/gone'));
    expect(answered.status).toBe('HTTP/1.1 502 Bad Gateway');
    expect(JSON.parse(answered.body)).toMatchObject({ error: { code: 'upstream-broke' } });
    expect(upstream.requests).toHaveLength(1);
    expect(logLines).toMatchObject([{ event: 'request-refused', code: 'upstream-broke', status: 502, route: '/gone' }]);
  });

  test.each([
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na'],
    ['a length and chunks', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['no HTTP', 'hello\r\n\r\n'],
    ['a folded line', 'HTTP/1.1 200 OK\r\nX-A: 1\r\n b\r\nContent-Length: 0\r\n\r\n'],
    ['a head without an end', `HTTP/1.1 200 OK\r\nX-A: ${'a'.repeat(300_000)}`],
  ])('with %s gives no answer: 502, without a word of what it sent', async (_, text) => {
    answer('/malformed', text);
    const answered = await ask(port, get('/malformed'));
    expect(answered.status).toContain('502');
    expect(logLines).toMatchObject([{ code: 'upstream-broke' }]);
  });

  test('with an answer and more: the answer is sent, and what follows is nobody’s', async () => {
    answer('/more', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil');
    answer('/after', 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood');
    expect((await ask(port, get('/more'))).body).toBe('ok');
    expect((await ask(port, get('/after'))).body).toBe('good');
  });

  test('with bytes that nobody asked for, later: they are nobody’s', async () => {
    upstream.on('/late', ({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
      setTimeout(() => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil'), 30);
    });
    answer('/after', 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood');
    expect((await ask(port, get('/late'))).body).toBe('ok');
    await wait(80);
    expect((await ask(port, get('/after'))).body).toBe('good');
  });
});

describe('an app that is not there', () => {
  const page = 'Accept: text/html\r\nSec-Fetch-Mode: navigate\r\n';
  let lonely: Proxy;
  let lonelyPort: number;

  beforeAll(async () => {
    lonely = createProxy({ to: 'http://127.0.0.1:9' });
    lonelyPort = await lonely.listen(0, '127.0.0.1');
  });

  afterAll(() => lonely.drain(100));

  test('is 502 with one line in the log', async () => {
    const answered = await ask(lonelyPort, get('/a?secret=1'));
    expect(answered.status).toBe('HTTP/1.1 502 Bad Gateway');
    expect(JSON.parse(answered.body)).toEqual({
      error: { code: 'upstream-unreachable', message: expect.stringContaining('cannot be reached') },
    });
    expect(logLines).toMatchObject([{ code: 'upstream-unreachable', status: 502, method: 'GET', route: '/a' }]);
    expect(JSON.stringify(logLines)).not.toContain('secret');
    expect(answered.body).not.toContain('127.0.0.1');
  });

  test('is a page for who navigates, and JSON for a script', async () => {
    const shown = await ask(lonelyPort, get('/', page));
    expect(shown.status).toContain('502');
    expect(shown.headers.join('\n')).toContain('content-type: text/html');
    expect(shown.body).toContain('<h1>No answer from the app</h1>');
    const fetched = await ask(lonelyPort, get('/', 'Accept: text/html\r\nSec-Fetch-Mode: cors\r\n'));
    expect(fetched.headers.join('\n')).toContain('content-type: application/json');
  });

  test('answers a body that is still coming, and lets it come', async () => {
    const client = open(lonelyPort, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n');
    await client.until(/upstream-unreachable/);
    client.socket.write('x'.repeat(1_000_000));
    expect(await client.closed).toBe('end');
  });
});

describe('a connection that the app has just closed', () => {
  /** Answers the first request of each connection, and cuts the connection at its second. */
  function serveOnce(path: string): void {
    const served = new Set<Socket>();
    upstream.on(path, ({ socket }) => {
      if (served.has(socket)) return void socket.destroy();
      served.add(socket);
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    });
  }

  test('is tried once more for a GET', async () => {
    serveOnce('/once');
    expect((await ask(port, get('/once'))).body).toBe('ok');
    expect((await ask(port, get('/once'))).body).toBe('ok');
    expect(upstream.requests.map(({ connection }) => connection)).toHaveLength(3);
  });

  test('and then not again', async () => {
    answer('/warm', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    await ask(port, get('/warm'));
    upstream.on('/never', ({ socket }) => socket.destroy());
    upstream.requests.length = 0;
    expect((await ask(port, get('/never'))).status).toContain('502');
    expect(upstream.requests).toHaveLength(2);
  });

  test.each([
    ['POST', 'POST /once HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n'],
    ['DELETE', 'DELETE /once HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['a GET with a body', 'GET /once HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\na'],
  ])('is 502 for %s, which the app may have seen', async (_, request) => {
    serveOnce('/once');
    await ask(port, get('/once'));
    upstream.requests.length = 0;
    expect((await ask(port, request)).status).toContain('502');
    expect(upstream.requests).toHaveLength(1);
  });

  test('and whose end has come is not used', async () => {
    upstream.on('/bye', ({ socket }) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'));
    await ask(port, get('/bye'));
    await wait(30);
    expect((await ask(port, 'POST /bye HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n')).body).toBe('ok');
  });
});

test('a client that leaves: the app is told, before its answer and within', async () => {
  for (const path of ['/silent', '/endless']) {
    const closed = vi.fn();
    upstream.on(path, ({ socket }) => {
      socket.on('close', closed);
      if (path === '/endless') socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n');
    });
    upstream.requests.length = 0;
    const client = open(port, get(path));
    await expect.poll(() => upstream.requests.length).toBe(1);
    if (path === '/endless') await client.until(/a\r\n$/);
    expect(closed).not.toHaveBeenCalled();
    client.socket.destroy();
    await expect.poll(() => closed.mock.calls.length).toBe(1);
  }
  expect(logLines).toEqual([]);
});

test('a client that leaves in the middle of its body: the app is told', async () => {
  const closed = vi.fn();
  upstream.on('/upload', ({ socket }) => socket.on('close', closed), 'onHead');
  const client = open(port, 'POST /upload HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf');
  await expect.poll(() => upstream.requests.length).toBe(1);
  client.socket.destroy();
  await expect.poll(() => closed.mock.calls.length).toBe(1);
});

test('an answer before the end of its request: the rest is nobody’s, and the next request is answered', async () => {
  upstream.on('/early', ({ socket }) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nearly'), 'onHead');
  answer('/next', 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnext');
  const client = open(port, 'POST /early HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\nhalf');
  await client.until(/early$/);
  client.socket.write(`${'x'.repeat(999_996)}${get('/next')}`);
  await client.until(/next$/);
  client.socket.destroy();
  expect(new Set(upstream.requests.map(({ connection }) => connection)).size).toBe(2);
});

test('one connection to the app serves one request after the other', async () => {
  answer('/kept', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
  for (let count = 0; count < 3; count += 1) await ask(port, get('/kept'));
  expect(new Set(upstream.requests.map(({ connection }) => connection)).size).toBe(1);
});

describe('refused, and never sent to the app', () => {
  test.each([
    [
      'a length and chunks',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd'],
    ['a length with a sign', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +3\r\n\r\nabc'],
    ['a space before a colon', 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding : chunked\r\n\r\n'],
    ['another coding', 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n'],
    ['a coding that ends like it', 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n'],
    [
      'two codings',
      'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['chunks in HTTP/1.0', 'POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['a folded line', 'GET / HTTP/1.1\r\nHost: a\r\nX-A: 1\r\n b: 2\r\n\r\n'],
    ['line feeds alone', 'GET / HTTP/1.1\nHost: a\n\n'],
    ['no Host', 'GET / HTTP/1.1\r\n\r\n'],
    ['two Hosts', 'GET / HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n'],
    ['a Host with a path', 'GET / HTTP/1.1\r\nHost: a/b\r\n\r\n'],
    ['a Host with a user', 'GET / HTTP/1.1\r\nHost: a@b\r\n\r\n'],
    ['the address of another host', 'GET http://b/ HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['a target without a slash', 'GET a HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['an asterisk', 'GET * HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['a fragment', 'GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['CONNECT', 'CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n'],
    ['65 proxies before it', get('/', `X-Forwarded-For: ${'10.0.0.1, '.repeat(64)}10.0.0.1\r\n`)],
    ['a WebSocket with two Hosts', get('/', 'host: b\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n')],
  ])('%s', async (_, request) => {
    const client = open(port, request);
    await client.closed;
    expect(client.text()).toMatch(/^HTTP\/1\.1 400 [^]*"code":"malformed-request"/);
    expect(client.text()).not.toMatch(/strict-transport/i);
    expect(logLines).toHaveLength(1);
    expect(upstream.requests).toEqual([]);
  });

  test.each([
    ['65 KiB of headers', get('/', `X-A: ${'a'.repeat(66_000)}\r\n`)],
    ['2,001 headers', get('/', 'a: 1\r\n'.repeat(2_000))],
  ])('%s', async (_, request) => {
    const client = open(port, request);
    await client.closed;
    expect(client.text()).toMatch(/^HTTP\/1\.1 431 /);
    expect(upstream.requests).toEqual([]);
  });

  test('60 KiB of headers are the app’s to refuse', async () => {
    answer('/large', 'HTTP/1.1 204 No Content\r\n\r\n');
    expect((await ask(port, get('/large', `X-A: ${'a'.repeat(60_000)}\r\n`))).status).toContain('204');
  });

  test('a body that cannot be read and comes with its head, when a connection to the app is at hand', async () => {
    answer('/warm', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    await ask(port, get('/warm'));
    const client = open(
      port,
      'POST /broken HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\nzz\r\n',
    );
    await client.closed;
    expect(client.text()).toMatch(/^HTTP\/1\.1 400 /);
    expect(logLines).toHaveLength(1);
  });

  test('a body that cannot be read: the app is cut, the client gets 400', async () => {
    const closed = vi.fn();
    upstream.on('/broken', ({ socket }) => socket.on('close', closed), 'onHead');
    const client = open(port, 'POST /broken HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n');
    await expect.poll(() => upstream.requests.length).toBe(1);
    client.socket.write('zz\r\n');
    await client.closed;
    expect(client.text()).toMatch(/^HTTP\/1\.1 400 /);
    await expect.poll(() => closed.mock.calls.length).toBe(1);
    expect(logLines).toHaveLength(1);
  });
});
