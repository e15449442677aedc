import { expect, it } from 'vitest';

import { parseSourceMap } from './source-map.ts';

/** Everything of the first line is at line 5, column 9 of the source. */
const map = { version: 3, sources: ['a.ts'], sourcesContent: ['text'], names: [], mappings: 'AAIQ' };
const place = { source: 'a.ts', line: 5, column: 9, content: 'text' };

it('finds a place, and the same again', () => {
  const opened = parseSourceMap(JSON.stringify(map));
  const all = [
    { line: 3, column: 1 },
    { line: 1, column: 70 },
  ];
  expect(opened?.find({ line: 1, column: 2 }, all)).toEqual(place);
  expect(opened?.find({ line: 1, column: 70 })).toEqual(place);
  expect(opened?.find({ line: 3, column: 1 })).toBeUndefined();
  expect(opened?.find({ line: 2, column: 1 })).toBeUndefined();
});

it('passes over the line that keeps a page from running a map as a script', () => {
  expect(parseSourceMap(`)]}'\n${JSON.stringify(map)}`)?.find({ line: 1, column: 1 })).toEqual(place);
});

it('finds nothing where the map gives no name, has another form, or is none', () => {
  expect(parseSourceMap(JSON.stringify({ ...map, sources: [null] }))?.find({ line: 1, column: 1 })).toBeUndefined();
  expect(parseSourceMap(JSON.stringify({ ...map, mappings: '!' }))?.find({ line: 1, column: 1 })).toBeUndefined();
  expect(parseSourceMap('{"version":3}')).toBeUndefined();
});
