import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { decodeFlight } from './decode-flight.ts';
import { findDuplicates, type Duplicate, type Duplicates } from './duplicates.ts';
import type { Flight } from './flight.ts';
import { markPageRows } from './promised-rows.ts';
import { readRow } from './row.ts';
import { readElement, readEntries, readItems, type Value } from './value.ts';

const encoder = new TextEncoder();
const folder = path.join(import.meta.dirname, '../fixtures');
const fixtures = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.flight'));

/** What is found, after checking that the places of each hold the same bytes and do not overlap. */
function find(text: string | Uint8Array): Duplicates {
  const bytes = typeof text === 'string' ? encoder.encode(text) : text;
  const found = findDuplicates(decodeFlight(bytes));
  const again: { start: number; end: number }[] = [];
  for (const { places, bytes: size } of found.list) {
    const texts = places.map(({ start, end }) => Buffer.from(bytes.subarray(start, end)).toString('latin1'));
    expect(new Set(texts).size).toBe(1);
    expect(texts[0]).toHaveLength(size);
    for (const { start = 0, end = 0 } of places.slice(1)) again.push({ start, end });
  }
  again.sort((a, b) => a.start - b.start);
  for (const [index, { end }] of again.entries()) {
    const next = again[index + 1];
    if (next) expect(next.start).toBeGreaterThanOrEqual(end);
  }
  expect(found.wasted).toBeLessThanOrEqual(bytes.length);
  return found;
}

test.each(fixtures)('%s', (file) => {
  find(new Uint8Array(readFileSync(path.join(folder, file))));
});

const label = 'a label of some length';

describe('found', () => {
  test('a string, with all its places', () => {
    const { list, count, wasted } = find(`0:["${label}",{"x":"${label}"}]\n1:"${label}"\n`);
    expect(list).toMatchObject([{ kind: 'string', count: 3, bytes: 24, wasted: 48, text: `"${label}"` }]);
    expect(list[0]?.places.map(({ row }) => row)).toEqual([0, 0, 1]);
    expect({ count, wasted }).toEqual({ count: 1, wasted: 48 });
  });

  test('a structure, whole and once, in the same row and in another', () => {
    const structure = `{"name":"${label}","list":[1,2,3]}`;
    const { list } = find(`0:[${structure},${structure}]\n1:[[${structure}]]\n`);
    expect(list).toMatchObject([{ kind: 'structure', count: 3, bytes: structure.length }]);
  });

  test('of two that hold one another, the larger; the bytes of the inner one where it stands alone', () => {
    const outer = `{"name":"${label}","list":[1,2,3]}`;
    const { list, wasted } = find(`0:[${outer},${outer},"${label}"]\n`);
    expect(list.map(({ kind, count }) => [kind, count])).toEqual([
      ['structure', 2],
      ['string', 3],
    ]);
    expect(list.map((duplicate) => duplicate.wasted)).toEqual([outer.length, label.length + 2]);
    expect(wasted).toBe(outer.length + label.length + 2);
  });

  test('text rows and binary rows', () => {
    const text = 'x'.repeat(40);
    const { list } = find(`1:T28,${text}2:T28,${text}3:o28,${text}0:["$1","$2","$3"]\n`);
    expect(list).toMatchObject([{ kind: 'row', count: 3, bytes: 40 }]);
  });

  test('where each copy stands: the nearest element and prop', () => {
    const inner = `["$","b",null,{"children":["${label}"]}]`;
    const { list } = find(
      `0:["${label}",["$","ul",null,{"items":["${label}",["${label}",{"deep":"${label}"}]],"other":"${label}","children":[${inner},"${label}"]}]]\n`,
    );
    const places = ['', 'ul items', 'ul items', 'ul items', 'ul other', 'b', 'ul'];
    expect(list[0]?.places.map(({ inside }) => inside)).toEqual(places);
  });

  test('a list that sends each label twice is a pattern', () => {
    const items = Array.from({ length: 10 }, (_, item) => {
      const name = `the label of item number ${item}`;
      return `["$","li","${item}",{"title":"${name}","children":["$","b",null,{"children":"${name}"}]}]`;
    });
    const { patterns, count } = find(`0:["$","ul",null,{"children":[${items.join(',')}]}]\n`);
    expect(count).toBe(10);
    expect(patterns).toMatchObject([{ first: 'li title', again: 'b', count: 10, distinct: 10, wasted: 280 }]);
  });
});

test('a pattern tells how often from how many different values', () => {
  const items = Array.from({ length: 4 }, () => `["$","li",null,{"title":"${label}","a":1}]`);
  const { patterns } = find(
    `0:["$","ul",null,{"title":"${label}","children":[${items.join(',').replace('1', '2')}]}]\n`,
  );
  expect(
    patterns.map(({ kind, first, again, count, distinct }) => [kind, first, again, count, distinct]).toSorted(),
  ).toEqual([
    ['element', 'ul', 'ul', 2, 1],
    ['text', 'ul title', 'li title', 2, 1],
  ]);
});

test.each([
  ['text', `["${label}"]`, `{"b":"${label}"}`],
  ['text', '"$1"', '"$2"', `1:T28,${'x'.repeat(40)}2:T28,${'x'.repeat(40)}`],
  ['data', '"$1"', '"$2"', `1:o28,${'x'.repeat(40)}2:o28,${'x'.repeat(40)}`],
  ['data', `{"name":"${label}"}`, `{"name":"${label}"}`],
  ['element', `["$","b",null,{"children":"${label}"}]`, `["$","b",null,{"children":"${label}"}]`],
  ['classes', `["$","b",null,{"className":"${label}","id":1}]`, `["$","i",null,{"className":"${label}"}]`],
  ['modules', '0', '0', `1:I["a",["${label}.js"],"A"]\n2:I["b",["${label}.js","b"],"B"]\n`],
])('a repeated %s is told apart: what can be done differs', (kind, first, again, rows = '') => {
  const { patterns, wasted, compressed } = find(`${rows}0:[${first},${again}]\n`);
  expect(patterns.map((pattern) => pattern.kind)).toEqual([kind]);
  expect(patterns[0]).toMatchObject({ wasted, compressed: expect.closeTo(compressed, 5) });
  expect(compressed).toBeLessThan(wasted / 3);
});

test('what only development’s data refers to is not the page’s', () => {
  expect(find(`1:{"name":"App","props":["${label}"]}\n0:D"$1"\n0:["${label}"]\n`)).toMatchObject({
    count: 0,
    wasted: 0,
  });
});

describe('not found', () => {
  test.each([
    ['what is short', '0:["short","short",[1,2],[1,2]]\n'],
    ['what is sent once and referred to', `0:{"a":{"name":"${label}"},"b":"$0:a"}\n`],
    ['strings that differ in the last byte', `0:["${label}1","${label}2"]\n`],
    [
      'an owner and a stack of development',
      `0:[["$","p",null,{"children":"a"},"$1",[["${label}"]],1],["$","p",null,{"children":"b"},"$1",[["${label}"]],1]]\n`,
    ],
    ['debug rows', `0:D{"name":"${label}"}\n0:D{"name":"${label}"}\n0:1\n`],
  ])('%s', (_, text) => {
    expect(find(text).list).toEqual([]);
  });
});

test('whatever values repeat, the bytes of the places are the same', () => {
  const values = fc.array(fc.oneof(fc.jsonValue(), fc.constantFrom(label, { label }, [label, [label]])), {
    maxLength: 20,
  });
  fc.assert(
    fc.property(values, (items) => {
      find(`0:${JSON.stringify([items, items])}\n1:${JSON.stringify(items)}\n`);
    }),
    { numRuns: 300 },
  );
});

type Counted = Pick<Duplicate, 'kind' | 'count' | 'wasted'>;

/** The slow way: every value by its bytes. The rule is the one that duplicates.ts begins with. */
function countNaively(flight: Flight): { all: Map<string, Counted>; wasted: number } {
  const all = new Map<string, Counted>();
  let wasted = 0;
  const textOf = (start: number, end: number) => Buffer.from(flight.bytes.subarray(start, end)).toString('latin1');

  /** @returns whether it is a later copy */
  function meet(kind: Duplicate['kind'], start: number, end: number, isWasted: boolean): boolean {
    const text = textOf(start, end);
    const known = all.get(`${kind} ${text}`);
    if (!known) all.set(`${kind} ${text}`, { kind, count: 1, wasted: 0 });
    else {
      known.count += 1;
      if (isWasted) known.wasted += text.length;
      if (isWasted) wasted += text.length;
    }
    return known !== undefined;
  }

  function visit(value: Value, isOutside: boolean): void {
    const { start, end } = value;
    const isPlain = value.kind === 'string' && flight.bytes[start + 1] !== 0x24;
    const children = readChildren(value);
    let isCopy = false;
    if (isPlain && end - start >= 18) isCopy = meet('string', start, end, isOutside);
    else if (children.length > 0 && end - start >= 32) isCopy = meet('structure', start, end, isOutside);
    for (const child of children) visit(child, isOutside && !isCopy);
  }

  function readChildren(value: Value): Value[] {
    if (value.kind === 'array') return readItems(flight, value);
    if (value.kind === 'object') return readEntries(flight, value).map((entry) => entry.value);
    if (value.kind !== 'element') return [];
    const { type, key, props } = readElement(flight, value);
    return [type, key, props].filter((part) => part !== undefined);
  }

  const pageRows = markPageRows(flight);
  for (let index = 0; index < flight.rows.count; index++) {
    if (pageRows?.[index] === 0) continue;
    const row = readRow(flight, index);
    if (row.kind === 'model' || row.kind === 'module') visit(row.value, true);
    else if (row.kind === 'stream-end' && row.value) visit(row.value, true);
    else if (row.kind !== 'text' && row.kind !== 'binary') continue;
    else if (row.payloadEnd - row.payloadStart >= 18) meet('row', row.payloadStart, row.payloadEnd, true);
  }
  return { all, wasted };
}

/** Values of few kinds in few places, so that most of them repeat, inside one another too. */
const someText = fc.integer({ min: 0, max: 5 }).map((number) => `"a text of number ${number}"`);
const { someJson } = fc.letrec<{ someJson: string }>((tie) => ({
  someJson: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'json' },
    someText,
    fc.constantFrom(
      '1',
      '2',
      'null',
      '"$1"',
      '"short"',
      '"${}"',
      '[]',
      '"\\u00e4 coded text, rather long"',
      '"äöü, a coded text"',
    ),
    fc.array(tie('someJson'), { maxLength: 3 }).map((items) => `[${items.join(',')}]`),
    // A space: other bytes, so another value.
    fc.array(tie('someJson'), { maxLength: 3 }).map((items) => `[ ${items.join(', ')}]`),
    fc
      .array(fc.tuple(fc.constantFrom('a', 'b', 'children', 'a long key that repeats'), tie('someJson')), {
        maxLength: 3,
      })
      .map((entries) => `{${entries.map(([key, value]) => `"${key}":${value}`).join(',')}}`),
    fc
      .tuple(fc.constantFrom('"p"', '"$L1"', '"a-custom-element-type"'), tie('someJson'), fc.option(tie('someJson')))
      .map(
        ([type, props, owner]) => `["$",${type},null,{"children":${props}}${owner === null ? '' : `,${owner},[],1`}]`,
      ),
  ),
}));
const someRows = fc
  .array(fc.tuple(fc.constantFrom('', '', '', 'I', 'C', 'E', 'D', 'T', 'o'), someJson), { maxLength: 12 })
  .map((rows) =>
    rows
      .map(([tag, json], id) => {
        const size = Buffer.byteLength(json).toString(16);
        return tag === 'T' || tag === 'o'
          ? `${id.toString(16)}:${tag}${size},${json}`
          : `${id.toString(16)}:${tag}${json}\n`;
      })
      .join(''),
  );

describe('counted exactly', () => {
  test.each([
    ['any seed', {}],
    ['one seed', { seed: 0 }],
    ['another', { seed: 0xdeadbeef }],
    ['eight hashes for everything', { hashMask: 7 }],
    ['one hash for everything', { hashMask: 0 }],
  ])('as by hand, with %s', (_, options) => {
    fc.assert(
      fc.property(someRows, fc.constantFrom('response', 'request'), (text, direction) => {
        const flight = decodeFlight(encoder.encode(text), { direction });
        const { all, wasted } = countNaively(flight);
        const found = findDuplicates(flight, options);
        const expected = [...all].filter(([, counted]) => counted.wasted > 0);
        const listed = found.list.map(({ kind, count, wasted: bytes, places }): [string, Counted] => {
          const copy = Buffer.from(flight.bytes.subarray(places[0]?.start, places[0]?.end)).toString('latin1');
          return [`${kind} ${copy}`, { kind, count, wasted: bytes }];
        });
        expect(new Map(listed)).toEqual(new Map(expected));
        expect(found).toMatchObject({ count: expected.length, wasted, isCut: false });
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    // A reference costs about as much as what is shorter.
    ['a string of 16 characters', `"${'x'.repeat(16)}"`, 2],
    ['one of 15', `"${'x'.repeat(15)}"`, undefined],
    ['a structure of 32 bytes', `[${'1'.repeat(30)}]`, 2],
    ['one of 31', `[${'1'.repeat(29)}]`, undefined],
  ])('%s', (_, value, count) => {
    expect(find(`0:[${value},${value}]\n`).list[0]?.count).toBe(count);
  });

  test('a row that begins as another does is not that one, even with its hash', () => {
    const [short, long] = ['x'.repeat(20), 'x'.repeat(21)];
    for (const rows of [`1:T14,${short}2:T15,${long}`, `1:T15,${long}2:T14,${short}`]) {
      const flight = decodeFlight(encoder.encode(`${rows}3:"$1"\n`));
      expect(findDuplicates(flight, { hashMask: 0 }).list).toEqual([]);
    }
  });

  test.each([
    ['a key', `{"first":"${label}"}`, `{"other":"${label}"}`],
    ['what is between two texts', `["${label}",1,"${label}"]`, `["${label}",2,"${label}"]`],
    ['what is after the last text', `["${label}",100]`, `["${label}",200]`],
    ['the text', `["${label}",100]`, `["A${label.slice(1)}",100]`],
  ])('two structures that differ in %s are not the same, even with one hash', (_, one, other) => {
    const flight = decodeFlight(encoder.encode(`0:[${one},${other}]\n`));
    expect(findDuplicates(flight, { hashMask: 0 }).list.filter(({ kind }) => kind === 'structure')).toEqual([]);
  });

  test('copies inside a structure that itself repeats', () => {
    const structure = `{"first":"${label}","again":["${label}"],"name":"the same everywhere"}`;
    const alone = Array.from({ length: 300 }, () => `"${label}"`);
    const { list, wasted } = find(`0:[${[...Array.from({ length: 200 }, () => structure), ...alone].join(',')}]\n`);
    const size = label.length + 2;
    expect(list).toMatchObject([
      { kind: 'structure', count: 200, wasted: structure.length * 199 },
      // The second copy in the first structure, and those that stand alone.
      { kind: 'string', count: 700, wasted: size * 301 },
    ]);
    expect(list[1]?.places).toHaveLength(20);
    expect(wasted).toBe(structure.length * 199 + size * 301);
  });

  /** Every text twice, the second time in a list of its own. */
  function writeTwice(size: number): { flight: Flight; wasted: number } {
    const values = Array.from({ length: size }, (_, item) => `"a text of some length, number ${item}"`);
    const text = `0:[${values.join(',')}]\n1:[[${values.toReversed().join('],[')}]]\n`;
    return { flight: decodeFlight(encoder.encode(text)), wasted: values.reduce((sum, value) => sum + value.length, 0) };
  }

  test.each([0, 1, 0x5bd1e995])(
    'none of 100 000 values is lost, with seed %i',
    (seed) => {
      const { flight, wasted } = writeTwice(100_000);
      expect(findDuplicates(flight, { seed })).toMatchObject({ count: 100_000, wasted, isCut: false });
    },
    30_000,
  );

  test('the same payload gives the same result, 50 times', () => {
    const { flight } = writeTwice(2000);
    const results = Array.from({ length: 50 }, () => JSON.stringify(findDuplicates(flight)));
    expect(new Set(results).size).toBe(1);
  });

  test('a payload with more values than are compared says so', () => {
    const values = Array.from({ length: 10 }, (_, item) => `"a text of some length, number ${item}"`);
    const flight = decodeFlight(
      encoder.encode(`0:[[${values.join(',')}],[${values.join(',')}],${values.join(',')}]\n`),
    );
    const found = findDuplicates(flight, { maxClasses: 4 });
    expect(found).toMatchObject({ count: 4, isCut: true });
    expect(found.list.map(({ count }) => count)).toEqual([3, 3, 3, 3]);
    expect(findDuplicates(flight, { maxClasses: 12 })).toMatchObject({ count: 11, isCut: false });
  });

  test('a payload with more places than are told apart says so', () => {
    const elements = Array.from({ length: 4100 }, (_, item) => `["$","x-${item}",null,{"title":"${label}"}]`);
    const findIn = (count: number) =>
      findDuplicates(decodeFlight(encoder.encode(`0:[${elements.slice(0, count).join(',')}]\n`)));
    const found = findIn(4100);
    expect(found).toMatchObject({ count: 1, isCut: true });
    expect(found.list).toMatchObject([{ count: 4100 }]);
    // Those that are not told apart are in no pattern, and not in one together.
    expect(found.patterns.filter(({ count }) => count > 1)).toEqual([]);
    // A place for each element, and for the first title.
    expect(findIn(4000).isCut).toBe(true);
    expect(findIn(3999).isCut).toBe(false);
  });
});

test.each([
  [
    'a value nested deep, many times',
    `0:[${Array.from({ length: 100 }, () => `${'['.repeat(4000)}${']'.repeat(4000)}`).join(',')}]\n`,
  ],
  ['a string that is everywhere', `0:[${Array.from({ length: 40_000 }, () => `"${label}"`).join(',')}]\n`],
  ['all different', `0:[${Array.from({ length: 40_000 }, (_, item) => `"${label}${item}"`).join(',')}]\n`],
  [
    'a wide object, with keys that repeat',
    `0:{${Array.from({ length: 40_000 }, (_, item) => `"k${item % 7}":"${label}${item % 1000}"`).join(',')}}\n`,
  ],
])('%s takes no longer than its length', (_, text) => {
  const start = process.cpuUsage();
  find(text);
  const { user, system } = process.cpuUsage(start);
  expect((user + system) / 1000).toBeLessThan(3000);
});
