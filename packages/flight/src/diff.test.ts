import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { decodeFlight } from './decode-flight.ts';
import { diffFlights, type FlightDiff } from './diff.ts';
import { responsePlans } from './differential/plans.ts';
import { loadLine } from './differential/react-lines.ts';
import { encodeResponse } from './differential/responses.ts';

const encoder = new TextEncoder();
const folder = path.join(import.meta.dirname, '../fixtures');
const fixtures = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.flight'));

function diff(before: string, after: string): FlightDiff {
  return diffFlights(decodeFlight(encoder.encode(before)), decodeFlight(encoder.encode(after)));
}

/** Each difference in a line: kind, path, texts. */
function lines({ entries }: FlightDiff): string[] {
  return entries.map(({ kind, path: names, before, after }) =>
    [kind, names.join('/'), ...[before, after].flatMap((side) => (side ? [side.text] : []))].join(' '),
  );
}

test.each(fixtures)('%s is the same as itself', (file) => {
  const bytes = new Uint8Array(readFileSync(path.join(folder, file)));
  expect(diffFlights(decodeFlight(bytes), decodeFlight(bytes))).toMatchObject({
    entries: [],
    notSent: [],
    isCut: false,
  });
});

test.each(['production', 'development'] as const)('whatever React sends in %s is the same as itself', async (mode) => {
  const line = loadLine('19.3', mode);
  await fc.assert(
    fc.asyncProperty(responsePlans, async (plan) => {
      const bytes = await encodeResponse(plan, line);
      if (bytes) expect(lines(diffFlights(decodeFlight(bytes), decodeFlight(bytes)))).toEqual([]);
    }),
    { numRuns: 40 },
  );
});

describe('the same', () => {
  test.each([
    [
      'rows of other ids',
      '0:["$","p",null,{"children":"$L1"}]\n1:"a"\n',
      '0:["$","p",null,{"children":"$L7"}]\n7:"a"\n',
    ],
    ['a row of its own, or in place', '0:{"a":"$1"}\n1:["x"]\n', '0:{"a":["x"]}\n'],
    ['text in a row of its own, or in place', '0:{"a":"$1"}\n1:T3,abc', '0:{"a":"abc"}\n'],
    ['the order of keys', '0:{"a":1,"b":2}\n', '0:{"b":2,"a":1}\n'],
    ['module rows', '1:I["m",[],"C"]\n0:["$","$L1",null,{}]\n', '5:I["m",[],"C"]\n0:["$","$L5",null,{}]\n'],
    ['a circle', '0:{"a":"$0"}\n', '0:{"a":"$0"}\n'],
    ['errors with digests of their own', '0:"$L1"\n1:E{"digest":"a"}\n', '0:"$L1"\n1:E{"digest":"b"}\n'],
  ])('%s', (_, before, after) => {
    expect(lines(diff(before, after))).toEqual([]);
  });
});

function page(...items: string[]): string {
  return `0:["$","ul",null,{"children":[${items.join(',')}]}]\n`;
}

function item(key: string, text: string): string {
  return `["$","li","${key}",{"children":"${text}"}]`;
}

describe('different', () => {
  test('a text, with its path, places and bytes', () => {
    const changes = diff(page(item('a', 'one'), item('b', 'two')), page(item('a', 'one'), item('b', 'three')));
    expect(lines(changes)).toEqual(['changed <li key="b"> "two" "three"']);
    expect(changes.entries[0]).toMatchObject({ before: { bytes: 5, place: { row: 0 } }, after: { bytes: 7 } });
    expect(changes).toMatchObject({ removedBytes: 5, addedBytes: 7 });
  });

  test('a keyed item is added, removed and moved', () => {
    const before = page(item('a', '1'), item('b', '2'), item('c', '3'), item('d', '4'));
    expect(lines(diff(before, page(item('d', '4'), item('a', '1'), item('c', '3'), item('e', '5'))))).toEqual([
      'moved <li key="d"> <li key="d"> <li key="d">',
      'added <li key="e"> <li key="e">',
      'removed <li key="b"> <li key="b">',
    ]);
  });

  test('a moved item is looked into', () => {
    const changes = diff(page(item('a', '1'), item('b', '2')), page(item('b', '2'), item('a', 'x')));
    expect(changes.counts).toEqual({ added: 0, removed: 0, changed: 1, moved: 1 });
  });

  test('without keys, in order', () => {
    const changes = diff(page('"one"', '["$","b",null,{}]', '"two"'), page('["$","b",null,{"id":"x"}]', '"two"'));
    expect(lines(changes)).toEqual(['removed 0 "one"', 'added <b>/id "x"']);
  });

  test('another type is another element', () => {
    expect(lines(diff('0:["$","p",null,{}]\n', '0:["$","b",null,{}]\n'))).toEqual(['changed  <p> <b>']);
  });

  test('values of other kinds', () => {
    expect(lines(diff('0:{"a":"1","b":[],"c":"$D2026","d":1}\n', '0:{"a":1,"b":{},"c":"2026"}\n'))).toEqual([
      'removed d 1',
      'changed a "1" 1',
      'changed b Array(0) {}',
      'changed c Date(2026) "2026"',
    ]);
  });

  test('an error instead of a value, and a row that never came', () => {
    expect(diff('0:"$L1"\n1:"a"\n', '0:"$L1"\n1:E{"digest":"x"}\n').counts.changed).toBe(1);
    expect(diff('0:"$L1"\n1:"a"\n', '0:"$L1"\n').counts.changed).toBe(1);
    expect(diff('', '0:1\n').counts.changed).toBe(1);
  });
});

test('a part that Waku did not send again is not removed', () => {
  const whole = '0:{"root":["$","html",null,{}],"page:/":"a","ROUTE":["/",""],"IS_STATIC":false}\n';
  const part = '0:{"page:/":"b","ROUTE":["/",""],"IS_STATIC":false}\n';
  const changes = diff(whole, part);
  expect(lines(changes)).toEqual(['changed page:/ "a" "b"']);
  expect(changes.notSent).toMatchObject([{ key: 'root', missingIn: 'after', bytes: '["$","html",null,{}]'.length }]);
  expect(diff(part, whole).notSent).toMatchObject([{ key: 'root', missingIn: 'before' }]);
});

describe('bounds', () => {
  test('2000 differences are listed, all are counted', () => {
    const changes = diff(page(), page(...Array.from({ length: 3000 }, (_, key) => item(String(key), 'x'))));
    expect(changes.entries).toHaveLength(2000);
    expect(changes).toMatchObject({ counts: { added: 3000 }, isCut: true });
  });

  test.each([
    ['reversed', (count: number) => Array.from({ length: count }, (_, key) => item(String(count - key), 'x'))],
    ['new', (count: number) => Array.from({ length: count }, (_, key) => item(`n${key}`, 'x'))],
  ])('a long list %s takes no longer than its length', (_, make) => {
    const before = page(...Array.from({ length: 20_000 }, (__, key) => item(String(key), 'x')));
    const start = process.cpuUsage();
    diff(before, page(...make(20_000)));
    const { user, system } = process.cpuUsage(start);
    expect((user + system) / 1000).toBeLessThan(4000);
  });

  test('deep nesting', () => {
    const deep = (inner: string) => `0:${'['.repeat(9000)}${inner}${']'.repeat(9000)}\n`;
    const changes = diff(deep('1'), deep('2'));
    expect(changes.counts.changed).toBe(1);
    expect(changes.entries[0]?.path).toHaveLength(60);
  });

  test('bytes that were changed at random never throw', () => {
    const inputs = fixtures
      .map((file) => new Uint8Array(readFileSync(path.join(folder, file))))
      .filter((bytes) => bytes.length < 3000);
    const edit = fc.record({ at: fc.nat(3000), byte: fc.integer({ min: 0, max: 255 }), drop: fc.nat(3) });
    fc.assert(
      fc.property(fc.constantFrom(...inputs), fc.array(edit, { maxLength: 8 }), (input, edits) => {
        const bytes = Array.from(input);
        for (const { at, byte, drop } of edits) bytes.splice(at % bytes.length, drop, byte);
        const changes = diffFlights(decodeFlight(input), decodeFlight(Uint8Array.from(bytes)));
        expect(changes.entries.length).toBeLessThanOrEqual(2000);
      }),
      { numRuns: 300 },
    );
  });
});
