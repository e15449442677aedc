import { deflateRawSync, deflateSync, gzipSync, zstdCompressSync, constants } from 'node:zlib';

import { expect, it } from 'vitest';

import { readCoding, unpackBody } from './unpack-body.ts';

const text = Buffer.from('{"event_id":"9ec79c33ec9942ab8353589fcb2e04dc"}\n');

it.each([
  ['gzip', gzipSync(text)],
  ['deflate', deflateSync(text)],
  ['deflate', deflateRawSync(text)],
  ['zstd', zstdCompressSync(text)],
  ['identity', text],
] as const)('unpacks %s', async (coding, body) => {
  expect(Buffer.from(await unpackBody(body, coding, text.length)).toString()).toBe(text.toString());
});

it.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['zstd', zstdCompressSync],
] as const)('%s stops at the limit', async (coding, pack) => {
  const bomb = pack(Buffer.alloc(64 * 1024 * 1024));
  expect(bomb.length).toBeLessThan(100_000);
  const before = process.memoryUsage().arrayBuffers;
  expect(await unpackBody(bomb, coding, 1024 * 1024)).toBe('too-large');
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1024 * 1024);
});

it('counts what was not packed as well', async () => {
  expect(await unpackBody(text, 'identity', text.length - 1)).toBe('too-large');
});

it.each([
  ['gzip', text],
  ['gzip', gzipSync(text).subarray(0, 20)],
  ['deflate', text],
  ['zstd', text],
  ['zstd', new Uint8Array()],
] as const)('%s that is none is malformed', async (coding, body) => {
  expect(await unpackBody(body, coding, 1024)).toBe('malformed');
});

it('takes no window that is larger than 8 MiB', async () => {
  const params = { [constants.ZSTD_c_windowLog]: 27, [constants.ZSTD_c_enableLongDistanceMatching]: 1 };
  // Without a declared size a frame says its whole window.
  const packed = zstdCompressSync(Buffer.alloc(1024), { params });
  const wide = Buffer.from(packed);
  expect(Buffer.from(await unpackBody(wide, 'zstd', 2048))).toHaveLength(1024);
  // Frame header: no single segment, no content size, window 2^27.
  const header = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, (27 - 10) << 3]);
  const emptyLastBlock = Buffer.from([0x01, 0x00, 0x00]);
  expect(await unpackBody(Buffer.concat([header, emptyLastBlock]), 'zstd', 2048)).toBe('malformed');
  const narrow = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, (23 - 10) << 3]);
  expect(await unpackBody(Buffer.concat([narrow, emptyLastBlock]), 'zstd', 2048)).toHaveLength(0);
});

it.each([
  [undefined, 'identity'],
  ['', 'identity'],
  [' X-GZIP ', 'gzip'],
  ['zstd', 'zstd'],
  ['br', undefined],
  ['gzip, gzip', undefined],
  ['constructor', undefined],
])('reads %j as %s', (header, coding) => {
  expect(readCoding(header)).toBe(coding);
});
