import { readFileSync } from 'node:fs';
import path from 'node:path';

import { expect, test } from 'vitest';

import { decodeFlight } from './decode-flight.ts';
import { decodeReply } from './decode-reply.ts';
import { findHoles } from './holes.ts';
import { findPromises } from './promised-rows.ts';
import { findRow, readHeader } from './row-index.ts';

function promisesOf(text: string): string[] {
  const flight = decodeFlight(new TextEncoder().encode(text));
  const id = (row: number) => readHeader(flight.rows, row).id;
  return [...findPromises(flight)].flatMap((by, row) => (by < 0 ? [] : `${id(by)} → ${id(row)}`));
}

test.each([
  ['a lazy and a promise', '0:["$L1","$@2"]\n1:1\n2:2\n', ['0 → 1', '0 → 2']],
  ['the first that promised it', '0:["$L1","$L2"]\n1:"$L2"\n2:2\n', ['0 → 1', '0 → 2']],
  ['what came before', '1:1\n0:"$L1"\n', []],
  ['a plain reference, a Map, a Set', '0:["$1","$Q2","$W3"]\n1:1\n2:[]\n3:[]\n', []],
  ['a client module', '0:["$","$L1",null,{}]\n1:I["a",[],"A"]\n', []],
  ['text that looks like one', '0:["$$L1","L1"]\n1:1\n', []],
  ['with a path', '0:["$L1:a"]\n1:1\n', ['0 → 1']],
  [
    'of development’s data',
    '4:{"name":"App","props":"$L1"}\n0:D"$4"\n0:["$","p",null,{},"$@2","$L3",1]\n1:1\n2:2\n3:3\n',
    [],
  ],
  ['awaited I/O', '0:"$L1"\n2:J{"name":"x","start":1,"end":2,"value":"$@3"}\n3:1\n1:1\n', ['0 → 1']],
])('%s', (_, text, expected) => {
  expect(promisesOf(text)).toEqual(expected);
});

test('in a request `$L` is a typed array', () => {
  const { flight } = decodeReply([
    { name: '0', value: '["$L1"]' },
    { name: '1', value: '[]' },
  ]);
  expect([...findPromises(flight)].every((by) => by === -1)).toBe(true);
});

test('a development page waits for no more rows than its holes do', () => {
  const file = path.join(import.meta.dirname, '../fixtures/next-16.4.6-development/shop.rsc');
  const flight = decodeFlight(new Uint8Array(readFileSync(file)));
  const promised = [...findPromises(flight)].flatMap((by, row) => (by < 0 ? [] : row));
  const { holes, promises } = findHoles(flight);
  const late = [...holes.flatMap(({ rows }) => rows), ...promises];
  const awaited = late.flatMap(({ row }) => row ?? []);
  expect(promised).toContain(findRow(flight.rows, 0x69));
  expect([...new Set(awaited)].toSorted((a, b) => a - b)).toEqual(promised);
});
