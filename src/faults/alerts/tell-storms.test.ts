import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { useOperator } from '#src/access/testing/use-operator.ts';
import { addApp } from '#src/apps/apps.ts';
import type { StormTotal } from '#src/flights/recorder/storm-totals.ts';
import { openStore, type Store } from '#src/store/open-store.ts';

import { addChannel, listDeliveries } from './channels.ts';
import { describeAlert } from './describe-alert.ts';
import { tellStorms } from './tell-storms.ts';

useOperator();

const hour = 60 * 60 * 1_000;
const start = Date.UTC(2030, 0, 1, 12, 10);

let folder: string;
let store: Store;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-storm-alerts-'));
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

const found = (tabs: number): StormTotal => ({
  app: 'shop',
  tabs,
  requests: 12_000,
  newest: {
    app: 'shop',
    tab: 'f'.repeat(32),
    route: '/search\n',
    page: '/products',
    requests: 12_000,
    sized: 0,
    bytes: 0,
    prefetches: 0,
    prefetch_bytes: 0,
    unsure: 0,
    peak: 200,
    first_at: Date.UTC(2030, 0, 1, 14, 2),
    last_at: start + 2 * hour,
    request_id: 'r',
  },
});

it('names the tab, what it asks and since when, at once, and more tabs once a day', async () => {
  expect(await tellStorms(store, [found(1)], start + 2 * hour)).toBe(1);
  expect(await tellStorms(store, [found(1)], start + 30 * hour)).toBe(0);
  expect(await tellStorms(store, [found(3)], start + 31 * hour)).toBe(1);
  const [later, first] = (await listDeliveries()).map(({ content }) => describeAlert(content, 'https://f.example'));
  expect(first).toMatchObject({
    title: 'A tab asks for the same again and again',
    headline: 'One tab asks up to 200 times a second, most often for /search, since 14:02 UTC',
    facts: [
      { name: 'App', value: 'Shop' },
      { name: 'Page', value: '/products' },
      { name: 'Tab', value: 'f'.repeat(32) },
      { name: 'So far', value: '12,000 requests' },
      { name: 'In all', value: '1 tab' },
    ],
    link: { url: 'https://f.example/guard?app=shop' },
  });
  expect(later?.facts.at(-1)).toEqual({ name: 'In all', value: '3 tabs: 2 more since the last message' });
});
