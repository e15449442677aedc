import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { useOperator } from '#src/access/testing/use-operator.ts';
import type { TryTotal } from '#src/flights/recorder/count-tries.ts';
import { addApp } from '#src/apps/apps.ts';
import { openStore, type Store } from '#src/store/open-store.ts';

import type { ChannelRules } from './channel.ts';
import { addChannel, listDeliveries } from './channels.ts';
import { describeAlert } from './describe-alert.ts';
import { tellTries } from './tell-tries.ts';

useOperator();

const hour = 60 * 60 * 1_000;
const start = Date.UTC(2030, 0, 1, 12, 10);
const rules: ChannelRules = {
  new: true,
  back: false,
  volume: null,
  slow: null,
  apps: null,
  untrusted: false,
  inside: true,
};

let folder: string;
let store: Store;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-tries-'));
  vi.stubEnv('FLIGHT_DATA', folder);
  vi.useFakeTimers({ toFake: ['Date'] });
  vi.setSystemTime(start);
  store = await openStore();
  await addApp('Shop');
});

afterEach(async () => {
  await store.close();
  vi.useRealTimers();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

async function channel(of: Partial<ChannelRules> = {}): Promise<void> {
  await addChannel({ name: 'ops', kind: 'slack', target: 'https://chat.example/hook', rules: { ...rules, ...of } });
}

const seen = (count: number, more: Partial<TryTotal> = {}): TryTotal => ({
  app: 'shop',
  rule: 'path',
  advisory: 'CVE-2025-55182',
  count,
  lastAt: start + hour,
  ...more,
});

it('tells at once, and what follows once a day with how many there were', async () => {
  await channel();
  expect(await tellTries(store, [seen(1), seen(2, { rule: 'circle', advisory: 'CVE-2025-55184' })], start + hour)).toBe(
    1,
  );
  expect(await tellTries(store, [seen(5_000)], start + 2 * hour)).toBe(0);
  expect(await tellTries(store, [seen(5_000)], start + 26 * hour)).toBe(1);
  expect(await tellTries(store, [seen(5_000)], start + 52 * hour)).toBe(0);
  const [later, first] = (await listDeliveries()).map(({ content }) => describeAlert(content, 'https://f.example'));
  expect(first).toMatchObject({
    title: 'Somebody sends forged requests',
    facts: [
      { name: 'App', value: 'Shop' },
      { name: 'Seen', value: '3 times' },
      { name: 'Shape of', value: 'CVE-2025-55182, CVE-2025-55184' },
    ],
    link: { url: 'https://f.example/guard?app=shop' },
  });
  expect(later?.facts[1]?.value).toBe('5,000 times: 4997 more since the last message');
});

it('is quiet about scripts and about ids that never were', async () => {
  await channel();
  const totals = [seen(9, { rule: 'spelling', advisory: '' }), seen(9, { rule: 'unknown-action', advisory: '' })];
  expect(await tellTries(store, totals, start + hour)).toBe(0);
});

it('tells a channel what it is for, and nothing that was before it', async () => {
  await channel({ apps: ['blog'] });
  await channel({ new: false });
  expect(await tellTries(store, [seen(1)], start + hour)).toBe(0);
  await channel();
  expect(await tellTries(store, [seen(1, { lastAt: start - hour })], start + hour)).toBe(0);
});

it('what comes after the count has begun anew is told again', async () => {
  await channel();
  await tellTries(store, [seen(50)], start + hour);
  expect(await tellTries(store, [seen(2)], start + 100 * hour)).toBe(1);
});
