import { expect, it } from 'vitest';

import { type Budget, createBudget } from '../flight/budget.ts';
import type { Exchange } from './exchange.ts';
import { lookAtRequest } from './look-at-request.ts';
import { openTap } from './open-tap.ts';
import { createOpenTaps, type OpenTaps } from './open-taps.ts';

const mebibyte = 1024 * 1024;

type Opened = {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly limit?: number;
  readonly budget?: Budget;
  readonly taps?: OpenTaps;
};

function open({
  method = 'GET',
  headers = {},
  limit = 32 * mebibyte,
  budget = createBudget(limit),
  taps,
}: Opened = {}) {
  const ended: Exchange[] = [];
  const begun: Exchange['facts'][] = [];
  let lost = 0;
  const request = { method, target: '/page', headers: [], startedAt: 1, peer: '' };
  const tap = openTap(request, lookAtRequest({ ...request, headers }), headers, {
    app: 'shop',
    policy: { mode: 'all' },
    release: '',
    taps: taps ?? createOpenTaps(budget),
    begun: performance.now(),
    // Later its bytes are the tap's again.
    onBegin: ({ facts }) => begun.push(facts),
    onEnd: ({ body, args, ...exchange }) => ended.push({ ...exchange, body: body.slice(), args: args.slice() }),
    onLost: () => (lost += 1),
  });
  return { tap, budget, begun, ended, readLost: () => lost };
}

const html = ['Content-Type', 'text/html'];

it('copies what it sees: the chunk belongs to whoever sends it', () => {
  const { tap, ended, budget } = open();
  const chunk = Buffer.from('first');
  expect(tap?.response(200, html)).toBe(true);
  tap?.body(chunk);
  chunk.fill('x');
  tap?.body(Buffer.from(' second'));
  tap?.end('complete');
  expect(Buffer.from(ended[0]?.body ?? []).toString()).toBe('first second');
  expect(ended[0]?.times.filter((_, index) => index % 2 === 1)).toEqual([5, 7]);
  expect(ended[0]?.facts).toMatchObject({ status: 200, sentBytes: 12, outcome: 'complete' });
  expect(budget.used()).toBe(0);
});

it('has the same bytes, however often its memory grew', () => {
  const { tap, ended } = open();
  tap?.response(200, html);
  const sent = Array.from({ length: 40 }, (_, index) => Buffer.alloc(3_000, index));
  for (const chunk of sent) tap?.body(chunk);
  tap?.end('complete');
  expect(Buffer.concat(sent).equals(ended[0]?.body ?? Buffer.alloc(0))).toBe(true);
});

it('gives its memory back, however it ends', () => {
  const action = { method: 'POST', headers: { 'next-action': 'a' } };
  for (const outcome of ['complete', 'broken', 'left'] as const) {
    const { tap, budget, ended } = open(action);
    tap?.requestBody?.(Buffer.alloc(50_000));
    tap?.response(200, html);
    tap?.body(Buffer.alloc(50_000));
    expect(budget.used()).toBeGreaterThan(100_000);
    tap?.end(outcome);
    expect([budget.used(), ended.length]).toEqual([0, 1]);
  }
  const { tap, budget, ended } = open(action);
  tap?.requestBody?.(Buffer.alloc(50_000));
  expect(tap?.response(200, ['content-type', 'image/png'])).toBe(false);
  expect(budget.used()).toBe(0);
  tap?.requestBody?.(Buffer.alloc(50_000));
  tap?.body(Buffer.alloc(50_000));
  tap?.end('complete');
  expect([budget.used(), ended.length]).toEqual([0, 0]);
});

it('gives its memory back when what it hands over to fails', () => {
  const budget = createBudget();
  const request = { method: 'GET', target: '/', headers: [], startedAt: 1, peer: '' };
  const onEnd = () => {
    throw new Error('no batch');
  };
  const tap = openTap(
    request,
    lookAtRequest({ ...request, headers: {} }),
    {},
    {
      app: 'shop',
      policy: { mode: 'all' },
      release: '',
      taps: createOpenTaps(budget),
      begun: performance.now(),
      onBegin: () => {},
      onEnd,
      onLost: () => {},
    },
  );
  tap?.response(200, html);
  tap?.body(Buffer.alloc(50_000));
  expect(() => tap?.end('complete')).toThrow('no batch');
  expect(budget.used()).toBe(0);
});

it('keeps the beginning of what is long, and counts all of it', () => {
  const { tap, ended, budget } = open();
  tap?.response(200, html);
  for (let count = 0; count < 50; count += 1) tap?.body(Buffer.alloc(100_001, 65));
  expect(budget.used()).toBeLessThan(2.1 * mebibyte);
  tap?.end('complete');
  expect([ended[0]?.body.length, ended[0]?.facts.sentBytes]).toEqual([2 * mebibyte, 5_000_050]);
  expect(ended[0]?.times.filter((_, index) => index % 2 === 1).reduce((sum, bytes) => sum + bytes)).toBe(2 * mebibyte);
});

it('a stream of small chunks costs what its bytes cost', () => {
  const { tap, ended, budget } = open();
  tap?.response(200, html);
  for (let count = 0; count < 100_000; count += 1) tap?.body(Buffer.of(65));
  expect(budget.used()).toBeLessThan(300_000);
  tap?.end('complete');
  expect(ended[0]?.times).toHaveLength(2 * 4_096);
  expect(ended[0]?.body.length).toBe(100_000);
});

it('without memory it is lost, and counted once', () => {
  const { tap, budget, ended, readLost } = open({ limit: 60_000 });
  tap?.response(200, html);
  for (let count = 0; count < 20; count += 1) tap?.body(Buffer.alloc(10_000));
  tap?.end('complete');
  expect([ended.length, readLost(), budget.used()]).toEqual([0, 1, 0]);
  expect(open({ limit: 10 }).tap).toBeUndefined();
  expect(open({ limit: 10 }).readLost()).toBe(1);
});

it('requests that never end give way to new ones, the oldest first', () => {
  const budget = createBudget(mebibyte);
  const taps = createOpenTaps(budget);
  const slow = Array.from({ length: 64 }, () => open({ budget, taps }));
  expect(budget.used()).toBe(mebibyte);
  const fresh = open({ budget, taps });
  fresh.tap?.response(200, html);
  fresh.tap?.body(Buffer.alloc(40_000, 'a'));
  fresh.tap?.end('complete');
  expect([fresh.ended.length, fresh.readLost()]).toEqual([1, 0]);
  const lost = slow.map(({ readLost }) => readLost());
  expect(lost.slice(-55)).toEqual(Array(55).fill(0));
  expect(lost.slice(0, 2)).toEqual([1, 1]);
  for (const { tap } of slow) tap?.end('left');
  // Each is lost once or ended once.
  expect(slow.map(({ ended, readLost }) => ended.length + readLost())).toEqual(Array(64).fill(1));
  expect(budget.used()).toBe(0);
});

it('the oldest does not take from itself', () => {
  const budget = createBudget(60_000);
  const taps = createOpenTaps(budget);
  const oldest = open({ budget, taps });
  const other = open({ budget, taps });
  oldest.tap?.response(200, html);
  oldest.tap?.body(Buffer.alloc(40_000));
  expect([oldest.readLost(), other.readLost()]).toEqual([1, 0]);
  oldest.tap?.end('complete');
  other.tap?.response(200, html);
  other.tap?.end('complete');
  expect([oldest.ended.length, other.ended.length, budget.used()]).toEqual([0, 1, 0]);
});

it('a failure is wanted, whatever it is', () => {
  const json = ['content-type', 'application/json'];
  const page = { headers: { accept: 'text/html,*/*' } };
  expect(open(page).tap?.response(500, json)).toBe(true);
  expect(open(page).tap?.response(404, json)).toBe(false);
  expect(open({ headers: { 'sec-fetch-dest': 'document' } }).tap?.response(503, json)).toBe(true);
  expect(open().tap?.response(500, json)).toBe(true);
  expect(open().tap?.response(404, json)).toBe(false);
});

it('arguments are wanted of actions and forms alone', () => {
  const wants = (opened: Opened) => open(opened).tap?.requestBody !== undefined;
  const multipart = { 'content-type': 'multipart/form-data; boundary=x' };
  expect(wants({ method: 'POST', headers: { 'rsc-action-id': 'a' } })).toBe(true);
  expect(wants({ method: 'POST', headers: multipart })).toBe(true);
  expect(wants({ method: 'POST', headers: { 'content-type': 'application/json' } })).toBe(false);
  expect(wants({ headers: multipart })).toBe(false);
});

it('headers that are long are cut, and the first of two counts', () => {
  const { tap, ended } = open();
  tap?.response(200, ['Content-Type', 'text/html', 'content-type', 'image/png', 'Cache-Control', 'x'.repeat(20_000)]);
  tap?.end('complete');
  expect(ended[0]?.facts.responseHeaders['content-type']).toBe('text/html');
  expect(ended[0]?.facts.responseHeaders['cache-control']).toHaveLength(8 * 1024);
});

it('says when a page or a navigation begins, under the id of its end', () => {
  const { tap, begun, ended } = open({ headers: { accept: 'text/html' } });
  expect(begun).toMatchObject([{ outcome: 'begun', status: 0 }]);
  tap?.response(200, html);
  tap?.end('complete');
  expect(ended).toMatchObject([{ facts: { requestId: begun[0]?.requestId, outcome: 'complete' } }]);
  expect(open({ headers: { rsc: '1' } }).begun).toHaveLength(1);
  expect(open({ headers: { rsc: '1', 'next-router-prefetch': '1' } }).begun).toEqual([]);
  expect(open({ headers: { accept: 'text/html', 'sec-purpose': 'prefetch' } }).begun).toEqual([]);
  expect(open({ headers: { accept: '*/*' } }).begun).toEqual([]);
});
