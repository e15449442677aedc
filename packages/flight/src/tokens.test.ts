import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, it, test } from 'vitest';

import { decodeFlight } from './decode-flight.ts';
import type { Flight } from './flight.ts';
import { readHeader } from './row-index.ts';
import { readTokens, type Token } from './tokens.ts';
import { readValuePath } from './value-path.ts';

const utf8 = new TextDecoder();

function decode(text: string): Flight {
  return decodeFlight(new TextEncoder().encode(text));
}

function textOf({ bytes }: Flight, { start, end }: Token): string {
  return utf8.decode(bytes.subarray(start, end));
}

function describeTokens(flight: Flight, row: number): string[] {
  return readTokens(flight, row).map((token) => `${token.kind} ${textOf(flight, token)}`);
}

describe('readTokens', () => {
  it.each([
    [
      'a model',
      '0:["$","p","k",{"a":"$L1","b":[],"c":-1.5e3,"d":null,"e":"$","é":{}}]\n',
      'id 0|open [|mark "$"|string "p"|string "k"|open {|key "a"|form "$L1"|key "b"|open []|key "c"|number -1.5e3|key "d"|word null|key "e"|form "$"|key "é"|open {}|line-end \n',
    ],
    ['a text', '12:T3,abc', 'id 12|tag T|length 3|text abc'],
    ['bytes', '1:o2,ab', 'id 1|tag o|length 2|bytes ab'],
    ['a piece of a stream', '1:b2,ab', 'id 1|tag b|length 2|bytes ab'],
    ['a hint', ':HL["/a.css","style"]\n', 'tag H|code L|open [|string "/a.css"|string "style"|line-end \n'],
    ['the start of a stream', '1:R\n', 'id 1|tag R|line-end \n'],
    ['a time', ':N12.5\n', 'tag N|text 12.5|line-end \n'],
    ['a row that never comes', '1:\n', 'id 1|line-end \n'],
    ['broken JSON', '0:{"a":\n', 'id 0|text {"a":|line-end \n'],
  ])('%s', (_, text, expected) => {
    expect(describeTokens(decode(text), 0).join('|')).toBe(expected);
  });

  it('takes the first item of a request’s array for what it is', () => {
    const flight = decodeFlight(new TextEncoder().encode('0:["$","a"]\n'), { direction: 'request' });
    expect(describeTokens(flight, 0)).toContain('form "$"');
  });

  it('reads a window of a large row without its start', () => {
    const items = Array.from({ length: 3_000 }, (_, index) => ['$', 'li', String(index), { n: index }]);
    const flight = decode(`0:${JSON.stringify(items)}\n`);
    const all = readTokens(flight, 0);
    for (const from of [0, 1, 777, 20_000, 40_001, flight.bytes.length - 20]) {
      const to = from + 200;
      expect(readTokens(flight, 0, from, to)).toEqual(all.filter(({ start, end }) => start < to && end > from));
    }
    // In the middle of the mark of each element.
    for (const { kind, start } of all.filter((_, index) => index % 501 === 0)) {
      expect(readTokens(flight, 0, start, start + 1)[0]).toMatchObject({ kind, start });
    }
    const marks = all.filter(({ kind }) => kind === 'mark');
    expect(marks).toHaveLength(3_000);
    const found = marks.map(({ start }) => readTokens(flight, 0, start + 1, start + 2));
    expect(found).toEqual(marks.map((mark) => [mark]));
  });
});

describe('readValuePath', () => {
  const text = '1:"x"\n0:{"a":[1,["$","p",null,{"b":"$1"}]],"a":2}\n';
  const flight = decode(text);

  function describeAt(part: string, inside = 0): string {
    const found = readValuePath(flight, 1, text.indexOf(part) + inside);
    if (!found) return 'nothing';
    const steps = found.steps.map(({ key, index }) => key ?? index).join('.');
    return `${steps} ${found.value.kind}${found.isKey ? ' key' : ''}`;
  }

  it.each([
    ['{"a"', 0, ' object'],
    ['"a":[', 0, 'a array key'],
    ['"a":[', 3, ' object'],
    ['[1', 0, 'a array'],
    ['[1', 1, 'a.0 number'],
    ['1,[', 1, 'a array'],
    ['["$"', 1, 'a.1.0 symbol'],
    ['"p"', 1, 'a.1.1 string'],
    ['{"b"', 0, 'a.1.3 object'],
    ['"$1"', 3, 'a.1.3.b reference'],
    ['"a":2', 0, 'a number key'],
    ['2}', 0, 'a number'],
    ['2}', 1, ' object'],
    ['0:{', 0, 'nothing'],
  ])('of %j and %i bytes', (part, inside, expected) => {
    expect(describeAt(part, inside)).toBe(expected);
  });

  it('is nothing in a row that has no JSON', () => {
    expect(readValuePath(decode('0:T3,abc'), 0, 6)).toBeUndefined();
  });
});

const folder = path.join(import.meta.dirname, '../fixtures');
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
  /\.(?:flight|rsc)$/.test(name),
);

test.each(files)('the tokens of %s leave nothing but punctuation, and each has its place', (name) => {
  const flight = decodeFlight(new Uint8Array(readFileSync(path.join(folder, name))));
  for (let row = 0; row < flight.rows.count; row++) {
    const { start, end } = readHeader(flight.rows, row);
    let at = start;
    for (const token of readTokens(flight, row)) {
      expect(utf8.decode(flight.bytes.subarray(at, token.start))).toMatch(/^[[\]{},:\s]*$/);
      expect(token.start).toBeGreaterThanOrEqual(at);
      at = token.end;
      if (!['key', 'string', 'form', 'mark', 'number', 'word', 'open'].includes(token.kind)) continue;
      const place = readValuePath(flight, row, token.start);
      if (token.kind === 'key') expect(place?.isKey).toBe(true);
      else expect(place).toMatchObject({ isKey: false, value: { start: token.start } });
    }
    expect(utf8.decode(flight.bytes.subarray(at, end))).toMatch(/^[\]},]*$/);
  }
});
