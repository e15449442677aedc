import { createServer, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';

import { Hono } from 'hono';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { LoadLevel } from '#src/server/http/load-level.ts';
import type { RequestKind } from '#src/server/http/request-context.ts';
import { createShedding, type Place, type Shedding } from '#src/server/http/shedding.ts';
import { requestContext } from '#src/runtime/middleware/request-context.ts';
import { isSdkPath } from '#src/faults/middleware/sdk-reports.ts';
import { shed } from './shed.ts';

const received = [
  { at: (path: string) => path === '/tunnel', shedAs: 'report' },
  { at: isSdkPath, shedAs: 'sdk' },
  { at: (path: string) => path === '/api/shop/errors', shedAs: 'keyed' },
] as const;

const requests = {
  report: ['/tunnel', { method: 'POST' }],
  sdk: ['/api/2/envelope/', { method: 'POST' }],
  keyed: ['/api/shop/errors', { method: 'POST' }],
  sdkBelow: ['/assets/api/2/envelope/', { method: 'POST' }],
  prefetch: ['/RSC/R/lab.txt', { headers: { 'x-flight-prefetch': '1' } }],
  put: ['/lab', { method: 'PUT' }],
  document: ['/lab', {}],
  navigation: ['/RSC/R/lab.txt', {}],
  action: ['/lab', { method: 'POST', headers: { 'x-flight-action': 'a/b' } }],
  login: ['/login', { method: 'POST' }],
  health: ['/healthz', {}],
  readiness: ['/readyz', {}],
  asset: ['/assets/index.js', {}],
} as const satisfies Record<string, readonly [string, RequestInit]>;

type Name = keyof typeof requests;

const order = [
  'report',
  'keyed',
  'sdk',
  'sdkBelow',
  'prefetch',
  'put',
  'document',
  'navigation',
  'action',
  'login',
] as const;

let level: LoadLevel;
let held: PromiseWithResolvers<void> | undefined;
let app: Hono;
let logLines: Record<string, unknown>[];

function send(name: Name): Promise<Response> {
  const [path, init] = requests[name];
  return Promise.resolve(app.request(path, init));
}

beforeEach(() => {
  level = 'calm';
  held = undefined;
  logLines = [];
  const keep = (text: unknown) => logLines.push(JSON.parse(String(text))) > 0;
  vi.spyOn(process.stderr, 'write').mockImplementation(keep);
  vi.spyOn(process.stdout, 'write').mockImplementation(keep);
  app = new Hono().use(requestContext(), shed(createShedding({ received, level: () => level })));
  app.all('*', async (c) => {
    await held?.promise;
    return c.text('done');
  });
});

afterEach(() => vi.restoreAllMocks());

describe('by load', () => {
  it.each([
    ['calm', []],
    ['no-reports', ['report']],
    ['no-others', ['report', 'keyed', 'sdk', 'sdkBelow', 'prefetch', 'put']],
    [
      'no-pages',
      ['report', 'keyed', 'sdk', 'sdkBelow', 'prefetch', 'put', 'document', 'navigation', 'action', 'login'],
    ],
  ] as const)('%s turns away %j', async (current, expected) => {
    level = current;
    const turnedAway: string[] = [];
    for (const name of order) {
      const response = await send(name);
      if (response.status === 503) turnedAway.push(name);
      if (response.status === 503) expect(response.headers.get('retry-after')).toBe('5');
    }
    expect(turnedAway).toEqual(expected);
    for (const name of ['health', 'readiness', 'asset'] as const) expect((await send(name)).status).toBe(200);
    expect(logLines).toEqual([]);
  });

  it('tells a person in words and a program in its own shape', async () => {
    level = 'no-pages';
    expect(await (await send('document')).text()).toBe('The server has too much to do. Nothing was changed.\n');
    expect(await (await send('action')).json()).toMatchObject({ error: { code: 'overloaded' } });
  });
});

describe('at once', () => {
  it.each([
    ['report', 96],
    ['keyed', 64],
    ['action', 16],
    ['sdkBelow', 320],
    ['prefetch', 64],
    ['document', 256],
  ] as const)('%s: %i, and says so once', async (name, limit) => {
    held = Promise.withResolvers();
    const answers = Array.from({ length: limit }, () => send(name));
    for (let count = 0; count < 3; count += 1) {
      const refused = await send(name);
      expect(refused.status).toBe(503);
      expect(refused.headers.get('retry-after')).toBe('1');
    }
    expect(logLines).toMatchObject([{ event: 'too-many-at-once', limit }]);
    // Another class has room of its own.
    const other = send(name === 'document' ? 'action' : 'document');
    held.resolve();
    expect((await other).status).toBe(200);
    for (const answer of await Promise.all(answers)) expect(answer.status).toBe(200);
    expect((await send(name)).status).toBe(200);
    expect(logLines.slice(1)).toMatchObject([{ event: 'room-again', turnedAway: 3 }]);
  });

  it('a request that fails makes room, too', async () => {
    app = new Hono().use(shed(createShedding({ received, level: () => level })));
    app.post('/tunnel', () => {
      throw new Error('no');
    });
    app.onError((_, c) => c.text('failed', 500));
    for (let count = 0; count < 120; count += 1) expect((await send('report')).status).toBe(500);
  });
});

it('says what would be let in, and takes no place and counts nobody for it', () => {
  const shedding = createShedding({ received: [], level: () => level });
  function admits(path: string, kind: RequestKind = 'document'): boolean {
    return shedding.admits(kind, 'GET', path, '');
  }
  for (let count = 0; count < 255; count += 1) shedding.enter('document', 'GET', '/', '');
  expect([admits('/lab'), admits('/lab'), admits('/assets/a.js')]).toEqual([true, true, true]);
  shedding.enter('document', 'GET', '/', '');
  expect([admits('/lab'), admits('/assets/a.js'), admits('/favicon.svg')]).toEqual([false, true, true]);
  expect(admits('/RSC/R/lab.txt', 'prefetch')).toBe(true);
  level = 'no-others';
  expect(admits('/RSC/R/lab.txt', 'prefetch')).toBe(false);
  expect(logLines).toEqual([]);
});

it('a login takes no place while its form is read, and has places of its own', async () => {
  const shedding = createShedding({ received: [], level: () => level });
  app = new Hono().use(requestContext(), shed(shedding));
  held = Promise.withResolvers();
  app.all('*', async (c) => {
    await held?.promise;
    return c.text('done');
  });
  const logins = Array.from({ length: 40 }, () => send('login'));
  const actions = Array.from({ length: 16 }, () => send('action'));
  expect((await send('action')).status).toBe(503);
  expect(Array.from({ length: 17 }, () => shedding.enterLogin('')).map((leave) => leave !== undefined)).toEqual([
    ...Array<boolean>(16).fill(true),
    false,
  ]);
  held.resolve();
  for (const answer of await Promise.all([...logins, ...actions])) expect(answer.status).toBe(200);
});

describe('a place among the pages', () => {
  const mebibyte = 2 ** 20;
  let clients: Socket[];

  beforeEach(() => void (clients = []));
  afterEach(() => {
    for (const client of clients) client.destroy();
  });

  /** Answers of `bytes` to clients that read nothing; each holds its place until `finish` or until it is whole. */
  async function serve(bytes: number, count: number): Promise<{ outgoing: ServerResponse[]; end: () => void }> {
    const outgoing: ServerResponse[] = [];
    const server = createServer((_, response) => void outgoing.push(response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address: AddressInfo | string | null = server.address();
    if (typeof address !== 'object' || !address) throw new Error('no port');
    for (let index = 0; index < count; index += 1) {
      const client = connect(address.port, '127.0.0.1').pause();
      client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
      clients.push(client);
    }
    await expect.poll(() => outgoing.length).toBe(count);
    for (const response of outgoing) response.write(Buffer.alloc(bytes));
    return {
      outgoing,
      end() {
        server.closeAllConnections();
        server.close();
      },
    };
  }

  function takePlace(shedding: Shedding): Place | undefined {
    const entry = shedding.enter('document', 'GET', '/', '');
    return typeof entry === 'string' ? undefined : entry;
  }

  function countFree(shedding: Shedding): number {
    const places: Place[] = [];
    for (let place = takePlace(shedding); place; place = takePlace(shedding)) places.push(place);
    for (const { leave } of places) leave();
    return places.length;
  }

  it('is given back when the page is whole, read or not, up to 16 MiB that nobody reads', async () => {
    const shedding = createShedding({ received: [], level: () => level });
    for (let count = 0; count < 253; count += 1) takePlace(shedding);
    // What is gone is not counted: the second round is like the first.
    for (const round of ['first', 'second']) {
      // Some MiB of each are the system's.
      const { outgoing, end } = await serve(12 * mebibyte, 3);
      for (const response of outgoing) {
        takePlace(shedding)?.leaveWithAnswer(response);
        expect(response.writableLength).toBeGreaterThan(5.5 * mebibyte);
      }
      expect([round, countFree(shedding)]).toEqual([round, 0]);
      for (const response of outgoing) response.end();
      expect([1, 2]).toContain(countFree(shedding));
      const closed = outgoing.map((response) => new Promise((resolve) => response.on('close', resolve)));
      end();
      await Promise.all(closed);
      expect([round, countFree(shedding)]).toEqual([round, 3]);
    }
  });

  it('is kept by a page that is not whole', async () => {
    const shedding = createShedding({ received: [], level: () => level });
    const { outgoing, end } = await serve(10, 1);
    const [response] = outgoing;
    if (response) takePlace(shedding)?.leaveWithAnswer(response);
    expect(countFree(shedding)).toBe(255);
    response?.end();
    expect(countFree(shedding)).toBe(256);
    end();
  });
});
