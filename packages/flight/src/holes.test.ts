import { readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { createClock } from './chunk-times.ts';
import { decodeFlight } from './decode-flight.ts';
import { findHoles, type Holes } from './holes.ts';

const encoder = new TextEncoder();
const fixtures = path.join(import.meta.dirname, '../fixtures/react-19.3.1-production');

function suspense(children: string, fallback = '"…"'): string {
  return `["$","$1",null,{"fallback":${fallback},"children":${children}}]`;
}

/** What there is in rows that came one by one, ten milliseconds apart. */
function findAll(...rows: string[]): Holes {
  const lines = ['1:"$Sreact.suspense"', ...rows].map((line) => `${line}\n`);
  const chunks = lines.map((line, index) => ({ ms: index * 10, bytes: encoder.encode(line).length }));
  return findHoles(decodeFlight(encoder.encode(lines.join(''))), chunks);
}

function find(...rows: string[]): Holes['holes'] {
  return findAll(...rows).holes;
}

describe('holes', () => {
  test('the fixture with a boundary', () => {
    const flight = decodeFlight(new Uint8Array(readFileSync(path.join(fixtures, 'suspense.flight'))));
    expect(findHoles(flight).holes).toMatchObject([
      { name: 'Suspense', fallback: '<i>', state: 'filled', filledBy: '<p>', waitedMs: undefined },
    ]);
  });

  test('how long, which row, and what filled it', () => {
    const holes = find(`0:["$","main",null,{"children":${suspense('"$L2"')}}]`, '9:"x"', '2:["$","p",null,{}]');
    expect(holes).toMatchObject([
      { name: 'Suspense', from: 10, until: 30, waitedMs: 20, filledBy: '<p>', rows: [{ id: 2, how: 'lazy', at: 30 }] },
    ]);
  });

  test('a row that came before its boundary is not waited for', () => {
    expect(find('2:["$","p",null,{}]', `0:${suspense('"$L2"')}`)).toEqual([]);
  });

  test('what a row leads to is waited for with it, up to the next boundary', () => {
    const holes = find(
      `0:${suspense('"$L2"')}`,
      `2:["$","p",null,{"children":["$L3",${suspense('"$L4"')}]}]`,
      '3:"a"',
      '4:"b"',
    );
    expect(holes.map(({ waitedMs, rows }) => [waitedMs, rows.map(({ id }) => id)])).toEqual([
      [20, [2, 3]],
      [20, [4]],
    ]);
  });

  test('a fallback that waits belongs to the boundary around it', () => {
    const holes = find(`0:${suspense(suspense('"a"', '"$L2"'))}`, '2:"later"');
    expect(holes).toHaveLength(1);
    expect(holes[0]?.boundary?.start).toBe('1:"$Sreact.suspense"\n0:'.length);
  });

  test('a hole outside every boundary holds the page', () => {
    const page = '["$","main",null,{"children":"$L2"}]';
    expect(find(`0:${page}`, '2:"x"')).toMatchObject([
      { boundary: undefined, name: 'the page', waitedMs: 10, around: { kind: 'none' } },
    ]);
  });

  test.each([
    ['a framework', '0:{"page":"$L3"}', { kind: 'framework' }],
    [
      'a client component',
      '0:["$","$L2",null,{"children":["$","p",null,{"children":"$L3"}]}]',
      { kind: 'client', name: 'Tabs' },
    ],
    [
      'a client component in a boundary',
      `0:${suspense('["$","$L2",null,{"children":"$L3"}]')}`,
      { kind: 'client', name: 'Tabs' },
    ],
    ['a boundary in a client component', `0:["$","$L2",null,{"children":${suspense('"$L3"')}}]`, { kind: 'none' }],
  ])('%s around it may show something else meanwhile', (_, root, around) => {
    expect(find('2:I["m",[],"Tabs"]', root, '3:"x"')).toMatchObject([{ waitedMs: 10, around }]);
  });

  const client = '2:I["m",[],"Tabs"]';
  const given = { around: { kind: 'client', name: 'Tabs' }, id: 3, state: 'filled', givenAt: 20, settledAt: 30 };
  test.each([
    ['alone', '0:["$","$L2",null,{"later":"$@3"}]', given],
    ['in a boundary', `0:${suspense('["$","$L2",null,{"later":"$@3"}]')}`, given],
    ['deep in its props', '0:["$","main",null,{"children":["$","$L2",null,{"a":[{"later":"$@3"}]}]}]', given],
    ['as its children', '0:["$","$L2",null,{"children":"$@3"}]', given],
    ['that never came', '0:["$","$L2",null,{"later":"$@9"}]', { id: 9, state: 'open', settledAt: undefined }],
    ['of a framework', '0:{"data":{"later":"$@3"}}', { ...given, around: { kind: 'framework' } }],
  ])('nothing is known to wait for a promise that a client component is given: %s', (_, root, promise) => {
    expect(findAll(client, root, '3:["$","p",null,{"children":"$L4"}]', '4:"x"')).toMatchObject({
      holes: [],
      promises: [promise],
    });
  });

  test('a promise that came before it was given is not late', () => {
    expect(findAll(client, '3:"x"', '0:["$","$L2",null,{"later":"$@3"}]')).toEqual({ holes: [], promises: [] });
  });

  test('what an action is bound to waits for its call', () => {
    expect(findAll(client, '4:{"id":"a","bound":"$@3"}', '0:["$","$L2",null,{"act":"$h4"}]', '3:["x"]')).toEqual({
      holes: [],
      promises: [],
    });
  });

  test.each([
    ['a promise', `0:${suspense('["$","p",null,{"children":"$@2"}]')}`, '2:1', 'filled'],
    ['an error', `0:${suspense('"$L2"')}`, '2:E{"digest":"x"}', 'failed'],
    ['a row given up', `0:${suspense('"$L2"')}`, '3:E{"digest":"x"}\n2:"$3"', 'failed'],
    ['a row that never came', `0:${suspense('["$L2","$L3"]')}`, '2:"x"', 'open'],
  ])('%s', (_, root, row, state) => {
    expect(find(root, row)).toMatchObject([{ name: 'Suspense', state }]);
  });

  test('several boundaries are numbered in the order of the bytes; a name or a key is better', () => {
    const named = `["$","$1",null,{"name":"Reviews","fallback":0,"children":"$L3"}]`;
    const keyed = `["$","$1","list",{"fallback":0,"children":"$L4"}]`;
    const holes = find(`0:[${suspense('"$L2"')},${named},${keyed},${suspense('"$L5"')}]`, '2:1', '3:1', '4:1', '5:1');
    expect(holes.map(({ number, name }) => [number, name]).toSorted()).toEqual([
      [1, 'Suspense 1'],
      [2, 'Suspense "Reviews"'],
      [3, 'Suspense "list"'],
      [4, 'Suspense 4'],
    ]);
  });

  test('each row says when it was promised', () => {
    const [hole] = find(`0:${suspense('"$L2"')}`, '2:["$","p",null,{"children":"$L3"}]', '3:"a"');
    expect(hole?.rows.map(({ id, promisedAt, at }) => [id, promisedAt, at])).toEqual([
      [2, 10, 20],
      [3, 20, 30],
    ]);
  });

  test('development says which component filled it, and what that awaited', () => {
    const flight = decodeFlight(
      new Uint8Array(readFileSync(path.join(fixtures, '../react-19.3.1-development/waits.flight'))),
    );
    const [last, first] = findHoles(flight).holes;
    expect(first).toMatchObject({ name: 'Suspense "reviews"', origin: { component: 'Reviews' } });
    expect(first?.awaits).toMatchObject([{ name: 'loadReviews', component: 'Reviews', source: { line: 4 } }]);
    expect(last?.origin?.component).toBe('Related');
    expect(last?.awaits.map(({ name, ms }) => [name, Math.round(ms / 100)])).toEqual([
      ['Related', 5],
      ['readFile', 0],
    ]);
  });

  test('a client module is not waited for', () => {
    expect(find('0:["$","$L2",null,{}]', '2:I["m",[],"C"]')).toEqual([]);
  });

  test('owners and stacks of development are not waited for', () => {
    expect(find('0:["$","p",null,{"children":"a"},"$2","$@3",1]', '3:[]', '2:{"name":"App"}')).toEqual([]);
  });
});

test('a clock says when a byte had come', () => {
  const clock = createClock([
    { ms: 1, bytes: 10 },
    { ms: 5, bytes: 10 },
  ]);
  expect([1, 10, 11, 20, 21].map(clock)).toEqual([1, 1, 5, 5, undefined]);
  expect(createClock([])(1)).toBeUndefined();
});
