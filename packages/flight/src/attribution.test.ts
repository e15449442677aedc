import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { attributeBytes, estimateCompressed, findUsers, type Attribution } from './attribution.ts';
import { buildByteTree, createByteOpener, type ByteNode, type ByteOpener } from './byte-tree.ts';
import { decodeFlight } from './decode-flight.ts';
import { encodeResponse } from './testing/differential/responses.ts';
import { responsePlans } from './testing/differential/plans.ts';
import { loadLine } from './testing/differential/react-lines.ts';
import type { Flight } from './flight.ts';
import { readFlightFromHtml } from './from-html.ts';
import { readHeader } from './row-index.ts';
import { findRow } from './row-index.ts';
import { sniff } from './sniff.ts';

const encoder = new TextEncoder();
const folder = path.join(import.meta.dirname, '../fixtures');
const fixtures = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.flight'));

function readFixture(file: string): Uint8Array[] {
  const bytes = new Uint8Array(readFileSync(path.join(folder, file)));
  if (sniff(bytes).kind !== 'html') return [bytes];
  return readFlightFromHtml(new TextDecoder().decode(bytes)).map((found) => found.bytes);
}

function decode(text: string): Flight {
  return decodeFlight(encoder.encode(text));
}

function sum(numbers: Iterable<number>): number {
  return Array.from(numbers).reduce((total, number) => total + number, 0);
}

function sumLeaves(node: ByteNode): number {
  return node.children.length === 0 ? node.bytes : sum(node.children.map(sumLeaves));
}

/** The bytes of all leaves after everything was opened, however often that takes. */
function sumOpened(node: ByteNode, { open, unfold }: ByteOpener): number {
  let total = 0;
  const nodes = [node];
  for (let next = nodes.pop(); next; next = nodes.pop()) {
    const { children, bytes, isClosed, count, items } = next.isClosed ? open(next) : next;
    expect(isClosed).toBe(false);
    if (count > 1 && items) expect(sum(unfold(next).children.map((child) => child.bytes))).toBe(bytes);
    if (children.length === 0) total += bytes;
    for (const child of children) nodes.push(child);
  }
  return total;
}

/** Every list adds up to the payload, and every node of the tree to its parent. */
function expectWhole(flight: Flight): Attribution {
  const attribution = attributeBytes(flight);
  const total = flight.bytes.length;
  const rows = Array.from({ length: flight.rows.count }, (_, row) => row);
  const tops = rows.filter((row) => attribution.firstUse[row] === 0);
  expect(sum(Object.values(attribution.kinds))).toBe(total);
  const headers = rows.map((row) => readHeader(flight.rows, row));
  expect(sum(headers.map(({ start, end }) => end - start)) + attribution.rest).toBe(total);
  expect(sum(tops.map((row) => attribution.rowTotals[row] ?? 0)) + attribution.rest).toBe(total);
  expect(sum(attribution.elements.map(({ own }) => own)) + attribution.outside).toBe(total);
  expect(sum(attribution.props.map(({ bytes }) => bytes))).toBeLessThanOrEqual(total);
  for (const element of attribution.elements) expect(element.total).toBeGreaterThanOrEqual(0);
  for (const maxNodes of [20, 2000]) {
    const tree = buildByteTree(flight, attribution, maxNodes);
    expect(tree.bytes).toBe(total);
    expect(sumLeaves(tree)).toBe(total);
    expect(sumOpened(tree, createByteOpener(flight, attribution))).toBe(total);
  }
  return attribution;
}

describe('bytes add up', () => {
  test.each(fixtures)('%s', (file) => {
    for (const bytes of readFixture(file)) expectWhole(decodeFlight(bytes));
  });

  test.each([
    ['nothing', ''],
    ['half a row', '0:["$","p",null,{"children":"a"}]\n1:"b'],
    ['a byte that cannot be', '0:"a"\nzz'],
    ['a row of broken JSON', '0:"$1"\n1:{"a":\n'],
    ['a circle', '0:{"a":"$1"}\n1:{"b":"$0","c":"$1"}\n'],
    ['an unused module', '1:I["m",[],"C"]\n0:"x"\n'],
    ['a stream', '0:"$1"\n1:X\n1:["$","p",null,{}]\n1:T3,abc1:C\n'],
    ['bytes', '0:"$1"\n1:o3,abc'],
    ['props in a row of their own', '1:{"className":"a"}\n0:["$","p",null,"$1"]\n'],
    ['broken elements', '0:[["$"],["$","p"],["$",["$"],1,2]]\n'],
    ['development', '0:D"$2"\n2:{"name":"App"}\n0:["$","p",null,{"children":"x"},"$2",[],1]\n:N1.5\n'],
    ['deep nesting', `0:${'['.repeat(9000)}${']'.repeat(9000)}\n`],
    [
      'a chain of rows',
      Array.from({ length: 20_000 }, (_, id) => `${id.toString(16)}:"$${(id + 1).toString(16)}"\n`).join(''),
    ],
  ])('%s', (_, text) => {
    expectWhole(decode(text));
  });

  test.each(['production', 'development'] as const)('whatever React’s server writes in %s', async (mode) => {
    const line = loadLine('19.3', mode);
    await fc.assert(
      fc.asyncProperty(responsePlans, async (plan) => {
        const bytes = await encodeResponse(plan, line);
        if (bytes) expectWhole(decodeFlight(bytes));
      }),
      { numRuns: 60 },
    );
  });

  test('changed bytes', () => {
    const inputs = fixtures.flatMap(readFixture).filter((bytes) => bytes.length < 3000);
    const edit = fc.record({ at: fc.nat(3000), byte: fc.integer({ min: 0, max: 255 }), drop: fc.nat(3) });
    fc.assert(
      fc.property(fc.constantFrom(...inputs), fc.array(edit, { maxLength: 8 }), (input, edits) => {
        const bytes = Array.from(input);
        for (const { at, byte, drop } of edits) bytes.splice(at % bytes.length, drop, byte);
        expectWhole(decodeFlight(Uint8Array.from(bytes)));
      }),
      { numRuns: 500 },
    );
  });
});

describe('what bytes are there for', () => {
  test('each kind', () => {
    const text = [
      '1:I["module-of-a-client-component",["a.js"],"Chart"]',
      '0:["$","main",null,{"className":"p-4","children":["Hello",["$","$L1",null,{"data":[1,2,3]}],"$L2"]}]',
      '2:E{"digest":"x"}',
      ':HS"/style.css"',
      '3:o3,abc',
    ].join('\n');
    const { kinds, rest } = expectWhole(decode(text));
    expect(rest).toBe(0);
    expect(kinds).toEqual({
      text: '"Hello"'.length,
      data: '[1,2,3]'.length,
      classes: '"p-4"'.length,
      imports: '1:I["module-of-a-client-component",["a.js"],"Chart"]\n'.length,
      errors: '2:E{"digest":"x"}\n'.length,
      hints: ':HS"/style.css"\n'.length,
      binary: '3:o3,abc'.length,
      structure: text.length - 7 - 7 - 5 - 53 - 18 - 16 - 8,
      debug: 0,
      unread: 0,
    });
  });

  test('a text row is what its user makes of it', () => {
    const { kinds } = expectWhole(decode('1:T3,abc2:T3,def0:["$","p",null,{"title":"$1","children":"$2"}]\n'));
    expect([kinds.text, kinds.data]).toEqual(['2:T3,def'.length, '1:T3,abc'.length + '"$1"'.length]);
  });

  test('an element within one of its own name counts once, and a shared row with its first user', () => {
    const shared = '1:["$","b",null,{"children":"shared"}]\n';
    const inner = '["$","div",null,{"children":["$1","$1"]}]';
    const flight = decode(`${shared}0:["$","div",null,{"children":${inner}}]\n`);
    const attribution = expectWhole(flight);
    const div = attribution.elements.find(({ name }) => name === 'div');
    expect(div).toMatchObject({ count: 2, kind: 'host', total: flight.bytes.length - '0:\n'.length });
    const row = findRow(flight.rows, 1) ?? -1;
    expect(attribution.uses[row]).toBe(2);
    const users = findUsers(flight, 1, 10);
    expect(users).toHaveLength(2);
    expect(attribution.firstUse[row]).not.toBe(0);
  });

  test('props by element and name, the largest first', () => {
    const flight = decode('0:["$","a",null,{"href":"/x","data":["$","b",null,{"title":"in another element"}]}]\n');
    const { props } = expectWhole(flight);
    expect(props.map(({ element, prop, bytes }) => [element, prop, bytes])).toEqual([
      ['b', 'title', '"title""in another element"'.length],
      ['a', 'href', '"href""/x"'.length],
      ['a', 'data', '"data"'.length],
    ]);
  });

  test('development names the server component that made an element', () => {
    const flight = decode('2:{"name":"App"}\n0:D"$2"\n0:["$","p",null,{"children":"x"},"$2",[],1]\n');
    const { serverComponents, kinds } = expectWhole(flight);
    expect(serverComponents).toMatchObject([{ name: 'App', elements: 1 }]);
    expect(kinds.debug).toBeGreaterThan('2:{"name":"App"}\n0:D"$2"\n'.length);
    expect(kinds.text).toBe(3);
  });
});

test('a share of the measured size', () => {
  expect(estimateCompressed(500, 1000, 210)).toBe(105);
  expect(estimateCompressed(0, 0, 0)).toBe(0);
});
