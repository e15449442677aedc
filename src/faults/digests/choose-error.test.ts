import { describe, expect, it } from 'vitest';

import { useOperator } from '#src/access/testing/use-operator.ts';
import { openStore } from '#src/store/open-store.ts';

import { type Asked, readAskedPath, readAskedTime } from './asked-time.ts';
import { storeError, useStore } from '../grouping/testing/use-store.ts';
import { findErrorDetails } from './find-error-details.ts';

useOperator();
useStore();

const noon = Date.UTC(2026, 10, 23, 12);
const digest = '2338734591';

function ask(at: string | undefined, path?: string): Asked {
  return {
    at: at === undefined ? undefined : readAskedTime(at),
    path: path === undefined ? undefined : readAskedPath(path),
  };
}

async function find(asked: Asked) {
  const details = await findErrorDetails(digest, 'shop', asked);
  return { id: details?.server?.id, choice: details?.choice };
}

async function store(...errors: readonly (readonly [id: string, time: number, path: string])[]): Promise<void> {
  for (const [id, time, path] of errors) await storeError({ id, digest, time, received_at: time, path });
}

describe('what somebody says of the time and the page', () => {
  it.each([
    ['2026-11-23T12:00', noon, 60_000],
    ['2026-11-23 12:00', noon, 60_000],
    ['2026-11-23 12:00:07 UTC', noon + 7_000, 1_000],
    ['2026-11-23T12:00:07.5Z', noon + 7_500, 1],
    ['2026-11-23T13:00:07+01:00', noon + 7_000, 1_000],
  ])('%s', (text, time, stepMs) => {
    expect(readAskedTime(text)).toEqual({ time, stepMs });
  });

  it.each(['', '12:00', 'noon', '2026-13-40T12:00', '2026-11-23T12:00x', '9'.repeat(40)])('%s is no time', (text) => {
    expect(readAskedTime(text)).toBeUndefined();
  });

  it.each([
    ['/cart/7', '/cart/7'],
    ['cart/7/', '/cart/7'],
    ['https://shop.example/cart/7?color=red#top', '/cart/7'],
    ['https://shop.example', '/'],
    ['/', '/'],
    [' ', undefined],
  ])('%s is the page %s', (text, path) => {
    expect(readAskedPath(text)).toBe(path);
  });
});

describe('of several errors with one digest', () => {
  it('the one of that time is meant, of the same time the one of that page', async () => {
    await store(['a', noon + 1_000, '/cart'], ['b', noon + 20_000, '/orders?id=7'], ['c', noon + 300_000, '/cart']);
    expect(await find(ask(undefined))).toEqual({ id: 'c', choice: undefined });
    expect(await find(ask('2026-11-23T12:05'))).toMatchObject({ id: 'c', choice: { type: 'only', count: 1 } });
    expect(await find(ask('2026-11-23T12:00', '/orders'))).toMatchObject({ id: 'b', choice: { type: 'only' } });
    expect(await find(ask('2026-11-23T12:00:20'))).toMatchObject({ id: 'b', choice: { type: 'only' } });
    expect(await find(ask(undefined, '/orders'))).toMatchObject({ id: 'b', choice: { type: 'only' } });
    const two = await find(ask('2026-11-23T12:00'));
    expect(two).toMatchObject({
      id: 'a',
      choice: { type: 'one-of', count: 2, candidates: [{ id: 'a' }, { id: 'b' }] },
    });
    // A clock that was rounded.
    expect(await find(ask('2026-11-23T12:01', '/orders'))).toMatchObject({ id: 'b', choice: { type: 'nearest' } });
    expect(await find(ask('2026-11-23T12:00', '/nowhere'))).toMatchObject({
      id: 'a',
      choice: { type: 'one-of', isPathFound: false },
    });
    expect(await find(ask('2026-11-23T18:00'))).toMatchObject({ id: 'c', choice: { type: 'nearest', count: 0 } });
  });

  it('that those of that time say no page is not that none was on it', async () => {
    await store(['a', noon, ''], ['b', noon + 300_000, '/cart']);
    const ofOutput = { isPathFound: false, isPathKnown: false };
    expect(await find(ask('2026-11-23T11:45', '/orders'))).toMatchObject({ choice: { isPathFound: false } });
    const { db } = await openStore();
    await db.deleteFrom('event').where('id', '=', 'b').execute();
    await store(['c', noon + 1_000, '']);
    expect(await find(ask('2026-11-23T12:00', '/orders'))).toMatchObject({ choice: ofOutput });
  });

  it('one whose neighbours were deleted is a guess', async () => {
    await store(['a', noon, '/cart'], ['b', noon + 5_000, '/cart'], ['c', noon + 300_000, '/cart']);
    const { db } = await openStore();
    await db.deleteFrom('event').where('side', '=', 'server').where('id', '=', 'b').execute();
    expect(await find(ask('2026-11-23T12:00'))).toMatchObject({
      id: 'a',
      choice: { type: 'one-of', count: 1, isPastNear: true },
    });
    expect(await find(ask('2026-11-23T12:05'))).toMatchObject({ id: 'c', choice: { type: 'only', isPastNear: false } });
  });

  it('there is nothing to choose where the digest names one', async () => {
    await storeError({ id: 'one', digest: '3F7K2M9QRT', time: noon });
    const details = await findErrorDetails('3F7K2M9QRT', 'shop', ask('2026-11-23T18:00'));
    expect([details?.server?.id, details?.choice]).toEqual(['one', undefined]);
  });
});

/** The same for each run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

describe('a thousand errors of one digest, within ten minutes', () => {
  const count = 1_000;

  /** @returns the share of which the right one is the answer, and that of which it is among those that are named */
  async function measure(pages: number, toAsked: (time: number, path: string) => Asked) {
    const random = createRandom(7);
    const rows = Array.from({ length: count }, (_, index) => {
      const [time, page] = [noon + Math.floor(random() * 600_000), Math.floor(random() * pages)];
      return { id: `e${index}`, time, path: `/orders/${page}` };
    });
    const { fault, hash } = await storeError({ id: 'first', digest, time: 1, path: '/' });
    const { db } = await openStore();
    const request = { method: 'GET', request_id: '', trace_id: '', phase: 'rsc', kind: 'document' } as const;
    const texts = { name: 'Error', message: '', stack: '', frames_json: '[]', causes_json: '[]', release: '' };
    const shared = { ...request, ...texts, side: 'server' as const, app: 'shop', digest, fault, fingerprint: hash };
    for (let at = 0; at < count; at += 100) {
      const some = rows.slice(at, at + 100);
      await db
        .insertInto('event')
        .values(some.map((row, index) => ({ ...shared, ...row, received_at: row.time, ordinal: at + index + 2 })))
        .execute();
    }
    let [right, named, guessed] = [0, 0, 0];
    for (const { id, time, path } of rows.filter((_, index) => index % 5 === 0)) {
      const { id: answer, choice } = await find(toAsked(time, path));
      if (answer === id) right += 1;
      if (choice?.candidates.some((one) => one.id === id)) named += 1;
      // What is wrong is never shown as sure.
      if (answer !== id && choice?.type === 'only') guessed += 1;
    }
    return { right: right / 200, named: named / 200, guessed };
  }

  const toMinute = (time: number) => new Date(time).toISOString().slice(0, 16);
  const toSecond = (time: number) => new Date(time).toISOString().slice(0, 19);

  it('by the second and the page, the right one is the answer', async () => {
    const { right, named, guessed } = await measure(100, (time, path) => ask(toSecond(time), path));
    expect(right).toBeGreaterThanOrEqual(0.95);
    expect([named, guessed]).toEqual([1, 0]);
  });

  it('by the minute and the page of a visitor’s own order, too', async () => {
    const { right, named, guessed } = await measure(4_000, (time, path) => ask(toMinute(time), path));
    expect(right).toBeGreaterThanOrEqual(0.95);
    expect([named, guessed]).toEqual([1, 0]);
  });

  it('by the minute and one of five pages it is among those that are named', async () => {
    const { right, named, guessed } = await measure(5, (time, path) => ask(toMinute(time), path));
    expect(right).toBeLessThan(0.2);
    expect([named, guessed]).toEqual([1, 0]);
  });
});
