import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';

import { ensureApp, setRecord } from '#src/apps/apps.ts';
import { recordAll, stopRecordingAll } from '#src/apps/record-all.ts';
import { openStore, type Store } from '#src/store/open-store.ts';

import { followPolicy } from './follow-policy.ts';

let folder: string;
let store: Store;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'follow-policy-'));
  vi.stubEnv('FLIGHT_DATA', folder);
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  store = await openStore();
  await ensureApp('shop');
});

afterEach(async () => {
  await store.close();
  vi.useRealTimers();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

function follow(host = '127.0.0.1', onDeleted: () => void = () => undefined) {
  const followed = followPolicy({ folder, app: 'shop', host, onDeleted });
  onTestFinished(followed.stop);
  return followed;
}

it('is everything where only this machine reaches the app, and failures elsewhere', () => {
  expect(follow().read()).toEqual({ mode: 'all' });
  expect(follow('0.0.0.0').read()).toEqual({ mode: 'errors' });
  vi.stubEnv('RECORD', 'sample:0.5');
  expect(follow('0.0.0.0').read()).toEqual({ mode: 'sample', share: 0.5 });
});

it('is failures from when others turn out to reach the app, unless something is set', async () => {
  const followed = follow();
  expect(followed.noteOthers()).toBe(true);
  expect(followed.read()).toEqual({ mode: 'errors' });
  vi.advanceTimersByTime(2_000);
  expect([followed.read(), followed.readUnset()]).toEqual([{ mode: 'errors' }, { mode: 'errors' }]);
  await setRecord('shop', 'all');
  vi.advanceTimersByTime(2_000);
  expect(followed.read()).toEqual({ mode: 'all' });
  vi.stubEnv('RECORD', 'all');
  expect(follow().noteOthers()).toBe(false);
});

it('follows the app’s own setting while it runs', async () => {
  const followed = follow();
  await setRecord('shop', 'errors');
  vi.advanceTimersByTime(2_000);
  expect(followed.read()).toEqual({ mode: 'errors' });
  await setRecord('shop', undefined);
  vi.advanceTimersByTime(2_000);
  expect(followed.read()).toEqual({ mode: 'all' });
});

it('is everything for a while where that was asked for', async () => {
  await setRecord('shop', 'off');
  const followed = follow();
  expect(followed.read()).toEqual({ mode: 'off' });
  await recordAll('shop', Date.now());
  vi.advanceTimersByTime(2_000);
  expect(followed.read()).toEqual({ mode: 'all' });
  await stopRecordingAll('shop');
  vi.advanceTimersByTime(2_000);
  expect(followed.read()).toEqual({ mode: 'off' });
});

it('is nothing once the app is deleted, which is said once, and goes on when it is there again', async () => {
  const onDeleted = vi.fn();
  const followed = follow('127.0.0.1', onDeleted);
  await store.db.deleteFrom('app').where('id', '=', 'shop').execute();
  vi.advanceTimersByTime(6_000);
  expect([followed.read(), onDeleted.mock.calls.length]).toEqual([{ mode: 'off' }, 1]);
  await store.db
    .insertInto('app')
    .values({ id: 'shop', name: 'shop', public_key: 'a', secret_key: 'b', created: 1, record: null })
    .execute();
  vi.advanceTimersByTime(2_000);
  expect(followed.read()).toEqual({ mode: 'all' });
});

it('stays as it is while the database cannot be read', async () => {
  await setRecord('shop', 'errors');
  const followed = follow();
  await store.close();
  rmSync(folder, { recursive: true });
  vi.advanceTimersByTime(2_000);
  expect(followed.read()).toEqual({ mode: 'errors' });
  store = await openStore();
});
