import { gzipSync, zstdCompressSync } from 'node:zlib';

import { expect, test } from 'vitest';

import { writeFlightFile } from '#flight';

import { readInput } from './read-input.ts';

const payload = '0:"a"\n';

async function list(input: string | Uint8Array): Promise<string[]> {
  const read = await readInput(typeof input === 'string' ? new TextEncoder().encode(input) : new Uint8Array(input));
  if (read.kind === 'unreadable') return [read.reason];
  return read.flights.map(({ title, bytes }) => `${title}: ${new TextDecoder().decode(bytes)}`);
}

/** An exported flight whose response had no body. */
function exportedRequest(): string {
  return writeFlightFile({
    facts: {
      requestId: 'r',
      traceId: 't',
      visit: null,
      kind: 'action',
      method: 'POST',
      path: '/',
      query: [],
      route: '/',
      build: '',
      status: 204,
      rendering: 'dynamic',
      outcome: 'none',
      startedAt: '2026-11-20T10:00:00.000Z',
      firstByteMs: null,
      durationMs: 1,
      bytes: 0,
      digests: [],
      action: null,
      hits: 1,
      lastAt: null,
    },
    content: 'none',
    chunks: [],
    body: new Uint8Array(),
    debug: null,
    elements: [],
    elided: [],
    arguments: { contentType: 'text/plain', bytes: 3, body: new TextEncoder().encode('[1]') },
  });
}

test('only responses count, whatever else is in the file', async () => {
  const request = { method: 'POST', url: 'http://localhost/', postData: { text: '[1]' } };
  const entry = { request, response: { status: 200, content: { text: payload } } };
  const title = 'POST http://localhost/ 200: 0:"a"\n';
  expect(await list(JSON.stringify({ log: { entries: [entry, entry] } }))).toEqual([title, title]);
  const refusal = 'it is what a browser sends to a server action; this command reads responses';
  expect(await list('[1]')).toEqual([refusal]);
  expect(await list(exportedRequest())).toEqual([refusal]);
});

test('gzip and zstd are unpacked', async () => {
  expect(await list(gzipSync(payload))).toEqual([`payload: ${payload}`]);
  expect(await list(zstdCompressSync(payload))).toEqual([`payload: ${payload}`]);
});

test('what looks like nothing known is said to be that, with the first wrong byte', async () => {
  const wrong = 'it does not look like Flight: a row’s id must be lower-case hex digits and a colon (byte 0)';
  expect(await list('hello')).toEqual([wrong]);
  expect(await list(gzipSync('hello'))).toEqual([wrong]);
  expect(await list('{"a":1}')).toEqual(['it is JSON, and neither a HAR nor an exported flight']);
});
