import { expect, test } from 'vitest';

import { decodeFlight } from '../decode-flight.ts';
import { describeServerWaits, printWords } from './describe-server-time.ts';
import { readShellWaits } from './read-shell-waits.ts';
import type { PlacedSpan, ServerTime } from './server-time.ts';

const encoder = new TextEncoder();

/** With the time at which it came. */
type Row = readonly [ms: number, row: string];

function open(...rows: readonly Row[]) {
  const chunks = rows.map(([ms, row]) => ({ ms, bytes: encoder.encode(`${row}\n`).length }));
  const bytes = encoder.encode(rows.map(([, row]) => `${row}\n`).join(''));
  return { flight: decodeFlight(bytes), chunks };
}

function read(...rows: readonly Row[]) {
  const { flight, chunks } = open(...rows);
  return readShellWaits(flight, chunks);
}

const suspense = [10, '1:"$Sreact.suspense"'] as const;
const root = '0:["$","main",null,{"children":[["$","h1",null,{"children":"Cart"}],"$L5"]}]';
const late = '5:["$","p",null,{"children":"2 items"}]';
const bounded = '0:["$","main",null,{"children":["$","$1",null,{"fallback":"…","children":"$L5"}]}]';

test('a row outside every boundary that came late, with what had come before it', () => {
  expect(read([20, root], [30, '9:"else"'], [520, late])).toEqual([
    { kind: 'row', row: '5', from: 20, until: 520, around: 'none', bytesBefore: root.length + '9:"else"'.length + 2 },
  ]);
});

test('the first row, where it came late', () => {
  expect(read([400, root], [410, late])).toEqual([{ kind: 'first', from: 0, until: 400 }]);
  expect(read([400, root], [900, late]).map(({ kind }) => kind)).toEqual(['first', 'row']);
});

test('nothing that is within a boundary, is not noticed, never came, failed, or has no times', () => {
  expect(read(suspense, [20, bounded], [520, late])).toEqual([]);
  expect(read([20, root], [319, late])).toEqual([]);
  expect(read([20, root])).toEqual([]);
  expect(read([20, root], [520, '5:E{"digest":"1"}'])).toEqual([]);
  expect(readShellWaits(open([20, root], [520, late]).flight, [])).toEqual([]);
});

test('nothing of a payload that would hold a thread', () => {
  const large = `0:["$","main",null,{"children":["${'x'.repeat(256 * 1024)}","$L5"]}]`;
  expect(read([20, large], [520, late])).toEqual([]);
});

function span(name: string, kind: PlacedSpan['kind'], at: number, ms: number, depth = 0): PlacedSpan {
  const place = kind === 'component' ? { place: 'src/cart.tsx:6' } : {};
  return { name, kind, at, ms, depth, ownMs: ms, hasFailed: false, ...place };
}

function tell(spans: readonly PlacedSpan[], more: Partial<ServerTime> = {}) {
  const shell = read([20, root], [520, late]);
  const time: ServerTime = { tellers: ['code'], movedMs: 0, left: 0, spans, ...more };
  return describeServerWaits(time, shell)
    .filter(({ kind }) => kind === 'holds-shell')
    .map(({ title, guess, advice, ms }) => [printWords(title), printWords(guess), printWords(advice), ms]);
}

test('names the component that ended right before and took most of the wait, as a guess', () => {
  expect(tell([span('Items', 'component', 15, 495), span('GET items', 'client', 20, 400, 1)])).toEqual([
    [
      'Row 5, outside every Suspense boundary of the payload, came 500 ms after the rows that it belongs to. 77 B of the page had come before it.',
      'Perhaps it waited for `<Items>` (src/cart.tsx:6) with its `GET items`, which took 495 ms until then.',
      'A Suspense boundary around it lets those through.',
      500,
    ],
  ]);
  expect(tell([span('Items', 'component', 15, 495), span('GET items', 'client', 20, 200, 1)])[0]?.[1]).toContain(
    '6), which',
  );
  expect(tell([span('short', 'client', 490, 25), span('GET items', 'client', 100, 415)])[0]?.[1]).toBe(
    'Perhaps it waited for `GET items`, which took 415 ms until then.',
  );
});

test('names nobody who ended long before or later, took less than half, answered all of it, or whose clock is another', () => {
  const fits = span('Items', 'component', 15, 500);
  expect(tell([fits])).toHaveLength(1);
  expect(tell([{ ...fits, ms: 470 }])).toEqual([]);
  expect(tell([{ ...fits, ms: 520 }])).toEqual([]);
  expect(tell([{ ...fits, at: 300, ms: 215 }])).toEqual([]);
  expect(tell([span('GET /cart', 'server', 15, 500)])).toEqual([]);
  expect(tell([fits], { movedMs: 7 })).toEqual([]);
});

test('of client code around the row it is not said that it has no boundary, and the first row waits for components alone', () => {
  const tellOf = (kind: PlacedSpan['kind'], ...rows: readonly Row[]) => {
    const time: ServerTime = { tellers: ['code'], movedMs: 0, left: 0, spans: [span('Items', kind, 15, 500)] };
    const [words] = describeServerWaits(time, read(...rows)).filter((one) => one.kind === 'holds-shell');
    return words && printWords(words.advice);
  };
  const client = '0:["$","$L2",null,{"children":"$L5"}]';
  expect(tellOf('component', [10, '2:I["m",[],"Tabs"]'], [20, client], [520, late])).toMatch(
    /, unless the client code/,
  );
  const first = [
    [520, root],
    [521, late],
  ] as const;
  expect(tellOf('component', ...first)).toBe(
    'A Suspense boundary around that component lets the rest of the page through.',
  );
  expect(tellOf('function', ...first)).toBeUndefined();
  expect(tellOf('client', ...first)).toBeUndefined();
});
