import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { expect, it } from 'vitest';

import { otherTabs, stormsKept, type Storm } from '../flight/storm.ts';
import { stormTable } from './counted-table.ts';
import { insertCounted } from './insert-counted.ts';
import { openFlightsFile } from './open-flights.ts';
import { createPrepare } from './prepare.ts';

const storm: Storm = {
  app: 'shop',
  tab: 'tab 0',
  route: '/search',
  page: '/',
  requests: 300,
  sized: 300,
  bytes: 3_000,
  prefetches: 0,
  prefetchBytes: 0,
  unsure: 0,
  peak: 60,
  firstAt: 1_000,
  lastAt: 2_000,
  requestId: 'r',
};

function readStorms(storms: readonly Storm[]) {
  const folder = mkdtempSync(path.join(tmpdir(), 'flight-storms-'));
  const { database } = openFlightsFile(folder);
  const prepare = createPrepare(database);
  for (const one of storms) insertCounted(prepare, stormTable, one);
  const rows = prepare('select * from storm').all();
  database.close();
  rmSync(folder, { recursive: true });
  return rows;
}

it('storms of more tabs than are kept are counted together', () => {
  const tabs = Array.from({ length: stormsKept + 2 }, (_, tab) => `tab ${tab}`);
  const rows = readStorms([...tabs, 'tab 0'].map((tab) => ({ ...storm, tab })));
  expect(rows).toHaveLength(stormsKept + 1);
  expect(rows.find(({ tab }) => tab === otherTabs)).toMatchObject({ route: '', requests: 600 });
  // One that has a row is still counted there.
  expect(rows.find(({ tab }) => tab === 'tab 0')).toMatchObject({ requests: 600 });
});

it('a sum of sizes that is too large to be read stays the largest that can be', () => {
  const most = Number.MAX_SAFE_INTEGER;
  const large = { ...storm, bytes: most - 1, prefetchBytes: most };
  expect(readStorms([large, large, storm])).toMatchObject([{ requests: 900, bytes: most, prefetch_bytes: most }]);
});
