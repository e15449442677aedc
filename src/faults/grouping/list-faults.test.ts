import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import type { Insertable } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { useOperator } from '#src/access/testing/use-operator.ts';
import { openStore, type Store } from '#src/store/open-store.ts';
import type { FaultTable, NewEvent } from '#src/store/schema.ts';

import { listFacets } from './list-facets.ts';
import { type FaultListQuery, type FaultPlace, listFaultIds, listFaults, listFaultsForHome } from './list-faults.ts';
import { insertEvent } from '../kept/insert-event.ts';
import { noteEvent } from './note-row.ts';

/** These tests are about what is read. src/faults/kept/queries-guard.test.ts tests who may read it. */
useOperator();

let folder: string;
let store: Store;
const noon = Date.UTC(2026, 10, 20, 12);
const hour = 3_600_000;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-faults-'));
  process.env['FLIGHT_DATA'] = folder;
  store = await openStore();
});

afterEach(async () => {
  delete process.env['FLIGHT_DATA'];
  await store.close();
  rmSync(folder, { recursive: true });
});

let count = 0;

/** Stores an error as the receivers do. Gives the fault's id. */
async function occur(hash: string, more: Partial<NewEvent> = {}): Promise<string> {
  count += 1;
  const row = {
    id: `e${count}`,
    side: 'server',
    digest: null,
    app: 'shop',
    fingerprint: hash,
    time: noon,
    received_at: noon,
    phase: 'rsc',
    kind: 'document',
    method: 'GET',
    path: '/orders/7',
    route: '/orders/[id]',
    request_id: '',
    trace_id: '',
    release: 'v1',
    name: 'TypeError',
    message: `message of ${hash}`,
    stack: '',
    frames_json: '[]',
    component_stack: null,
    causes_json: '[]',
    ...more,
  } as const;
  let fault = '';
  await store.commit(async (trx) => {
    const grouping = { fingerprint: hash, rule: 'frames', parts: [] } as const;
    const { columns } = await noteEvent(trx, row, { grouping, frames: [] });
    fault = columns.fault ?? '';
    await insertEvent(trx, { ...row, ...columns });
  });
  return fault;
}

async function change(fault: string, values: Partial<Insertable<FaultTable>>): Promise<void> {
  await store.db.updateTable('fault').set(values).where('id', '=', fault).execute();
}

function toQuery(
  filter: Partial<FaultListQuery['filter']> = {},
  more: Partial<Omit<FaultListQuery, 'filter'>> = {},
): FaultListQuery {
  const usual = { text: '', order: 'last', place: undefined, limit: 10, hours: 24 } as const;
  return { ...usual, ...more, filter: { state: 'any', ...filter } };
}

async function list(...query: Parameters<typeof toQuery>): Promise<string[]> {
  return (await listFaults(toQuery(...query), noon)).faults.map(({ message }) => message.replace('message of ', ''));
}

describe('a trace', () => {
  const trace = 'f1d2d2f924e986ac86fdf7b36c94bcdf';

  it('lists the faults that occurred in it, each with its latest error there', async () => {
    await occur('a', { id: 'a1', trace_id: trace, time: noon - 2 });
    await occur('a', { id: 'a2', trace_id: trace, time: noon - 1 });
    await occur('a', { id: 'a3', time: noon });
    await occur('b', { id: 'b1', trace_id: trace });
    await occur('c', { trace_id: 'f'.repeat(32) });
    const found = await listFaults(toQuery({}, { text: `trace ${trace.toUpperCase()}` }), noon);
    expect(found).toMatchObject({ trace, filtered: 2, total: 3 });
    expect(found.faults.map((fault) => fault.found).toSorted()).toEqual(['a2', 'b1']);
    expect(await listFaultIds(toQuery({}, { text: trace }))).toHaveLength(2);
    expect((await listFaults(toQuery({}, { text: 'message' }), noon)).trace).toBeUndefined();
  });

  it('has the fault that another one was merged into', async () => {
    const [a, b] = [await occur('a', { trace_id: trace }), await occur('b')];
    await change(a, { merged_into: b });
    expect(await listFaultIds(toQuery({}, { text: trace }))).toEqual([b]);
  });
});

describe('faults that only browsers report', () => {
  it('are left out and counted where servers’ faults match, and listed where none does', async () => {
    const ids = [await occur('a'), await occur('b'), await occur('c'), await occur('d', { level: 'fatal' })];
    for (const fault of ids.slice(1)) await change(fault, { side: 'browser' });
    const first = { side: 'servers-first' } as const;
    expect(await list(first)).toEqual(['a']);
    expect(await listFaults(toQuery(first), noon)).toMatchObject({ filtered: 1, untrustedLeftOut: 3, total: 4 });
    expect(await listFaultIds(toQuery(first))).toEqual([ids[0]]);
    const fatal = { ...first, level: 'fatal' } as const;
    expect(await list(fatal)).toEqual(['d']);
    expect(await listFaults(toQuery(fatal), noon)).toMatchObject({ filtered: 1, untrustedLeftOut: 0 });
    expect(await list({ side: 'server' })).toEqual(['a']);
    expect((await list({ side: 'browser' })).toSorted()).toEqual(['b', 'c', 'd']);
    expect(await listFaults(toQuery(), noon)).toMatchObject({ filtered: 4, untrustedLeftOut: 0 });
  });
});

describe('the list', () => {
  it('has each fault once, the latest first, with its counts', async () => {
    await occur('a', { received_at: noon - 3 * hour });
    await occur('b', { received_at: noon - 2 * hour });
    await occur('a', { received_at: noon - hour });
    const { faults, filtered, total, next, previous } = await listFaults(toQuery(), noon);
    expect(faults.map(({ message, count: counted }) => [message, counted])).toEqual([
      ['message of a', 2],
      ['message of b', 1],
    ]);
    expect([filtered, total, next, previous]).toEqual([2, 2, undefined, undefined]);
    expect(faults[0]?.recent.counts.slice(-4)).toEqual([1, 0, 1, 0]);
    expect(faults[0]?.recent.counts).toHaveLength(24);
  });

  it('leaves out what was merged', async () => {
    const [a, b] = [await occur('a'), await occur('b')];
    await change(a, { merged_into: b });
    expect(await list()).toEqual(['b']);
    expect(await listFaults(toQuery(), noon)).toMatchObject({ filtered: 1, total: 1 });
  });

  it('says how many match of how many there are of the app', async () => {
    await occur('a', { level: 'fatal' });
    await occur('b');
    await occur('c', { app: 'blog' });
    expect(await listFaults(toQuery({ app: 'shop', level: 'fatal' }), noon)).toMatchObject({ filtered: 1, total: 2 });
  });
});

describe('a filter', () => {
  it.each([
    [{ app: 'blog' }, ['b']],
    [{ level: 'fatal' }, ['c']],
    [{ state: 'open' }, ['d', 'c', 'b']],
    [{ state: 'resolved' }, ['a']],
    [{ state: 'unseen' }, ['c']],
    [{ state: 'muted' }, []],
    [{ since: noon - 2.5 * hour }, ['d', 'c']],
    [{ release: 'v2' }, ['b', 'a']],
    [{ release: 'v' }, []],
    [{ environment: 'staging' }, ['c']],
    [{ phase: 'action' }, ['d']],
    [{ route: 'ORD' }, ['d', 'c', 'a']],
    [{ route: '"/orders/[id]"' }, ['d', 'a']],
    [{ route: '"/orders' }, ['d', 'c', 'a']],
    [{ route: '%' }, []],
    [{ app: 'shop', route: 'orders', release: 'v1', since: noon - 2.5 * hour }, ['d', 'c']],
  ] as const)('%j leaves %j', async (filter, left) => {
    const a = await occur('a', { received_at: noon - 5 * hour });
    await occur('a', { received_at: noon - 4 * hour, release: 'v2' });
    const b = await occur('b', { received_at: noon - 3 * hour, app: 'blog', release: 'v2', route: '/posts' });
    await occur('c', {
      received_at: noon - 2 * hour,
      level: 'fatal',
      environment: 'staging',
      route: '',
      path: '/orders',
    });
    const d = await occur('d', { received_at: noon - hour, phase: 'action' });
    await change(a, { state: 'resolved', unseen: null });
    for (const looked of [b, d]) await change(looked, { unseen: null });
    expect(await list(filter)).toEqual(left);
  });

  it('by a word finds faults by any of their errors, and says which one matches', async () => {
    await occur('a', { message: 'basket is gone' });
    const id = `e${count}`;
    await occur('a', { message: 'message of a' });
    await occur('b');
    const { faults, filtered, total } = await listFaults(toQuery({}, { text: 'bask' }), noon);
    expect(faults.map(({ message, found }) => [message, found])).toEqual([['message of a', id]]);
    expect([filtered, total]).toEqual([1, 2]);
    expect(await list({ level: 'fatal' }, { text: 'bask' })).toEqual([]);
    expect(await list({}, { text: '—' })).toEqual([]);
  });
});

describe('an order', () => {
  beforeEach(async () => {
    const ids = [await occur('a'), await occur('b'), await occur('c'), await occur('d')];
    await change(ids[0] ?? '', { last_time: 3, first_time: 1, count: 5, untrusted: 0, users: 2 });
    await change(ids[1] ?? '', { last_time: 2, first_time: 3, count: 1, untrusted: 8, users: 0 });
    await change(ids[2] ?? '', { last_time: 1, first_time: 2, count: 7, untrusted: 0, users: 4 });
    // Reported by browsers alone: these are then what counts.
    await change(ids[3] ?? '', { last_time: 0, first_time: 0, count: 0, untrusted: 4, users: 1 });
  });

  it.each([
    ['last', ['a', 'b', 'c', 'd']],
    ['first', ['b', 'c', 'a', 'd']],
    ['count', ['c', 'a', 'd', 'b']],
    ['users', ['c', 'a', 'd', 'b']],
  ] as const)('by %s has the largest first', async (order, sorted) => {
    expect(await list({}, { order })).toEqual(sorted);
    expect(await listFaultIds({ ...toQuery({}, { order }), limit: 2 })).toHaveLength(2);
  });
});

describe('pages', () => {
  it.each(['last', 'users'] as const)('by %s go on where the one before ended, and back again', async (order) => {
    for (let at = 0; at < 7; at += 1) {
      // Two of each time, so that a page ends among equals. Of users there are none at all.
      await occur(`f${at}`, { received_at: noon + Math.floor(at / 2) });
    }
    async function read(place: FaultPlace | undefined) {
      return listFaults(toQuery({}, { order, place, limit: 3 }), noon);
    }
    const first = await read(undefined);
    const second = await read(first.next);
    const third = await read(second.next);
    const pages = [first, second, third].map(({ faults }) => faults.map(({ id }) => id));
    expect(pages.map((page) => page.length)).toEqual([3, 3, 1]);
    expect(pages.flat()).toEqual((await listFaults(toQuery({}, { order }), noon)).faults.map(({ id }) => id));
    expect([first.previous, third.next]).toEqual([undefined, undefined]);
    const back = await read(third.previous);
    expect(back.faults.map(({ id }) => id)).toEqual(pages[1]);
    expect(back.next).toEqual(second.next);
    const start = await read(back.previous);
    expect(start.faults.map(({ id }) => id)).toEqual(pages[0]);
    expect(start.previous).toBeUndefined();
    expect(start.next).toEqual(first.next);
  });
});

describe('the front page', () => {
  it('has what is unseen first, then what is open, twelve in all', async () => {
    const ids: string[] = [];
    for (let at = 0; at < 14; at += 1) ids.push(await occur(`f${at}`, { received_at: noon + at }));
    for (const id of ids.slice(3)) await change(id, { unseen: null });
    await change(ids[13] ?? '', { state: 'muted' });
    const { faults, ...counts } = await listFaultsForHome('shop', noon);
    expect(faults.map(({ message }) => message.replace('message of ', ''))).toEqual(
      'f2 f1 f0 f12 f11 f10 f9 f8 f7 f6 f5 f4'.split(' '),
    );
    expect(counts).toEqual({ open: 13, unseen: 3, untrusted: 0, total: 14 });
    expect(await listFaultsForHome('blog', noon)).toEqual({ faults: [], open: 0, unseen: 0, untrusted: 0, total: 0 });
  });
});

describe('the fields of the filter', () => {
  it('suggest what occurred, of the app that is shown', async () => {
    await occur('a', { release: 'v1', environment: 'production', received_at: noon });
    await occur('b', { release: 'v2', environment: 'staging', received_at: noon + 1 });
    await occur('c', { app: 'blog', release: 'b1', route: '/posts' });
    expect(await listFacets('shop')).toEqual({
      release: ['v2', 'v1'],
      environment: ['production', 'staging'],
      route: ['/orders/[id]'],
    });
    expect((await listFacets(undefined)).route).toEqual(['/orders/[id]', '/posts']);
  });
});
