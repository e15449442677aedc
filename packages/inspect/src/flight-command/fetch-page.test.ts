import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';

import { afterEach, describe, expect, test } from 'vitest';

import { decodeFlight, maxFlightBytes } from '#flight';

import { fetchPage, type FetchedPage } from './fetch-page.ts';

const fixtures = path.join(import.meta.dirname, '../../../flight/fixtures');
const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

/** A server that answers as a test says; its origin. */
async function serve(handle: Handle): Promise<string> {
  const server = createServer(handle);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return `http://127.0.0.1:${address.port}`;
}

function readFixture(name: string): Buffer {
  return readFileSync(path.join(fixtures, name));
}

const htmlType = { 'content-type': 'text/html' };

/** Each flight's title without the origin, and its length. */
function list({ flights }: FetchedPage, origin: string): string[] {
  return flights.map(({ title, bytes }) => `${title.replaceAll(origin, '')}: ${bytes.length}`);
}

/** What the router of Next 16.4 sends from another page, and the hash that belongs to it. */
const stateTree =
  '%5B%22%22%2C%7B%22children%22%3A%5B%22another-page%22%2C%7B%22children%22%3A%5B%22__PAGE__%22%2C%7B%7D%5D%7D%5D%7D%5D';
const nextHash = '-H47f8gIaBOVjv1M';

describe('the payload is asked for as the framework’s own client does', () => {
  test.each<[string, string, string, string, string, Record<string, string>]>([
    [
      'next-16.4.6-cache-components/blog-html.bin',
      'next-16.4.6-cache-components/about.rsc',
      '/blog/a?x=1&_rsc=old',
      `/blog/a?x=1&_rsc=${nextHash}`,
      'next, route /blog/[slug]',
      { rsc: '1', 'next-router-state-tree': stateTree },
    ],
    [
      'waku-1.0.0-rc.1-production/home-html.flight',
      'waku-1.0.0-rc.1-production/home-rsc.flight',
      '/',
      '/RSC/R/_root.txt?query=',
      'waku',
      {},
    ],
    [
      'waku-1.0.0-rc.1-production/boom-html.flight',
      'waku-1.0.0-rc.1-production/boom-rsc.flight',
      '/boom/?a=b&c',
      '/RSC/R/boom.txt?query=a%3Db%26c',
      'waku',
      {},
    ],
    [
      'waku-1.0.0-rc.1-production/boom-html.flight',
      'waku-1.0.0-rc.1-production/boom-rsc.flight',
      '/_boom',
      '/RSC/R/__boom.txt?query=',
      'waku',
      {},
    ],
    [
      'react-router-8-production/home-html.bin',
      'react-router-8-production/home.rsc',
      '/',
      '/_.rsc',
      'react-router, route /',
      {},
    ],
    [
      'react-router-8-production/boom-html.bin',
      'react-router-8-production/boom.rsc',
      '/boom?a=1',
      '/boom.rsc?a=1',
      'react-router, route /boom',
      {},
    ],
    [
      'plugin-rsc-0.5.38-production/home-html.bin',
      'plugin-rsc-0.5.38-production/home.rsc',
      '/',
      '/_.rsc',
      'vite-rsc',
      {},
    ],
    [
      'parcel-2.16.4-production/home-html.bin',
      'parcel-2.16.4-production/home.rsc',
      '/a',
      '/a',
      'parcel',
      { accept: 'text/x-component' },
    ],
    [
      'redwood-sdk-1.7.3-production/home-html.bin',
      'redwood-sdk-1.7.3-production/home.rsc',
      '/a?b=1',
      '/a?b=1&__rsc=',
      'redwood',
      {},
    ],
  ])('%s', async (page, payload, address, asked, facts, headers) => {
    const requests: IncomingMessage[] = [];
    const origin = await serve((request, response) => {
      requests.push(request);
      if (requests.length === 1) response.writeHead(200, htmlType).end(readFixture(page));
      else response.end(readFixture(payload));
    });
    const fetched = await fetchPage(`${origin}${address}#hash`, [['Cookie', 'a=b']]);
    expect(fetched.problems).toEqual([]);
    expect(requests.map(({ url }) => url)).toEqual([address, asked]);
    expect(requests[0]?.headers).toMatchObject({ accept: expect.stringContaining('text/html'), cookie: 'a=b' });
    expect(requests[1]?.headers).toMatchObject({ ...headers, cookie: 'a=b' });
    expect(fetched.shown).toEqual([0, 1]);
    expect(fetched.flights.map(({ title }) => title.replaceAll(origin, ''))).toEqual([
      `document GET ${address}#hash 200, ${facts}`,
      `payload GET ${asked} 200`,
    ]);
    expect(fetched.flights[1]?.bytes).toEqual(new Uint8Array(readFixture(payload)));
    for (const { bytes, chunks } of fetched.flights) {
      expect(decodeFlight(bytes).state.kind).toBe('complete');
      expect(chunks.reduce((sum, chunk) => sum + chunk.bytes, 0)).toBe(bytes.length);
    }
  });

  test('TanStack Start’s client asks for no page: each server component of the document is there', async () => {
    let requests = 0;
    const origin = await serve((_, response) => {
      requests += 1;
      response.writeHead(200, htmlType).end(readFixture('tanstack-start-1.169-production/rsc-suspense.bin'));
    });
    const fetched = await fetchPage(`${origin}/a`, []);
    expect(fetched).toMatchObject({ problems: [], shown: [0] });
    expect(list(fetched, origin)).toEqual([
      'document GET /a 200, tanstack-start, stream 19: 2070',
      'document GET /a 200, tanstack-start, stream 24: 6414',
    ]);
    expect(requests).toBe(1);
  });

  test('Next’s redirect to the hash it wants is followed', async () => {
    const blog = readFixture('next-16.4.6-cache-components/blog-html.bin');
    const origin = await serve(({ url = '', headers }, response) => {
      if (headers.rsc === undefined) response.writeHead(200, htmlType).end(blog);
      else if (url.endsWith('_rsc=other')) response.end('#0:"a"\n');
      else response.writeHead(307, { location: '/blog/a?_rsc=other' }).end();
    });
    const fetched = await fetchPage(`${origin}/blog/a`, []);
    expect(fetched.problems).toEqual([]);
    expect(list(fetched, origin)[1]).toBe('payload GET /blog/a?_rsc=other 200: 7');
  });
});

describe('when its bytes came', () => {
  const push = (text: string) => `<script>(self.__FLIGHT_DATA||=[]).push(${JSON.stringify(text)})</script>`;

  test('each row of a document has the time of the chunk that brought it', async () => {
    const origin = await serve((_, response) => {
      void (async () => {
        response.writeHead(200, htmlType).write(`<!doctype html><p>é</p>${push('1:"a"\n')}`);
        // The first chunk has to be on its way: what is written in one turn is sent together.
        for (let turn = 0; turn < 100; turn++) await nextTurn();
        const until = performance.now() + 60;
        while (performance.now() < until) await nextTurn();
        response.end(`${push('0:{"ROUTE":["/",""],')}${push('"IS_STATIC":true}\n')}`);
      })();
    });
    const { flights } = await fetchPage(`${origin}/`, []);
    const chunks = flights[0]?.chunks ?? [];
    expect(chunks.map(({ bytes }) => bytes)).toEqual([6, 20, 18]);
    expect((chunks[1]?.ms ?? 0) - (chunks[0]?.ms ?? 0)).toBeGreaterThan(30);
    expect(chunks[2]?.ms).toBe(chunks[1]?.ms);
  });
});

describe('what fails is a line', () => {
  const page = '<!doctype html><script>(self.__FLIGHT_DATA||=[]).push("0:{\\"_value\\":1}\\n")</script>';
  /** A page of Waku, and a payload as the test says. */
  const withPayload = (handle: Handle) =>
    serve((request, response) => {
      if (request.url?.startsWith('/RSC/')) handle(request, response);
      else response.writeHead(200, htmlType).end(page);
    });

  test.each<[string, Handle, string]>([
    [
      'an error page',
      (_, response) => response.writeHead(500, htmlType).end('<p>Failed'),
      '500 text/html: it is no Flight',
    ],
    ['a connection that breaks', (_, response) => response.destroy(), ' cannot be fetched: socket hang up'],
    ['nothing', (_, response) => response.end(), '200: it is no Flight'],
    [
      'a circle',
      ({ url }, response) => response.writeHead(302, { location: url ?? '' }).end(),
      ' cannot be fetched: it redirects more than 5 times',
    ],
    [
      'another scheme',
      (_, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
      ' cannot be fetched: it redirects to file:, and only http and https are followed',
    ],
    [
      'no address',
      (_, response) => response.writeHead(302, { location: 'http://[' }).end(),
      ' cannot be fetched: it redirects to what is no address',
    ],
  ])('the payload is %s: the document is there all the same', async (_, handle, problem) => {
    const origin = await withPayload(handle);
    const fetched = await fetchPage(`${origin}/`, []);
    expect(fetched.shown).toEqual([0]);
    expect(fetched.problems.map((line) => line.replace(origin, ''))).toEqual([
      expect.stringMatching(/^payload GET \/RSC\/R\/_root\.txt\?query=/),
    ]);
    expect(fetched.problems[0]).toContain(problem);
  });

  test('more than 64 MiB after decompression', { timeout: 30_000 }, async () => {
    const origin = await withPayload((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(maxFlightBytes + 1, '1')));
    });
    expect((await fetchPage(`${origin}/`, [])).problems[0]).toContain('cannot be fetched: it is larger than 64 MiB');
  });

  test('a server that is not there', async () => {
    const origin = await serve(() => {});
    servers[0]?.close();
    const fetched = await fetchPage(`${origin}/`, []);
    expect(fetched).toMatchObject({ flights: [], problems: [expect.stringContaining('ECONNREFUSED')] });
  });

  test('a page of which nothing shows a framework', async () => {
    const origin = await serve((_, response) => response.writeHead(200, htmlType).end('<!doctype html><p>Hello'));
    expect((await fetchPage(`${origin}/`, [])).problems).toEqual([
      `document GET ${origin}/ 200: the page carries no Flight`,
      `${origin}/: its framework does not show, so its payload was not fetched`,
    ]);
  });

  test('what is no page and no Flight', async () => {
    const origin = await serve((_, response) => response.writeHead(200, { 'content-type': 'text/css' }).end('a{}'));
    expect((await fetchPage(`${origin}/a.css`, [])).problems).toEqual([
      `GET ${origin}/a.css 200 text/css: it is no Flight`,
    ]);
  });
});

test('the address of a payload is one flight', async () => {
  const origin = await serve((_, response) => response.end('0:"a"\n'));
  const fetched = await fetchPage(`${origin}/a.rsc`, []);
  expect(fetched).toMatchObject({ shown: [0], problems: [], flights: [{ chunks: [{ bytes: 6 }] }] });
  expect(list(fetched, origin)).toEqual(['GET /a.rsc 200: 6']);
});

test.each([
  ['as it is', (text: string) => Buffer.from(text), {}],
  ['with gzip', (text: string) => gzipSync(text), { 'content-encoding': 'gzip' }],
  ['with deflate', (text: string) => deflateSync(text), { 'content-encoding': 'deflate' }],
  ['with Brotli', (text: string) => brotliCompressSync(text), { 'content-encoding': 'br' }],
])('the sizes of an answer that was sent %s', async (_, compress, headers) => {
  const bytes = compress('0:"aaaaaaaaaaaaaaaaaaa"\n');
  const origin = await serve((_request, response) => {
    response.writeHead(200, headers);
    // In two parts: else Node would add the length.
    response.write(bytes.subarray(0, 5));
    response.end(bytes.subarray(5));
  });
  const [flight] = (await fetchPage(`${origin}/a.rsc`, [])).flights;
  const codec = 'content-encoding' in headers ? headers['content-encoding'] : 'identity';
  expect(flight?.sizes).toEqual({ response: 24, transferred: bytes.length, codec });
});

test('a compression that nobody asked for', async () => {
  const origin = await serve((_, response) => response.writeHead(200, { 'content-encoding': 'lzma' }).end('x'));
  expect((await fetchPage(`${origin}/`, [])).problems).toEqual([
    expect.stringContaining('compressed with lzma, which was not asked for'),
  ]);
});

test.each([
  [5, 1],
  [6, 0],
])('of %d redirects', async (redirects, flights) => {
  let asked = 0;
  const origin = await serve((_, response) => {
    asked += 1;
    if (asked > redirects) response.end('0:"a"\n');
    else response.writeHead(303, { location: `/${asked}` }).end();
  });
  expect((await fetchPage(`${origin}/`, [])).flights).toHaveLength(flights);
  expect(asked).toBe(6);
});

test('own headers do not follow a redirect to another origin', async () => {
  const seen: (string | undefined)[] = [];
  const other = await serve(({ headers }, response) => {
    seen.push(headers.cookie);
    response.end('0:"a"\n');
  });
  const origin = await serve(({ headers, url }, response) => {
    seen.push(headers.cookie);
    response.writeHead(302, { location: url === '/' ? '/again' : `${other}/a` }).end();
  });
  const fetched = await fetchPage(`${origin}/`, [['Cookie', 'secret=1']]);
  expect(fetched.problems).toEqual([]);
  expect(seen).toEqual(['secret=1', 'secret=1', undefined]);
});
