import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, it } from 'vitest';

import type { FlightHead } from '../flight/flight-head.ts';
import { leaksKept, otherRoutes } from '../flight/leak.ts';
import { createSampleHead } from '../recorder/testing/sample-head.ts';
import type { FlightEntry } from './flight-values.ts';
import { createLeakCounts } from './count-leaks.ts';
import { openFlightsForReading } from './open-flights.ts';
import { createFlightWriter, type SqliteWriterOptions } from './sqlite-writer.ts';

/** Put together here, so that whoever looks for keys in repositories finds none. */
const key = ['sk_live', '9aKq3LmZ7xTb2VwRc8YpJd4N'].join('_');
const session = 'kf93-jd02-xm';
const nothing = new Uint8Array();

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-leaks-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

function openWriter(options: Partial<SqliteWriterOptions> = {}) {
  const known = [{ name: 'SESSION_SECRET', value: session }];
  return createFlightWriter({ folder, bytesLimit: 1e8, ageMs: 1_000, onDamage() {}, knownSecrets: known, ...options });
}

function send(props: unknown, head: Partial<FlightHead> = {}): FlightEntry {
  const payload = new TextEncoder().encode(`0:["$","main",null,${JSON.stringify(props)}]\n`);
  return {
    head: createSampleHead({ app: 'shop', route: '/pay', startedAt: 1_000, ...head }),
    payload,
    debug: nothing,
    args: nothing,
  };
}

function readLeaks() {
  const database = openFlightsForReading(folder);
  const rows = database?.prepare('select * from leak order by app, route, path').all() ?? [];
  database?.close();
  return rows;
}

it('counts the responses of a place, and keeps since when, and the last', () => {
  const writer = openWriter();
  writer.write([
    send({ a: { key } }, { requestId: 'first' }),
    send({ a: { key } }, { requestId: 'second', startedAt: 1_800 }),
  ]);
  writer.write([
    send({ a: { key }, more: 1 }, { requestId: 'third', startedAt: 1_900 }),
    send({ a: { key } }, { route: '/' }),
  ]);
  writer.write([send({ list: [{ key }, { key }] }, { app: 'blog' }), send({ fine: true })]);
  expect(readLeaks()).toMatchObject([
    { app: 'blog', path: 'list[].key', count: 1 },
    { app: 'shop', route: '/', count: 1 },
    {
      app: 'shop',
      route: '/pay',
      rule: 'stripe',
      name: 'a secret key of Stripe',
      component: 'main',
      path: 'a.key',
      count: 3,
      first_at: 1_000,
      last_at: 1_900,
      request_id: 'third',
    },
  ]);
  writer.deleteTooOld(2_500);
  expect(readLeaks()).toMatchObject([{ last_at: 1_900 }]);
  writer.deleteSlice('shop', 100);
  expect(readLeaks()).toEqual([]);
  writer.write([send({ a: { key } })]);
  writer.deleteAll();
  expect(readLeaks()).toEqual([]);
  writer.close();
});

it('finds what the environment has, and writes no part of it', () => {
  const writer = openWriter();
  writer.write([send({ config: session }, { content: 'none' })]);
  expect(readLeaks()).toEqual([]);
  writer.write([send({ config: session })]);
  expect(readLeaks()).toMatchObject([{ rule: 'environment', name: 'the value of SESSION_SECRET', path: 'config' }]);
  writer.deleteSlice('shop', 100);
  writer.emptyLog();
  for (const name of readdirSync(folder)) {
    expect(readFileSync(path.join(folder, name)).includes(session), name).toBe(false);
  }
  writer.close();
});

it('looks into prerendered pages', () => {
  const writer = openWriter();
  const flight = `0:["$","main",null,{"key":"${key}"}]\n`;
  const html = `<!doctype html><script>(self.__FLIGHT_DATA||=[]).push(${JSON.stringify(flight)})</script>`;
  const entry = send({}, { content: 'html', etag: '"a"', hits: 3 });
  writer.write([
    { ...entry, payload: new TextEncoder().encode(html) },
    { ...entry, payload: nothing },
  ]);
  expect(readLeaks()).toMatchObject([{ component: 'main', path: 'key', count: 6 }]);
  writer.close();
});

it('of a page that leaks everywhere a bounded number is kept', () => {
  const writer = openWriter();
  const routes = Array.from({ length: leaksKept + 20 }, (_, index) => send({ key }, { route: `/${index}` }));
  writer.write(routes);
  writer.write([send({ key }, { route: '/0' })]);
  const rows = readLeaks();
  expect(rows).toHaveLength(leaksKept + 1);
  expect(rows.find(({ route }) => route === otherRoutes)).toMatchObject({ count: 20, path: '' });
  expect(rows.find(({ route }) => route === '/0')).toMatchObject({ count: 2 });
  writer.close();
});

it('looks for nothing in what another recorder will look at', () => {
  const writer = openWriter({ knownSecrets: undefined });
  writer.write([send({ key })]);
  expect(readLeaks()).toEqual([]);
  writer.close();
});

it('takes one hundredth of the time, and looks at each route once whatever it takes', () => {
  let time = 0;
  // Each look takes a millisecond: the clock is read before and after it.
  const leaks = createLeakCounts([], () => (time += 0.5));
  const look = (route: string, index: number) => {
    const { head, payload } = send({ key, index }, { route, requestId: `${route} ${index}` });
    leaks.look(head, payload, `${route} ${index}`);
  };
  for (let index = 0; index < 5_000; index += 1) look('/busy', index);
  look('/new', 0);
  const [busy, first] = leaks.take();
  expect(busy?.count).toBeGreaterThan(200);
  expect(busy?.count).toBeLessThan(700);
  expect(first).toMatchObject({ route: '/new', count: 1 });
  time += 60_000;
  for (let index = 0; index < 50; index += 1) look('/busy', 10_000 + index);
  expect(leaks.take()).toMatchObject([{ route: '/busy', count: 50 }]);
});

it('counts answers that caches mix up beside secrets, of responses without any content too', () => {
  const writer = openWriter();
  const caching = JSON.stringify({ headers: { 'cache-control': 's-maxage=9' }, setsCookie: true, askedBy: [] });
  const head = { caching, kind: 'navigation' } as const;
  const empty = send({}, { ...head, content: 'none', requestId: 'empty' });
  writer.write([send({ a: { key } }, head), { ...empty, payload: nothing }]);
  writer.close();
  const [cookie, secret] = readLeaks();
  expect(cookie).toMatchObject({ rule: 'cache-cookie', component: '', path: '', count: 2, request_id: 'empty' });
  expect(secret).toMatchObject({ name: 'a secret key of Stripe', count: 1 });
});

it('calls a component by its file, where the files of its build are known', () => {
  const writer = openWriter();
  writer.keepModules('shop', 'b1', [['74673', 'src/card.tsx']]);
  for (const build of ['b1', 'b2']) {
    const text = `1:I[74673,["a.js"],"default"]\n0:["$","$L1",null,${JSON.stringify({ user: { key }, build })}]\n`;
    const entry = send({}, { build, route: `/${build}` });
    writer.write([{ ...entry, payload: new TextEncoder().encode(text) }]);
  }
  writer.close();
  expect(readLeaks().map(({ route, component }) => [route, component])).toEqual([
    ['/b1', 'card.tsx'],
    ['/b2', 'default 74673'],
  ]);
});
