import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { once } from 'node:events';
import os from 'node:os';
import path from 'node:path';

import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { oneFilePlaces, openFlights } from '#flight';

import { readCompareArguments, writeCompareUsage } from './compare-arguments.ts';
import { runCompareCommand } from './run-compare-command.ts';
import { markdownMark } from './write-comparison.ts';

const folder = mkdtempSync(path.join(os.tmpdir(), 'compare-'));
afterAll(() => rmSync(folder, { recursive: true }));

let out = '';
let err = '';
beforeEach(() => {
  out = '';
  err = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => ((out += String(text)), true));
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => ((err += String(text)), true));
});
afterEach(() => {
  vi.restoreAllMocks();
  // Each run of the command listens for a reader that leaves.
  process.stdout.removeAllListeners('error');
});

const template = `<!doctype html>${oneFilePlaces.title}${oneFilePlaces.saved}`;

function run(...words: readonly string[]): Promise<number> {
  return runCompareCommand(words, 'flight-recorder compare', async () => template);
}

function payload(items: number, title = 'Shop'): string {
  const list = Array.from({ length: items }, (_, id) => ({ id, name: `product ${id}` }));
  return `1:I["4515",["/_next/static/chunks/app-4f9a0c1d2b.js"],"ProductList"]\n0:["$","main",null,{"children":[["$","h1",null,{"children":"${title}"}],["$","$L1",null,{"products":${JSON.stringify(list)}}]]}]\n`;
}

/** A folder of saved responses. */
function save(name: string, files: Readonly<Record<string, string>>): string {
  const target = path.join(folder, name);
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(target, file)), { recursive: true });
    writeFileSync(path.join(target, file), text);
  }
  return target;
}

const base = save('base', { 'home.rsc': payload(3), 'shop/list.rsc': payload(20), 'old.rsc': payload(1) });
const head = save('head', {
  'home.rsc': payload(3),
  'shop/list.rsc': payload(90),
  'new.rsc': payload(2),
  'notes.txt': 'no',
});

describe('two folders of saved responses', () => {
  test('in a terminal', async () => {
    expect(await run(base, head)).toBe(0);
    expect(out).toContain('4 routes: 1 changed, 1 new, 1 gone, 1 the same\n');
    expect(out).toMatch(/\nshop\/list\.rsc\n {2}Flight [\d.]+ (?:k?B) → [\d.]+ kB \(\+[\d.]+ kB\) · transferred –\n/);
    expect(out).toContain('  · <ProductList> +2');
    expect(out).toContain('products grew by 70 items');
    expect(out).toMatch(/Not compared\n {2}\S*notes\.txt: it does not look like Flight/);
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  test('with itself is no change', async () => {
    expect(await run('--max-growth', '0%', base, base)).toBe(0);
    expect(out).toContain('3 routes: 3 the same\n');
  });

  test('as JSON', async () => {
    expect(await run('--json', base, head)).toBe(0);
    const json: unknown = JSON.parse(out);
    expect(json).toMatchObject({
      base,
      head,
      routes: [
        { path: 'home.rsc', verdict: 'same', changes: [] },
        { path: 'old.rsc', verdict: 'removed', head: null },
        {
          path: 'shop/list.rsc',
          verdict: 'changed',
          base: { flight: payload(20).length, transferred: null, rows: 2, clientModules: 1 },
          head: { flight: payload(90).length },
          modules: { added: [], removed: [] },
          secrets: [],
        },
        { path: 'new.rsc', verdict: 'added', base: null },
      ],
      exceeded: [],
    });
  });

  test('as Markdown: one table, the rest folded, in bounds however much changed', async () => {
    expect(await run('--markdown', base, head)).toBe(0);
    expect(out.startsWith(`${markdownMark}\n### Payloads: 4 routes: 1 changed`)).toBe(true);
    expect(out.match(/^\| ---/gm)).toHaveLength(1);
    expect(out).toContain('<details><summary>shop/list.rsc</summary>');
    expect(out).not.toContain('home.rsc');
    const name = (index: number) => `${'`|<b>'.repeat(30)}${index}.rsc`.replaceAll('/', '');
    const many = (count: number) =>
      Object.fromEntries(
        Array.from({ length: 120 }, (_, index) => [
          name(index),
          payload(count + index, `${'*x*'.repeat(400)}${count}`),
        ]),
      );
    const [one, other] = [save('many', many(1)), save('more', many(9))];
    out = '';
    expect(await run('--markdown', one, other)).toBe(0);
    expect(out.length).toBeLessThanOrEqual(60_001);
    expect(out).not.toMatch(/(?<!\\)<b>/);
    expect(out).toContain('90 more routes changed less.');
  });

  test('as one file, each route a comparison', async () => {
    const target = path.join(folder, 'compared.html');
    expect(await run('--html', target, base, head)).toBe(0);
    const opened = await openFlights(readFileSync(target));
    expect(opened.kind === 'flights' && opened.flights).toHaveLength(6);
  });

  test('as a check', async () => {
    expect(await run('--max-growth', '10%', base, head)).toBe(1);
    expect(err).toMatch(/^compare: shop\/list\.rsc: it grew by [\d.]+ kB, and \d+ B are allowed\n$/);
    err = '';
    const budget = path.join(folder, 'budget.json');
    writeFileSync(budget, '{ "maxBytes": "1kB" }');
    expect(await run('--budget', budget, base, head)).toBe(1);
    expect(err).toMatch(/shop\/list\.rsc: it has [\d,]+ bytes, [\d,]+ over the limit of 1,000/);
    expect(await run('--budget', path.join(folder, 'none.json'), base, head)).toBe(2);
  });
});

test('two files are compared whatever their names, and a HAR request by request', async () => {
  const entry = (address: string, text: string) => ({
    startedDateTime: '2026-11-20T10:00:00Z',
    time: 1,
    request: { method: 'GET', url: address, headers: [] },
    response: { status: 200, headers: [], content: { text, size: text.length } },
    timings: { wait: 1, receive: 1 },
  });
  const har = (origin: string, items: number) =>
    JSON.stringify({
      log: {
        entries: [entry(`${origin}/a?_rsc=${items}x1`, payload(2)), entry(`${origin}/b?page=2&_rsc=1`, payload(items))],
      },
    });
  const files = save('hars', {
    'one.har': har('http://localhost:3000', 4),
    'two.har': har('https://shop.example', 60),
  });
  expect(await run('--json', path.join(files, 'one.har'), path.join(files, 'two.har'))).toBe(0);
  expect(JSON.parse(out)).toMatchObject({
    routes: [
      { path: 'GET /a', verdict: 'same' },
      { path: 'GET /b?page=2', verdict: 'changed' },
    ],
  });
});

async function serve(answer: (path: string) => string | undefined) {
  const server = http.createServer((request, response) => {
    const text = answer(request.url ?? '/');
    response.writeHead(text === undefined ? 404 : 200, { 'content-type': 'text/html' }).end(text ?? 'none');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('it has no port');
  return { origin: `http://127.0.0.1:${address.port}`, close: () => server.close() };
}

test('two addresses: routes are found by links, each is asked for twice, and one that is not there is said', async () => {
  let answers = 0;
  /** A page as Vite's plugin serves it, with its payload at another address. */
  const app = (title: string, more: string) => (address: string) => {
    const rows = (text: string) =>
      `0:["$","main",null,{"children":[["$","h1",null,{"children":"${text}"}],"${answers++}"]}]\n`;
    if (address === '/_.rsc' || address === '/about_.rsc') return rows(title);
    if (address !== '/' && address !== '/about') return undefined;
    return `<!doctype html><a href="/about">about</a>${more}<script>(self.__FLIGHT_DATA||=[]).push(${JSON.stringify(rows(title))})</script>`;
  };
  const one = await serve(app('Shop', ''));
  const other = await serve(app('Store', '<a href="/gone">gone</a>'));
  try {
    expect(await run('--json', one.origin, other.origin)).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      routes: [
        { path: '/', verdict: 'changed', changes: ['content of <h1> changed'] },
        { path: '/about', verdict: 'changed' },
      ],
    });
    expect(out).toContain(`${one.origin}/gone answers 404`);
    out = '';
    expect(await run('--routes', '/about', one.origin, one.origin)).toBe(0);
    expect(out).toContain('1 route: 1 the same');
  } finally {
    one.close();
    other.close();
  }
  expect(await run(one.origin, one.origin)).toBe(2);
  expect(err).toMatch(/^compare: http:\S+ cannot be read: /);
  err = '';
  expect(await run(base, path.join(folder, 'none'))).toBe(2);
  expect(err).toMatch(/^compare: \S+none cannot be read: /);
});

describe('arguments', () => {
  test.each<[string[], string]>([
    [['a'], 'two addresses, folders or files are needed'],
    [['a', 'b', 'c'], 'more than two are named'],
    [['a', 'http://b'], 'an address is compared with an address, saved responses with such'],
    [['--routes', 'cart', 'http://a', 'http://b'], '--routes needs paths that begin with a slash: /,/cart'],
    [['--routes', '//x', 'http://a', 'http://b'], '--routes needs paths that begin with a slash: /,/cart'],
    [['--routes', '/', 'a', 'b'], '--routes and --header are for addresses'],
    [['-H', 'x', 'http://a', 'http://b'], '--header needs a name, a colon and a value: "Cookie: a=b"'],
    [['--json', '--markdown', 'a', 'b'], '--json and --markdown are two forms: choose one'],
    [['--max-growth', 'much', 'a', 'b'], '--max-growth needs a share or a size: 5% or 10kB'],
    [['--colour', 'a', 'b'], "Unknown option '--colour'"],
  ])('%j: %s', (words, reason) => {
    expect(readCompareArguments(words)).toEqual({ kind: 'wrong', reason });
  });

  test('a growth is a share or a size', () => {
    const growth = (text: string) => readCompareArguments(['--max-growth', text, 'a', 'b']);
    expect(growth('5%')).toMatchObject({ maxGrowth: { unit: 'percent', value: 5 } });
    expect(growth('1.5kB')).toMatchObject({ maxGrowth: { unit: 'bytes', value: 1500 } });
  });

  test('the usage fits 80 columns', () => {
    const lines = writeCompareUsage('flight-recorder compare').split('\n');
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  });
});
