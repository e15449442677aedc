import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http, { type ServerResponse } from 'node:http';
import os from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { expectFlight as expectPage } from './playwright/index.ts';
import { readBase } from './read-base.ts';
import { readSource } from './read-source.ts';
import { expectFlight } from './vitest/index.ts';

/** Limits from a base, as `compare` reads its sides: an address, saved responses, a recorder's list. */
let folder: string;
const servers: http.Server[] = [];

beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'flight-recorder-base-'));
  vi.spyOn(process, 'cwd').mockReturnValue(folder);
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  for (const server of servers.splice(0)) server.close();
  rmSync(folder, { recursive: true });
});

function rows(items: number, { build = '4f9a0c1d', modules = 1 } = {}): string {
  const list = Array.from({ length: items }, (_, id) => ({ id, name: `product ${id}` }));
  const imports = Array.from(
    { length: modules },
    (_, index) => `${index + 1}:I["src/part-${index}.tsx",["assets/part-${build}.js"],"Part${index}"]\n`,
  );
  return `${imports.join('')}0:["$","main",null,{"children":["$","$L1",null,{"products":${JSON.stringify(list)}}]}]\n`;
}

function toPage(payload: string): string {
  return `<!doctype html><script>(self.__FLIGHT_DATA||=[]).push(${JSON.stringify(payload)})</script>`;
}

async function serve(answer: (url: URL, response: ServerResponse) => void): Promise<string> {
  const server = http.createServer((request, response) =>
    answer(new URL(request.url ?? '/', 'http://app.test'), response),
  );
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('it has no port');
  return `http://127.0.0.1:${address.port}`;
}

/** An app of pages; of what it has not it answers 404. */
function runApp(pages: Readonly<Record<string, string>>): Promise<string> {
  return serve((url, response) => {
    const payload = pages[url.pathname + url.search];
    if (payload === undefined) return void response.writeHead(404).end('none');
    if (payload.startsWith('/')) return void response.writeHead(307, { location: payload }).end();
    response.writeHead(200, { 'content-type': 'text/html' }).end(toPage(payload));
  });
}

async function check(source: unknown, budget: object): Promise<string> {
  return await expectFlight(source)
    .toStayWithin(budget)
    .then(
      () => 'within',
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
}

describe('an app that runs as it was', () => {
  test('its page gives the limit, and the message says what grew since', async () => {
    const base = await runApp({ '/products?page=2': rows(20) });
    const head = await runApp({ '/products?page=2': rows(24) });
    const [before, after] = [rows(20).length, rows(24).length];
    const address = `${head}/products?page=2`;
    expect(await check(address, { base, bytes: `+${after - before}` })).toBe('within');
    expect(await check(address, { base, bytes: '+25%', gzip: '+50%' })).toBe('within');
    const message = await check(address, { base, bytes: '+5%' });
    const most = Math.floor(before * 1.05);
    expect(message).toMatch(/^GET \/products is over its budget\n/);
    expect(message).toContain(`: ${after - most} bytes over\n`);
    expect(message).toMatch(/\n {2}payload \d+ B, limit \d+ B \(\d+ B of the base and 5 %\): /);
    expect(message).toMatch(/\n {2}Since the base:\n {4}<Part0> \+\d+ B: products grew by 4 items\n/);
  });

  test('what nobody changed is no growth', async () => {
    const base = await runApp({ '/': rows(9) });
    const head = await runApp({ '/': rows(9, { build: '0123456789abcdef' }) });
    expect(await check(head, { base, bytes: '+0', gzip: '+0%' })).toBe('within');
    // It is a limit all the same.
    expect(await check(head, { base, bytes: '+0', gzip: 10 })).toContain('gzip, limit 10 B: ');
  });

  test('client modules are counted', async () => {
    const base = await runApp({ '/': rows(9) });
    const head = await runApp({ '/': rows(9, { modules: 3 }) });
    expect(await check(head, { base, clientModules: '+2' })).toBe('within');
    const message = await check(head, { base, clientModules: '+1' });
    expect(message).toContain('\n  3 client modules, limit 2 (1 of the base and 1): 1 over\n');
    expect(message).toContain('\n    new client module: Part1\n');
  });

  test('a page that it has not is not compared, and not within', async () => {
    const base = await runApp({ '/': rows(9), '/account': '/login', '/login': rows(1) });
    const head = await runApp({ '/new': rows(9), '/account': rows(9) });
    expect(await check(`${head}/new`, { base, bytes: '+5%' })).toBe(
      `GET /new is not compared with ${base}: ${base}/new answers 404`,
    );
    expect(await check(`${head}/account`, { base, bytes: '+5%' })).toBe(
      `GET /account is not compared with ${base}: ${base}/account leads to /login`,
    );
    expect(await check(`${head}/new`, { base, route: '/', bytes: '+5%' })).toBe('within');
    const [app] = servers.splice(0, 1);
    app?.close();
    app?.closeAllConnections();
    expect(await check(`${head}/new`, { base, bytes: '+5%' })).toContain(`${base}/new cannot be fetched: `);
  });

  test('what is no document of an address is not compared with one', async () => {
    const base = await runApp({ '/': rows(9) });
    expect(await check(rows(9), { base, bytes: '+5%' })).toBe(
      `the payload is not compared with ${base}: what was loaded has no address; name the route of the base, such as route: "/products"`,
    );
    expect(await check(rows(9), { base, route: '/', bytes: '+5%' })).toBe(
      `the payload is not compared with ${base}: of an address the document is compared, and what was loaded is none`,
    );
  });
});

describe('saved responses', () => {
  test('a folder has the route by its file’s name', async () => {
    mkdirSync(path.join(folder, 'main/shop'), { recursive: true });
    writeFileSync(path.join(folder, 'main/shop/list.rsc'), rows(20));
    writeFileSync(path.join(folder, 'main/home.html'), toPage(rows(1)));
    const base = path.join(folder, 'main');
    expect(await check(rows(21), { base, route: 'shop/list.rsc', bytes: '+10%' })).toBe('within');
    expect(await check(rows(30), { base, route: 'shop/list.rsc', bytes: '+10%' })).toContain(
      'products grew by 10 items',
    );
    const head = await runApp({ '/shop': rows(20) });
    expect(await check(`${head}/shop`, { base, bytes: '+10%' })).toBe(
      `GET /shop is not compared with ${base}: it has no /shop; name its route, of home.html, shop/list.rsc`,
    );
    expect(await check(rows(1), { base: path.join(folder, 'none'), route: 'a', bytes: '+10%' })).toMatch(
      /^the payload is not compared with \S+none: \S+none cannot be read: ENOENT/,
    );
  });

  test('a HAR has it by its address', async () => {
    const entry = {
      startedDateTime: '2026-11-20T10:00:00Z',
      time: 1,
      request: { method: 'GET', url: 'https://shop.example/list', headers: [] },
      response: { status: 200, headers: [], content: { text: toPage(rows(20)), size: 1 } },
      timings: { wait: 1, receive: 1 },
    };
    const base = path.join(folder, 'main.har');
    writeFileSync(base, JSON.stringify({ log: { entries: [entry] } }));
    const head = await runApp({ '/list': rows(30), '/other': rows(1) });
    expect(await check(`${head}/list`, { base, bytes: '+100%' })).toBe('within');
    expect(await check(`${head}/list`, { base, bytes: '+10%' })).toContain('products grew by 10 items');
    expect(await check(`${head}/other`, { base, bytes: '+10%' })).toContain('name its route, of GET /list');
  });

  test('a payload that cannot be measured is no base', async () => {
    writeFileSync(path.join(folder, 'cut.rsc'), rows(20).slice(0, -20));
    expect(await check(rows(20), { base: folder, route: 'cut.rsc', bytes: '+10%' })).toContain('is not compared with');
  });
});

test('a recorder’s list has what was asked for', async () => {
  vi.stubEnv('FLIGHT_RECORDER_TOKEN', 'flr_token');
  const recorder = await serve((url, response) => {
    if (url.pathname.endsWith('/payload')) return void response.end(rows(20));
    const flight = { path: '/shop', status: 200, content: 'flight', outcome: 'complete', isCut: false };
    const startedAt = new Date().toISOString();
    response.end(JSON.stringify({ flights: [{ ...flight, startedAt, self: '/api/v1/flights/1' }], next: null }));
  });
  const base = `${recorder}/api/v1/flights?app=shop`;
  const head = await runApp({ '/shop': rows(30), '/new': rows(1) });
  expect(await check(`${head}/shop`, { base, bytes: '+100%' })).toBe('within');
  expect(await check(`${head}/shop`, { base, bytes: '+10%' })).toContain('products grew by 10 items');
  expect(await check(`${head}/new`, { base, bytes: '+10%' })).toBe(
    `GET /new is not compared with ${base}: nobody asked it for /new`,
  );
});

test('a page of Playwright has its address, unless a form sent for it', async () => {
  const base = await runApp({ '/shop?page=2': rows(20) });
  const frame = {};
  const load = (method: string) => {
    const request = {
      url: () => 'http://head.test/shop?page=2',
      method: () => method,
      isNavigationRequest: () => true,
      redirectedTo: () => null,
      frame: () => frame,
      response: async () => ({ status: () => 200, body: async () => new TextEncoder().encode(toPage(rows(30))) }),
    };
    const none = () => undefined;
    const methods = { evaluate: none, waitForLoadState: none, context: none, on: none, off: none };
    return { ...methods, url: request.url, mainFrame: () => frame, requests: async () => [request] };
  };
  const within = (method: string) => expectPage(load(method)).toStayWithin({ base, bytes: '+5%' });
  await expect(within('GET')).rejects.toThrow('products grew by 10 items');
  await expect(within('POST')).rejects.toThrow('what was loaded has no address');
});

test('several payloads together have no base', async () => {
  const head = await runApp({ '/': rows(1) });
  const [one] = (await readSource(head)).flights;
  if (!one) throw new Error('it has no payload');
  const loaded = { name: 'what / loaded', address: `${head}/`, flights: [one, one] };
  await expect(readBase(loaded, { base: head, route: undefined })).rejects.toThrow(
    `what / loaded is not compared with ${head}: a base has one payload of each route, and 2 were loaded`,
  );
});
