import { describe, expect, it } from 'vitest';

import { decodeFlight, readRow, type Part } from '#flight';

import { createOutlineReader, type OpenNodes } from '../outline.ts';
import {
  createValueSource,
  openToBytes,
  openValueFirst,
  printLine,
  readLitBytes,
  readPlaceInRow,
  type ValueSource,
} from './value-source.ts';

function open(text: string, row = 0): { source: ValueSource; text: string } {
  const flight = decodeFlight(new TextEncoder().encode(text));
  return { source: createValueSource(flight, readRow(flight, row)), text };
}

function openJson(value: unknown): { source: ValueSource; text: string } {
  return open(`0:${JSON.stringify(value)}\n`);
}

function show(source: ValueSource, nodes: OpenNodes): string[] {
  return createOutlineReader(source)(nodes).map((line) => {
    const text = line.kind === 'more' ? `… ${line.to - line.from}` : `${line.name ?? 'root'}: ${printLine(line.node)}`;
    return `${'  '.repeat(line.depth)}${text}`;
  });
}

function bytesOf(text: string, part: string): { start: number; end: number } {
  return { start: text.indexOf(part), end: text.indexOf(part) + part.length };
}

describe('a decoded value', () => {
  it('has an element’s props as its own, and what is in its row open', () => {
    const { source } = openJson(['$', 'p', 'k', { title: 'a', style: { color: 'red' } }]);
    expect(show(source, openValueFirst(source))).toEqual([
      'root: <p key="k" title="a" style={{…}}>',
      '  key: "k"',
      '  title: "a"',
      '  style: {color}',
      '    color: "red"',
    ]);
  });

  it('names what a reference stands for, and leaves it closed', () => {
    const { source } = open('0:["$1","$L1","$Q2"]\n1:{"a":1}\n2:[["k","v"]]\n');
    expect(show(source, openValueFirst(source))).toEqual([
      'root: Array(3)',
      '  0: {a}',
      '  1: Lazy → 1',
      '  2: Map(1)',
    ]);
  });

  it.each([
    ['a stream', '0:R\n0:"one"\n0:C\n', 0, ['root: readable-stream']],
    ['what a stream returned', '0:X\n0:C{"a":1}\n', 1, ['root: {a}', '  a: 1']],
    ['an error', '0:E{"digest":"d"}\n', 0, ['root: {digest}', '  digest: "d"']],
    ['what development says', '0:D{"name":"Page"}\n0:1\n', 0, ['root: {name}', '  name: "Page"']],
  ])('is of %s too', (_, text, row, expected) => {
    const { source } = open(text, row);
    expect(show(source, openValueFirst(source)).slice(0, expected.length)).toEqual(expected);
  });
});

describe('openToBytes', () => {
  it.each([400, 5000])('opens what leads to bytes, in a list of %i', (length) => {
    const { source, text } = openJson({ list: Array.from({ length }, (_, index) => ({ id: `item ${index}` })) });
    const { open: nodes, current } = openToBytes(source, new Map(), bytesOf(text, '"item 333"'));
    expect(current).toBe('0.0.333.0');
    expect(show(source, nodes)).toContain('      id: "item 333"');
  });

  it('finds an item of a long list by its own bytes', () => {
    const { source, text } = openJson(Array.from({ length: 5000 }, (_, index) => `item ${index}`));
    expect(openToBytes(source, new Map(), bytesOf(text, '"item 4321"')).current).toBe('0.4321');
  });

  it('finds a thousand levels deep', () => {
    let deep: unknown = 'end';
    for (let level = 0; level < 1000; level++) deep = [deep];
    const { source, text } = openJson(deep);
    const { open: nodes } = openToBytes(source, new Map(), bytesOf(text, '"end"'));
    expect(show(source, nodes)).toHaveLength(1001);
  });

  it('stops at the innermost line that holds the bytes', () => {
    const { source, text } = openJson({ a: ['x', 'y'] });
    expect(openToBytes(source, new Map(), bytesOf(text, '"x","y"')).current).toBe('0.0');
    expect(openToBytes(source, new Map(), { start: 0, end: 1 }).current).toBe('0');
  });

  it('does not follow references', () => {
    const { source, text } = open('0:["$1"]\n1:["x"]\n');
    expect(openToBytes(source, new Map(), bytesOf(text, '"$1"')).current).toBe('0.0');
    expect(openToBytes(source, new Map(), bytesOf(text, '"x"')).current).toBe('0');
  });
});

describe('what is lit', () => {
  const { source, text } = open('0:{"a":"$1"}\n1:["x"]\n');
  const parts = new Map<string, Part>();
  for (const line of createOutlineReader(source)(
    new Map([
      ['0', [[0, 1]]],
      ['0.0', [[0, 1]]],
    ]),
  )) {
    if (line.kind === 'node') parts.set(line.path, line.node);
  }

  it('is the line’s own bytes, and the reference’s for what is in another row', () => {
    const lit = (path: string) => {
      const place = readLitBytes(source, path, (outer) => parts.get(outer));
      return text.slice(place?.start, place?.end);
    };
    expect(lit('0')).toBe('{"a":"$1"}');
    expect(lit('0.0')).toBe('"$1"');
    expect(lit('0.0.0')).toBe('"$1"');
    expect(lit('0.0.0+5')).toBe('"$1"');
  });

  it('is a part of the row that holds a payload', () => {
    const nested = open('1:o9,0:["in"]\n0:"$1"\n');
    const payload = nested.source.readMembers(nested.source.root, 0, 1)[0];
    const place = payload && readPlaceInRow(nested.source, payload.node);
    expect(nested.text.slice(place?.start, place?.end)).toBe('["in"]');
  });
});
