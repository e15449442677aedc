import { existsSync, mkdtempSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { openStore } from '#src/store/open-store.ts';

import { chunkFile, dropChunks, keepChunk, listMissing } from './keep-chunks.ts';
import { uploadLimits } from './limits.ts';
import { sha1 } from './thread/testing/pack-map.ts';

let folder: string;
const chunk = Buffer.from('a chunk');

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-chunks-'));
  process.env['FLIGHT_DATA'] = folder;
});

afterEach(async () => {
  await (await openStore()).close();
  delete process.env['FLIGHT_DATA'];
  rmSync(folder, { recursive: true });
});

it('keeps a chunk for its app until it is dropped', async () => {
  const id = sha1(chunk);
  expect(await keepChunk('shop', id, chunk)).toBe('kept');
  expect(await keepChunk('shop', id, chunk)).toBe('kept');
  const ids = ['b'.repeat(40), id];
  expect([await listMissing('shop', ids), await listMissing('other', ids)]).toEqual([[ids[0]], ids]);
  await dropChunks('shop', ids);
  expect(await listMissing('shop', ids)).toEqual(ids);
});

it('takes no more than may wait, and forgets after an hour what nobody came for', async ({ skip }) => {
  skip((await openStore()).engine === 'postgres', 'there chunks are rows: keep-in-database.postgres.test.ts');
  await keepChunk('shop', sha1(chunk), chunk);
  const old = chunkFile('shop', 'b'.repeat(40));
  writeFileSync(old, '');
  truncateSync(old, uploadLimits.waitingBytes - 5);
  const next = Buffer.from('another');
  expect(await keepChunk('shop', sha1(next), next)).toBe('too-many');
  expect(await keepChunk('other', sha1(next), next)).toBe('kept');
  const before = new Date(Date.now() - uploadLimits.waitingMs - 60_000);
  utimesSync(old, before, before);
  expect(await keepChunk('shop', sha1(next), next)).toBe('kept');
  expect([existsSync(old), existsSync(chunkFile('shop', sha1(chunk)))]).toEqual([false, true]);
});
