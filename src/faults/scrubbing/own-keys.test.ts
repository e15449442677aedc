import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { useOperator } from '#src/access/testing/use-operator.ts';
import { openStore, type Store } from '#src/store/open-store.ts';

import { isSensitiveKey, scrubData, scrubSecrets, scrubText } from './scrub.ts';
import { setOwnKeys } from './scrub-keys.ts';
import { addOwnKeys, listOwnKeys, ownKeysLimit, removeOwnKey, watchOwnKeys } from './own-keys.ts';

useOperator();

let folder: string;
let store: Store;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-keys-'));
  process.env['FLIGHT_DATA'] = folder;
  store = await openStore(folder);
});

afterEach(async () => {
  vi.useRealTimers();
  setOwnKeys([]);
  delete process.env['FLIGHT_DATA'];
  await store.close();
  rmSync(folder, { recursive: true });
});

it('removes the values of a key that was added, in data and in texts, and no longer when it is taken off', async () => {
  const text = 'customer_no=4711 and {"customerNo": "47 11"}, other_no=5';
  expect(scrubText(text)).toBe(text);
  expect(await addOwnKeys(' customer_no \n\nKonto\n')).toEqual({ type: 'added', names: ['customer_no', 'Konto'] });
  const removed = 'customer_no=[Filtered] and {"customerNo": [Filtered]}, other_no=5';
  expect([scrubText(text), scrubSecrets(text)]).toEqual([removed, removed]);
  expect(['Customer-No', 'customerNo', 'customer.no', 'konto'].map(isSensitiveKey)).toEqual([true, true, true, true]);
  expect(['customer', 'kontoauszug'].map(isSensitiveKey)).toEqual([false, false]);
  expect(scrubData({ order: { customerNo: 4711, total: 5 } })).toEqual({
    'order.customerNo': '[Filtered]',
    'order.total': '5',
  });
  expect(await listOwnKeys()).toEqual(['Konto', 'customer_no']);
  expect(await removeOwnKey('customer_no')).toBe(true);
  expect(await removeOwnKey('customer_no')).toBe(false);
  expect(scrubText(text)).toBe(text);
});

it('refuses what is no name, what is there already, and too many', async () => {
  expect(await addOwnKeys('a')).toEqual({ type: 'refused', reason: 'not-a-name', name: 'a' });
  expect(await addOwnKeys('fine\n<b>')).toEqual({ type: 'refused', reason: 'not-a-name', name: '<b>' });
  expect(await addOwnKeys('--')).toMatchObject({ reason: 'not-a-name' });
  expect(await addOwnKeys('x'.repeat(65))).toMatchObject({ reason: 'not-a-name' });
  expect(await addOwnKeys(' \n')).toEqual({ type: 'refused', reason: 'nothing' });
  const many = Array.from({ length: ownKeysLimit }, (_, index) => `key ${index}`);
  expect(await addOwnKeys([...many, 'one more'].join('\n'))).toEqual({ type: 'refused', reason: 'too-many' });
  expect(await addOwnKeys(many.join('\n'))).toMatchObject({ type: 'added' });
  expect(await addOwnKeys('KEY_7')).toEqual({ type: 'refused', reason: 'nothing' });
  expect(await addOwnKeys('other')).toEqual({ type: 'refused', reason: 'too-many' });
});

async function addElsewhere(name: string): Promise<void> {
  const text = `insert into scrub_key (name, created) values ('${name}', 1)`;
  // PostgreSQL's store has several connections: it is told of what each of them does.
  if (store.engine === 'postgres') return void (await sql.raw(text).execute(store.db));
  const other = new DatabaseSync(path.join(folder, 'flight.db'));
  other.exec(text);
  other.close();
}

it('knows the keys at its start, and those that another process adds a second later', async () => {
  await addElsewhere('konto');
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const stop = await watchOwnKeys(store);
  expect(scrubText('konto=1 depot=2')).toBe('konto=[Filtered] depot=2');
  const before = store.dataVersion();
  await addElsewhere('depot');
  await vi.waitFor(() => expect(store.dataVersion()).not.toBe(before), { timeout: 10_000 });
  vi.advanceTimersByTime(1_000);
  await vi.waitFor(() => expect(scrubText('konto=1 depot=2')).toBe('konto=[Filtered] depot=[Filtered]'));
  stop();
  expect(vi.getTimerCount()).toBe(0);
});

it('reads a hostile text once, whatever the keys are', () => {
  setOwnKeys(Array.from({ length: ownKeysLimit }, (_, index) => `key${index}`));
  function measure(part: string, length: number): number {
    const text = part.repeat(Math.ceil(length / part.length));
    const rounds = Array.from({ length: 5 }, () => {
      const start = performance.now();
      scrubText(text);
      return performance.now() - start;
    });
    return Math.min(...rounds);
  }
  // Names without values, values without ends, names that are known, and none of it.
  for (const part of ['a=', 'key1=', 'key1="', "key1='", 'key1=[Filtered]', 'a: ', 'é', '_', 'key1 = "a', ':=']) {
    // Four times the text; work that grew with its square would take sixteen times as long.
    expect(measure(part, 131_072) / measure(part, 32_768), part).toBeLessThan(12);
  }
});
