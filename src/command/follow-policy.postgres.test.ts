import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { ensureApp, setRecord } from '#src/apps/apps.ts';
import { recordAll } from '#src/apps/record-all.ts';
import { openStore, type Store } from '#src/store/open-store.ts';

import { databaseOf } from '../../e2e/testing/postgres/databases.ts';
import { followPolicyIn, type FollowedPolicy } from './follow-policy.ts';

let folder: string;
let store: Store;
let url: string;
let onDeleted: ReturnType<typeof vi.fn<() => void>>;
let followed: FollowedPolicy | undefined;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'follow-policy-'));
  vi.stubEnv('FLIGHT_DATA', folder);
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onDeleted = vi.fn<() => void>();
  url = await databaseOf(folder);
  store = await openStore();
  await ensureApp('shop');
});

afterEach(async () => {
  followed?.stop();
  await store.close();
  vi.useRealTimers();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

async function follow(host = '127.0.0.1', at = url): Promise<FollowedPolicy> {
  followed = await followPolicyIn(at, { app: 'shop', host, onDeleted });
  return followed;
}

/** One look more. */
async function expectMode(mode: string): Promise<void> {
  vi.advanceTimersByTime(2_000);
  await expect.poll(() => followed?.read().mode).toBe(mode);
}

it('is the app’s own setting from the beginning, and follows it', async () => {
  await setRecord('shop', 'off');
  expect((await follow()).read()).toEqual({ mode: 'off' });
  await recordAll('shop', Date.now());
  await expectMode('all');
  await store.db.deleteFrom('record_all').execute();
  await setRecord('shop', 'errors');
  await expectMode('errors');
});

it('is nothing once the app is deleted, which is said once', async () => {
  await follow();
  await store.db.deleteFrom('app').where('id', '=', 'shop').execute();
  await expectMode('off');
  await expectMode('off');
  expect(onDeleted).toHaveBeenCalledTimes(1);
});

it('is what RECORD says where the database does not answer', async () => {
  const nowhere = new URL(url);
  nowhere.port = '1';
  expect((await follow('0.0.0.0', nowhere.href)).read()).toEqual({ mode: 'errors' });
  expect(onDeleted).not.toHaveBeenCalled();
});
