import { expect, test } from 'vitest';

import { decodeFlight } from './decode-flight.ts';
import { readAwaits } from './row-awaits.ts';
import { findRow } from './row-index.ts';

function awaitsOf(text: string) {
  const flight = decodeFlight(new TextEncoder().encode(text));
  return readAwaits(flight, findRow(flight.rows, 0) ?? 0);
}

test('a request: its address without the query, its owner, and the call of the app that led to it', () => {
  const rows = [
    '1:{"name":"Stock"}',
    '2:J{"name":"fetch","start":10.5,"end":60.5,"owner":"$1","stack":[["get","/srv/node_modules/x.js",1,1,0,0,false],["load","/srv/app/stock.ts",8,3,1,1,true]],"value":"$@3"}',
    '3:{"url":"https://shop.example/stock?key=secret#x","status":200}',
    '0:D{"awaited":"$2","owner":"$1"}',
    '0:1',
  ];
  expect(awaitsOf(`${rows.join('\n')}\n`)).toEqual([
    {
      name: 'fetch',
      url: 'https://shop.example/stock',
      ms: 50,
      start: 10.5,
      end: 60.5,
      row: 1,
      component: 'Stock',
      source: { file: '/srv/app/stock.ts', line: 8, column: 3 },
    },
  ]);
});

test('in the order in which they began', () => {
  const text =
    '2:J{"name":"b","start":5,"end":6}\n3:J{"name":"a","start":1,"end":9}\n0:D{"awaited":"$2"}\n0:D{"awaited":"$3"}\n0:1\n';
  expect(awaitsOf(text).map(({ name, component }) => [name, component])).toEqual([
    ['a', undefined],
    ['b', undefined],
  ]);
});

test.each([
  ['in production', '0:1\n'],
  ['what came over another connection', '0:D{"awaited":"$2"}\n0:1\n'],
  ['times that are none', '2:J{"name":"b","start":"x","end":6}\n0:D{"awaited":"$2"}\n0:1\n'],
  ['an end before the start', '2:J{"name":"b","start":7,"end":6}\n0:D{"awaited":"$2"}\n0:1\n'],
])('nothing is known: %s', (_, text) => {
  expect(awaitsOf(text)).toEqual([]);
});
