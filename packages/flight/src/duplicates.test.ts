import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { decodeFlight } from './decode-flight.ts';
import { findDuplicates, type Duplicates } from './duplicates.ts';

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

  test('of two that hold one another, the larger; the inner one where it stands alone', () => {
    const outer = `{"name":"${label}","list":[1,2,3]}`;
    const { list, wasted } = find(`0:[${outer},${outer},"${label}"]\n`);
    expect(list.map(({ kind, count }) => [kind, count])).toEqual([
      ['structure', 2],
      ['string', 2],
    ]);
    expect(wasted).toBe(outer.length + label.length + 2);
  });

  test('text rows and binary rows', () => {
    const text = 'x'.repeat(40);
    const { list } = find(`1:T28,${text}2:T28,${text}3:o28,${text}0:["$1","$2","$3"]\n`);
    expect(list).toMatchObject([{ kind: 'row', count: 3, bytes: 40 }]);
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
