import { rmSync } from 'node:fs';

import { Client } from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';

import { makeServerFolder, startPostgres } from '../scripts/start-postgres.mjs';
import { listDoubleCounts, listMissing, listUnfound } from './testing/compare-with-database.ts';
import { startLoad } from './testing/load-database.ts';
import { type RunningServer, startServer } from './testing/start-server.ts';

const backMs = 120_000;

async function readReadiness(server: RunningServer): Promise<unknown> {
  const response = await fetch(`${server.origin}/readyz`);
  return [response.status, await response.json()];
}

async function readStatus(server: RunningServer, path: string): Promise<number> {
  const response = await fetch(`${server.origin}${path}`, { headers: { accept: 'text/html' } });
  await response.text();
  return response.status;
}

test('PostgreSQL is restarted under load: pages are served, and what came meanwhile is found, once', async () => {
  const folder = makeServerFolder();
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const first = await startPostgres({ folder, fsync: true });
  onTestFinished(() => first.stop());
  await using server = await startServer({ env: { DATABASE_URL: first.url } });
  const load = await startLoad([server], first.url);
  await load.grow();

  const from = server.lines().length;
  const listTold = () =>
    server
      .lines()
      .slice(from)
      .map(({ event }) => event)
      .filter((event) => event === 'database-gone' || event === 'database-back');
  // As `pg_ctl restart -m fast` does.
  await first.stop('fast');
  await vi.waitFor(() => expect(listTold()).toEqual(['database-gone']), { timeout: backMs, interval: 50 });
  expect(await readReadiness(server)).toEqual([200, { status: 'ready', notes: ['database-gone'] }]);
  expect([await readStatus(server, '/faults'), await readStatus(server, '/login')]).toEqual([503, 200]);
  await load.grow();
  const second = await startPostgres({ folder, fsync: true, port: first.port });
  onTestFinished(() => second.stop());
  await vi.waitFor(() => expect(listTold().slice(0, 2)).toEqual(['database-gone', 'database-back']), {
    timeout: backMs,
    interval: 50,
  });
  await load.grow();
  await load.stop();

  expect([...load.pages.keys()]).toEqual(['200']);
  expect([...load.refusals.keys()].filter((key) => !/^(?:429|503 overloaded)/.test(key))).toEqual([]);
  const written = await vi.waitFor(
    () => {
      const line = server.lines().findLast(({ event }) => event === 'spool-written');
      expect(line?.fields).toMatchObject({ lost: 0, spooled: expect.any(Number) });
      return line?.fields;
    },
    { timeout: backMs, interval: 50 },
  );
  expect(written?.['spooled']).toBeGreaterThan(10);
  const database = new Client({ connectionString: first.url });
  await database.connect();
  try {
    expect(await listMissing(database, load)).toEqual([]);
    expect(await listDoubleCounts(database)).toEqual([]);
  } finally {
    await database.end();
  }
  expect(await listUnfound(server, load)).toEqual([]);
  expect(await readReadiness(server)).toEqual([200, { status: 'ready' }]);
  expect(await readStatus(server, '/faults')).toBe(200);
}, 300_000);
