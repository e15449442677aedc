import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { expect, it, onTestFinished } from 'vitest';

import { openLog, shareSync } from './flush-log.ts';

/** A disk that answers when the test says so. */
function openDisk() {
  const begun: PromiseWithResolvers<void>[] = [];
  async function sync(): Promise<void> {
    const one = Promise.withResolvers<void>();
    begun.push(one);
    await one.promise;
  }
  return { begun, flush: shareSync(sync) };
}

async function nextTurn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

it('lets all who come during a flush share the next one', async () => {
  const { begun, flush } = openDisk();
  const done: string[] = [];
  const first = flush().then(() => done.push('first'));
  const others = ['second', 'third'].map((name) => flush().then(() => done.push(name)));
  expect(begun.length).toBe(1);
  begun[0]?.resolve();
  await first;
  await nextTurn();
  // The flush that had begun may have passed what they wrote.
  expect([done, begun.length]).toEqual([['first'], 2]);
  begun[1]?.resolve();
  await Promise.all(others);
  expect(done).toEqual(['first', 'second', 'third']);
  const later = flush();
  expect(begun.length).toBe(3);
  begun[2]?.resolve();
  await later;
});

it('tells a failure to those who waited for it, and tries again for the others', async () => {
  const { begun, flush } = openDisk();
  const first = flush();
  const second = flush();
  begun[0]?.reject(new Error('EIO'));
  await expect(first).rejects.toThrow('EIO');
  begun[1]?.resolve();
  await expect(second).resolves.toBeUndefined();
});

it('opens the log when it is first needed, and again after a failure', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'flight-log-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const log = openLog(path.join(folder, 'flight.db'));
  await expect(log.sync()).rejects.toThrow('ENOENT');
  writeFileSync(path.join(folder, 'flight.db-wal'), 'log');
  await log.sync();
  await log.close();
  await log.sync();
  await log.close();
});
