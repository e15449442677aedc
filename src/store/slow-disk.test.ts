import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { expect, it, onTestFinished, vi } from 'vitest';

import { openStore } from './open-store.ts';

const disk = vi.hoisted(() => ({ sync: async (): Promise<void> => undefined }));

vi.mock('./flush-log.ts', async (importOriginal) => ({
  ...(await importOriginal<typeof import('./flush-log.ts')>()),
  openLog: () => ({ sync: () => disk.sync(), close: async () => undefined }),
}));

const mebibyte = 1024 * 1024;

it('a flush that takes long keeps the log from being written back on this thread, until it is over', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'flight-slow-disk-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const store = await openStore(folder);
  const file = path.join(folder, 'flight.db');
  let time = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => time);
  onTestFinished(() => void vi.restoreAllMocks());
  let number = 0;
  async function commitMebibyte(): Promise<unknown> {
    number += 1;
    const type = `${number}`.padEnd(mebibyte, 'x');
    return store.commit(async (trx) => {
      await trx.insertInto('outcome').values({ source: 'client', type, reason: 'r', last_time: 1 }).execute();
    });
  }
  const before = statSync(file).size;
  // The tables are in the log, too.
  const logBefore = statSync(`${file}-wal`).size;
  const flush = Promise.withResolvers<void>();
  disk.sync = () => flush.promise;
  const writes = [commitMebibyte()];
  await vi.waitFor(() => expect(statSync(`${file}-wal`).size).toBeGreaterThan(logBefore + mebibyte));
  time = 100;
  for (let count = 0; count < 20; count += 1) writes.push(commitMebibyte());
  await vi.waitFor(() => expect(statSync(`${file}-wal`).size).toBeGreaterThan(20 * mebibyte));
  expect(statSync(file).size).toBe(before);
  disk.sync = async () => undefined;
  flush.resolve();
  await Promise.all(writes);
  await commitMebibyte();
  expect(statSync(file).size).toBeGreaterThan(20 * mebibyte);
  await store.close();
});
