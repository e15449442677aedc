import { gzipSync, zstdCompressSync } from 'node:zlib';

import { expect, test } from 'vitest';

import { readInput } from './read-input.ts';

const payload = '0:"a"\n';

async function list(input: string | Uint8Array): Promise<string[]> {
  const read = await readInput(typeof input === 'string' ? new TextEncoder().encode(input) : new Uint8Array(input));
  if (read.kind === 'unreadable') return [read.reason];
  return read.flights.map(({ title, bytes }) => `${title}: ${new TextDecoder().decode(bytes)}`);
}

test('only responses count, whatever else is in the file', async () => {
  const request = { method: 'POST', url: 'http://localhost/', postData: { text: '[1]' } };
  const entry = { request, response: { status: 200, content: { text: payload } } };
  const title = 'POST http://localhost/ 200: 0:"a"\n';
  expect(await list(JSON.stringify({ log: { entries: [entry, entry] } }))).toEqual([title, title]);
  expect(await list('[1]')).toEqual(['it is what a browser sends to a server action; this command reads responses']);
});

test('gzip and zstd are unpacked', async () => {
  expect(await list(gzipSync(payload))).toEqual([`payload: ${payload}`]);
  expect(await list(zstdCompressSync(payload))).toEqual([`payload: ${payload}`]);
});

test('what looks like nothing known is decoded all the same', async () => {
  expect(await list('hello')).toEqual(['payload: hello']);
  expect(await list(gzipSync('hello'))).toEqual(['payload: hello']);
  expect(await list('{"a":1}')).toEqual(['it is JSON, and neither a HAR nor an exported flight']);
});
