import { assert, json, property } from 'fast-check';
import { expect, test } from 'vitest';

import { Malformed } from '../file-fields.ts';
import { introduceServerTime, reportServerTime } from './describe-server-time.ts';
import { readServerTime, writeServerTime, type PlacedSpan, type ServerTime } from './server-time.ts';

const span: PlacedSpan = { name: 'GET /', kind: 'server', at: -0.25, ms: 9, depth: 0, ownMs: 1, hasFailed: true };
const waits: PlacedSpan[] = [
  { ...span, name: 'Cart', kind: 'component', at: 0, ms: 300, place: 'src/cart.tsx:6', isOpen: true },
  { ...span, name: 'getUser', kind: 'wait', at: 0, ms: 100, depth: 1, place: 'src/cart.tsx:7', isFree: true },
  { ...span, name: 'getPrices', kind: 'wait', at: 100, ms: 90, depth: 1, place: 'src/cart.tsx:8', isFree: true },
];
const time: ServerTime = { tellers: ['code', 'opentelemetry'], movedMs: -3, left: 2, spans: [span, ...waits] };

function change(of: object): unknown {
  const [first] = writeServerTime(time).spans;
  return { ...writeServerTime(time), spans: [{ ...first, ...of }] };
}

function refuse(value: unknown): string {
  try {
    readServerTime(value, 'serverTime');
  } catch (error) {
    if (error instanceof Malformed) return error.message;
    throw error;
  }
  return 'read';
}

test('is read back as it was written', () => {
  expect(readServerTime(JSON.parse(JSON.stringify(writeServerTime(time))), 'x')).toEqual(time);
});

test.each<[string, unknown, string]>([
  ['no object', [], 'serverTime must be an object'],
  ['no span', { ...writeServerTime(time), spans: [] }, 'serverTime.spans must have one at least'],
  [
    'more spans than are shown',
    { ...writeServerTime(time), spans: Array.from({ length: 201 }, () => ({})) },
    'more than 200',
  ],
  ['a kind', change({ kind: 'magic' }), 'serverTime.spans[0].kind must be one of internal, server'],
  ['a depth that no span has', change({ depth: 4_294_967_296 }), 'depth must be a whole number up to 5000'],
  ['half a depth', change({ depth: 0.5 }), 'depth must be a whole number'],
  ['a time', change({ atMs: '1' }), 'serverTime.spans[0].atMs must be a number'],
  ['a length', change({ ms: -1 }), 'serverTime.spans[0].ms must be a number that is not negative'],
  ['a state', change({ hasFailed: 1 }), 'serverTime.spans[0].hasFailed must be true or false'],
])('says what is wrong: %s', (_, value, reason) => {
  expect(refuse(value)).toContain(reason);
});

test('takes no value for another', () => {
  assert(property(json(), (text) => refuse(JSON.parse(text)).startsWith('serverTime')));
});

test('is told with what stands out, code in backticks, and a moved clock as a guess', () => {
  expect(reportServerTime(time, []).findings).toEqual([
    {
      kind: 'longest',
      title: '`await getUser` (src/cart.tsx:7) took 100 ms, 33 % of the time, in `<Cart>` (src/cart.tsx:6).',
      guess: '',
      advice: '',
      ms: 100,
    },
    {
      kind: 'waits-in-turn',
      title:
        '`<Cart>` (src/cart.tsx:6) waited 2 times in turn, 190 ms in all: `await getUser` (src/cart.tsx:7), `await getPrices` (src/cart.tsx:8).',
      guess: '',
      advice: 'As far as its code shows, none uses what another gave. With `Promise.all` they take 100 ms.',
      ms: 190,
    },
  ]);
  expect(introduceServerTime(time, 300)).toContain('that is a guess');
  expect(introduceServerTime({ ...time, movedMs: 0, tellers: ['opentelemetry'] }, 300)).toBe(
    'As the app’s OpenTelemetry tells it, over 300 ms.',
  );
});
