import { expect, it, vi } from 'vitest';

import { parseBounded } from './parse-bounded.ts';

it.each(['{"version":3,"names":["a","\\"[[","\\\\"],"sections":[{"map":{}}]}', '"text"', '[]', 'null'])(
  'reads %s',
  (json) => {
    expect(parseBounded(json)).toEqual(JSON.parse(json));
  },
);

it.each(['', '{', '{"a":}', '"'])('gives nothing for %j, which is no JSON', (json) => {
  expect(parseBounded(json)).toBeUndefined();
});

it('reads a hundred thousand names, and texts of brackets', () => {
  const map = { names: Array.from({ length: 100_000 }, (_, n) => `n${n}`), sourcesContent: ['['.repeat(2_000_000)] };
  expect(parseBounded(JSON.stringify(map))).toEqual(map);
});

it.each([
  ['deep', '['.repeat(15_000_000)],
  ['deep with an end', `${'['.repeat(65)}${']'.repeat(65)}`],
  ['wide', `[${'0,'.repeat(500_001)}0]`],
  ['full of keys', `{${'"a":0,'.repeat(300_000)}"b":0}`],
])('hands nothing to JSON.parse that is %s', (_, json) => {
  const parse = vi.spyOn(JSON, 'parse');
  expect(parseBounded(json)).toBeUndefined();
  expect(parse).not.toHaveBeenCalled();
});
