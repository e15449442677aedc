import { expect, test } from 'vitest';

import type { PlacedSpan } from '#flight';

import { countColumns } from './columns.ts';
import { printServerTime } from './print-server-time.ts';
import { makeReport, writeJson } from './report.ts';

const payload = new TextEncoder().encode('0:"page"\n');
const of = { at: 0, depth: 0, ownMs: 1, hasFailed: false } as const;
const spans: readonly PlacedSpan[] = [
  { ...of, name: 'Cart', kind: 'component', ms: 320, place: 'src/cart.tsx:6' },
  { ...of, name: `GET shop/\u001b[31m${'x'.repeat(90)}`, kind: 'client', ms: 300, depth: 1, hasFailed: true },
  ...Array.from({ length: 20 }, (_, at): PlacedSpan => ({ ...of, name: `short ${at}`, kind: 'internal', ms: 1 })),
];
const serverTime = { tellers: ['code'], movedMs: 0, left: 3, spans } as const;

function report(given?: typeof serverTime) {
  return makeReport({ title: 'GET /cart', bytes: payload, chunks: [], serverTime: given });
}

test('the longest spans in order, then what stands out, within the width and without what steers a terminal', () => {
  const lines = [...printServerTime(report(serverTime), (_, text) => text)].join('').split('\n');
  expect(lines.slice(1, 3)).toEqual([
    'Where the server’s time went',
    '  As the app’s components and functions tell it, with the requests that they',
  ]);
  expect(lines).toContain('     320 ms  <Cart> src/cart.tsx:6');
  expect(lines.find((line) => line.startsWith('     300 ms    GET shop/\\u001b[31mxxx'))).toMatch(/…$/);
  expect(lines).toContain('             and 15 more');
  expect(lines.filter((line) => line.startsWith('  - '))).toHaveLength(1);
  expect(Math.max(...lines.map(countColumns))).toBeLessThanOrEqual(80);
  expect([...printServerTime(report(), (_, text) => text)]).toEqual([]);
});

test('the JSON has all of it, or null', () => {
  const parsed = (given?: typeof serverTime) => JSON.parse([...writeJson(report(given))].join(''));
  expect(parsed().serverTime).toBeNull();
  expect(parsed(serverTime).serverTime).toMatchObject({ left: 3, findings: [{ kind: 'longest', ms: 300 }] });
  expect(parsed(serverTime).serverTime.spans).toHaveLength(22);
});
