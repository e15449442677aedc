import { describe, expect, it } from 'vitest';

import { decodeFlight, readRowValue, type Value } from '#flight';

import { openFirst, openTo, pageSize, readValueLines } from './value-lines.ts';

function decode(value: unknown) {
  const text = `0:${JSON.stringify(value)}\n`;
  const flight = decodeFlight(new TextEncoder().encode(text));
  const root = readRowValue(flight, 0);
  if (!root) throw new Error('The row has no value');
  return { flight, root, text };
}

function readNames(value: ReturnType<typeof decode>, open: ReadonlyMap<number, number>): string[] {
  return readValueLines(value.flight, value.root, open).map((line) =>
    line.kind === 'more' ? `… ${line.shown} of ${line.total}` : `${'  '.repeat(line.depth)}${line.name ?? 'root'}`,
  );
}

function indexOf({ text }: { text: string }, part: string): [number, number] {
  return [text.indexOf(part), text.indexOf(part) + part.length];
}

describe('readValueLines', () => {
  it('has members only of what is open, and an element’s props as its own', () => {
    const value = decode(['$', 'p', 'k', { title: 'a', style: { color: 'red' } }]);
    expect(readNames(value, new Map())).toEqual(['root']);
    expect(readNames(value, openFirst(value.flight, value.root))).toEqual([
      'root',
      '  key',
      '  title',
      '  style',
      '    color',
    ]);
  });

  it('shows how a long list begins, and how long it is', () => {
    const value = decode(Array.from({ length: 5000 }, (_, index) => index));
    const names = readNames(value, openFirst(value.flight, value.root));
    expect(names).toHaveLength(1 + pageSize + 1);
    expect(names.at(-1)).toBe(`… ${pageSize} of 5000`);
  });

  it('does not recurse: a thousand levels are opened one by one', () => {
    let deep: unknown = 'end';
    for (let level = 0; level < 1000; level++) deep = [deep];
    const value = decode(deep);
    const [start, end] = indexOf(value, '"end"');
    const lines = readValueLines(value.flight, value.root, openTo(value.flight, value.root, start, end, new Map()));
    expect(lines).toHaveLength(1001);
    expect(lines.at(-1)).toMatchObject({ kind: 'value', depth: 1000 });
  });
});

describe('openTo', () => {
  it('opens what leads to bytes, as far into a list as needed', () => {
    const value = decode({ list: Array.from({ length: 400 }, (_, index) => ({ id: `item ${index}` })) });
    const [start, end] = indexOf(value, '"item 333"');
    const lines = readValueLines(value.flight, value.root, openTo(value.flight, value.root, start, end, new Map()));
    const found: Value | undefined = lines
      .map((line) => (line.kind === 'value' ? line.value : line.container))
      .find((candidate) => candidate.start === start && candidate.end === end);
    expect(found).toMatchObject({ kind: 'string', value: 'item 333' });
  });
});
