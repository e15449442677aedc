import { existsSync, mkdtempSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { openStore } from '#src/store/open-store.ts';

import { chunkFile, dropChunks, keepChunk, listMissing } from './keep-chunks.ts';
import { uploadLimits } from './limits.ts';
import { sha1 } from './thread/testing/pack-map.ts';

let folder: string;
const chunk = Buffer.from('a chunk');

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
  folder = mkdtempSync(path.join(tmpdir(), 'flight-chunks-'));
  process.env['FLIGHT_DATA'] = folder;
});

afterEach(async () => {
  vi.useRealTimers();
  await (await openStore()).close();
  delete process.env['FLIGHT_DATA'];
  rmSync(folder, { recursive: true });
});

/** What waits is counted each ten seconds. */
function passSeconds(): void {
  vi.setSystemTime(Date.now() + 10_000);
}

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
  passSeconds();
  expect(await keepChunk('shop', sha1(next), next)).toBe('too-many');
  expect(await keepChunk('other', sha1(next), next)).toBe('kept');
  const before = new Date(Date.now() - uploadLimits.waitingMs - 60_000);
  utimesSync(old, before, before);
  passSeconds();
  expect(await keepChunk('shop', sha1(next), next)).toBe('kept');
  expect([existsSync(old), existsSync(chunkFile('shop', sha1(chunk)))]).toEqual([false, true]);
});

it('counts what waits once, and each chunk as what it takes at least', async ({ skip }) => {
  skip((await openStore()).engine === 'postgres', 'there chunks are rows: keep-in-database.postgres.test.ts');
  const most = uploadLimits.waitingBytes / 65_536;
  for (let n = 0; n < most; n += 1) {
    const one = Buffer.from(String(n));
    expect(await keepChunk('shop', sha1(one), one)).toBe('kept');
  }
  expect(await keepChunk('shop', sha1(chunk), chunk)).toBe('too-many');
  await dropChunks('shop', [sha1(Buffer.from('7'))]);
  expect(await keepChunk('shop', sha1(chunk), chunk)).toBe('kept');
});
