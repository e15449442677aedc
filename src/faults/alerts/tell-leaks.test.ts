import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { useOperator } from '#src/access/testing/use-operator.ts';
import { addApp } from '#src/apps/apps.ts';
import type { LeakTotal } from '#src/flights/recorder/leak-totals.ts';
import { openStore, type Store } from '#src/store/open-store.ts';

import { addChannel, listDeliveries } from './channels.ts';
import { describeAlert } from './describe-alert.ts';
import { tellLeaks } from './tell-leaks.ts';

useOperator();

const hour = 60 * 60 * 1_000;
const start = Date.UTC(2030, 0, 1, 12, 10);

let folder: string;
let store: Store;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-leak-alerts-'));
  vi.stubEnv('FLIGHT_DATA', folder);
  vi.useFakeTimers({ toFake: ['Date'] });
  vi.setSystemTime(start);
  store = await openStore();
  await addApp('Shop');
  const rules = { new: true, back: false, volume: null, slow: null, apps: null, untrusted: false, inside: true };
  await addChannel({ name: 'ops', kind: 'slack', target: 'https://chat.example/hook', rules });
});

afterEach(async () => {
  await store.close();
  vi.useRealTimers();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

const found = (places: number): LeakTotal => ({
  app: 'shop',
  what: 'secrets',
  places,
  newest: {
    app: 'shop',
    rule: 'password-hash',
    name: 'the hash of a password',
    component: 'Profile',
    path: 'user.passwordHash',
    route: '/[user]\n',
    count: 12,
    first_at: start + hour,
    last_at: start + hour,
    request_id: 'r',
  },
});

it('tells what and where at once, and of more places once a day', async () => {
  expect(await tellLeaks(store, [found(1)], start + hour)).toBe(1);
  expect(await tellLeaks(store, [found(1)], start + 30 * hour)).toBe(0);
  expect(await tellLeaks(store, [found(3)], start + 31 * hour)).toBe(1);
  expect(await tellLeaks(store, [found(4)], start + 32 * hour)).toBe(0);
  const [later, first] = (await listDeliveries()).map(({ content }) => describeAlert(content, 'https://f.example'));
  expect(first).toMatchObject({
    title: 'A secret is in what an app sends',
    facts: [
      { name: 'App', value: 'Shop' },
      { name: 'What', value: 'the hash of a password' },
      { name: 'Where', value: 'user.passwordHash of <Profile>' },
      { name: 'Route', value: '/[user]' },
      { name: 'In all', value: '1 place' },
    ],
    link: { url: 'https://f.example/guard?app=shop' },
  });
  expect(later?.facts.at(-1)).toEqual({ name: 'In all', value: '3 places: 2 more since the last message' });
});

it('tells of caches apart from secrets', async () => {
  const title = 'An answer that caches may keep for everybody sets a cookie';
  const caches: LeakTotal = {
    ...found(2),
    what: 'caches',
    newest: { ...found(2).newest, rule: 'cache-cookie', name: title },
  };
  expect(await tellLeaks(store, [found(1), caches], start + hour)).toBe(2);
  const contents = (await listDeliveries()).map(({ content }) => content);
  const told = contents.find(({ type }) => type === 'caches');
  expect(told && describeAlert(told, 'https://f.example')).toMatchObject({
    title: 'A cache may send answers to the wrong visitors',
    facts: [
      { name: 'App', value: 'Shop' },
      { name: 'What', value: title },
      { name: 'Route', value: '/[user]' },
      { name: 'In all', value: '2 places' },
    ],
  });
});
