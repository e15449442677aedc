import { readFileSync } from 'node:fs';
import path from 'node:path';

import { expect, test } from 'vitest';

import { decodeFlight } from './decode-flight.ts';
import type { Flight } from './flight.ts';
import { findRow } from './row-index.ts';
import { readRowValue } from './row.ts';
import { printRowOrigin, readElementOrigin, readRowOrigin, readRowSubject, type RowOrigin } from './row-origin.ts';

function open(fixture: string): Flight {
  return decodeFlight(new Uint8Array(readFileSync(path.join(import.meta.dirname, '../fixtures', fixture))));
}

function decode(text: string): Flight {
  return decodeFlight(new TextEncoder().encode(text));
}

function originOf(flight: Flight, id: number): RowOrigin | undefined {
  const row = findRow(flight.rows, id);
  return row === undefined ? undefined : readRowOrigin(flight, row);
}

function print(flight: Flight, id: number): string | undefined {
  const origin = originOf(flight, id);
  return origin && printRowOrigin(origin);
}

const waits = open('react-19.3.1-development/waits.flight');

test('a component is told with the line it begins at', () => {
  expect(originOf(waits, 0xc)).toEqual({
    component: 'Reviews',
    source: { file: '/srv/plain/app/reviews.js', line: 7, column: 1 },
  });
  expect(print(waits, 0xc)).toBe('<Reviews> (app/reviews.js:7)');
});

test('of several components the outermost is told; where it is used, when no call within it is known', () => {
  expect(originOf(waits, 0)).toEqual({
    component: 'Page',
    source: { file: '/srv/plain/serve.cjs', line: 6, column: 40 },
  });
});

test('an element is told with the component that made it, and the line', () => {
  const element = readRowValue(waits, findRow(waits.rows, 0) ?? 0);
  const origin = element && readElementOrigin(waits, element);
  expect(origin && printRowOrigin(origin)).toBe('<Layout> (app/page.js:3)');
  const bare = decode('0:["$","p",null,{}]\n');
  const value = readRowValue(bare, 0);
  expect(value && readElementOrigin(bare, value)).toBeUndefined();
});

test('awaited I/O is told with its owner and where it was begun', () => {
  expect(print(waits, 0x11)).toBe('<Reviews> (app/reviews.js:4)');
});

test('rows that are about others, or that no component rendered, have no origin', () => {
  const origins = Array.from({ length: waits.rows.count }, (_, row) => readRowOrigin(waits, row));
  expect(origins.filter((origin) => origin !== undefined)).toHaveLength(6);
});

test('Next.js: the compiled file is told and not printed, its own components have no place', () => {
  const next = open('next-16.4.6-development/shop.rsc');
  expect(originOf(next, 0x69)?.component).toBe('Reviews');
  expect(originOf(next, 0x69)?.source?.file).toContain('/.next/dev/server/chunks/');
  expect(print(next, 0x69)).toBe('<Reviews>');
  expect(originOf(next, 0x50)).toEqual({ component: 'NonIndex', source: undefined });
});

test('production says nothing', () => {
  const production = open('react-19.3.1-production/suspense.flight');
  for (let row = 0; row < production.rows.count; row++) expect(readRowOrigin(production, row)).toBeUndefined();
});

test.each([
  ['what it refers to came over another connection', '0:D"$7"\n0:"a"\n', undefined],
  ['no name', '0:D{"env":"Server"}\n0:"a"\n', undefined],
  ['references that go round', '7:"$8"\n8:"$7"\n0:D"$7"\n0:"a"\n', undefined],
  ['no stack', '0:D{"name":"App"}\n0:"a"\n', '<App>'],
  [
    'a stack of the runtime and of packages',
    stackOf('node:fs', '/srv/node_modules/x/y.js', '<anonymous>', ''),
    '<App>',
  ],
  ['a chunk of packages', stackOf('/srv/chunks/ssr/node_modules_x.js', '[root]/[node_modules]_a.js'), '<App>'],
  [
    'the first place that is of the app',
    stackOf('node:fs', '/srv/app/page.tsx', '/srv/a.ts'),
    '<App> (app/page.tsx:3)',
  ],
  ['a file of webpack', stackOf('webpack-internal:///(rsc)/./app/page.tsx?a'), '<App> (app/page.tsx:3)'],
  ['a file of a replayed call', stackOf('about://React/Server/file:///srv/app/page.tsx'), '<App> (app/page.tsx:3)'],
  [
    'an error: where it was thrown',
    ':N1\n0:E{"digest":"","stack":[["load","/srv/app/data.ts",9,2,0,0,false]]}\n',
    'app/data.ts:9',
  ],
  ['an error of production', '1:D{"time":1}\n0:E{"digest":"x"}\n', undefined],
  ['a stack that is no stack', '0:D{"name":"App","stack":[1,[],["f",2,"x"],"y"]}\n0:"a"\n', '<App>'],
])('%s', (_, text, expected) => {
  expect(print(decode(text), 0)).toBe(expected);
});

function stackOf(...files: string[]): string {
  const stack = files.map((file) => ['other', file, 3, 4, 1, 1, false]);
  return `0:D${JSON.stringify({ name: 'App', stack })}\n0:"a"\n`;
}

test('a row of development tells of a component, or of what it awaited; a server reference of its function', () => {
  const flight = decode(
    [
      '1:{"name":"Page","env":"Server","stack":[["Layout","/srv/app/layout.js",3,9,1,1]]}',
      '2:D"$1"',
      '2:D{"time":4}',
      '2:D{"awaited":"$9","stack":[["loadReviews","file:///srv/app/reviews.js?t=1",7,2,4,1]]}',
      '3:{"id":"a1#save","bound":null,"name":"save","location":["save","/srv/app/save.js",5,8,5,1]}',
      '4:{"id":"a1","location":["save","/srv/app/save.js",5,8]}',
      '2:["$","p",null,{}]',
      '0:"$2"',
      '',
    ].join('\n'),
  );
  const subjects = Array.from({ length: flight.rows.count }, (_, row) => readRowSubject(flight, row));
  expect(subjects).toEqual([
    undefined,
    { component: 'Page', source: { file: '/srv/app/layout.js', line: 3, column: 9 } },
    undefined,
    { component: undefined, source: { file: '/srv/app/reviews.js', line: 7, column: 2 } },
    { component: undefined, source: { file: '/srv/app/save.js', line: 5, column: 8 } },
    undefined,
    undefined,
    undefined,
  ]);
});
