import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { startPostgres } from '../scripts/start-postgres.mjs';
import { nobody, skipUnlessAsNobody } from './testing/as-nobody.ts';
import { postReport } from './testing/post-report.ts';
import { runOperator } from './testing/run-operator.ts';
import { startServer } from './testing/start-server.ts';

/** A platform without a disk: PostgreSQL has the data, and the server may write nowhere but in the temporary folder. */
let folder: string;
let postgres: Awaited<ReturnType<typeof startPostgres>>;

async function startDatabase(port?: number): Promise<void> {
  const kept = path.join(folder, 'postgres');
  postgres = await startPostgres({ folder: kept, ...(port === undefined ? {} : { port }) });
}

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'without-folder-'));
  chmodSync(folder, 0o755);
  await startDatabase();
});

afterEach(async () => {
  await postgres.stop();
  rmSync(folder, { recursive: true });
});

test('a server that may not write its data folder stores in PostgreSQL, and says what it cannot do', async (context) => {
  skipUnlessAsNobody(context);
  const dataFolder = path.join(folder, 'data');
  mkdirSync(dataFolder, { mode: 0o755 });
  const env = { DATABASE_URL: postgres.url, FLIGHT_AUTH: 'on' };
  await using server = await startServer({ dataFolder, uid: nobody, env });
  const told = server.lines().filter(({ event }) => event === 'no-data-folder');
  expect(told.map(({ fields }) => fields['folder'])).toEqual([dataFolder]);
  expect(await postReport(server.port, 1)).toMatchObject({ status: 200 });
  expect((await fetch(`${server.origin}/readyz`)).status).toBe(200);
  const target = { dataFolder, env: { ...process.env, ...env, PORT: String(server.port) } };
  expect(await runOperator(target, 'healthcheck')).toEqual({
    code: 0,
    output: `ready: 127.0.0.1:${server.port} answered 200\n`,
    errors: '',
  });

  // Nothing can be kept meanwhile: senders hear it, and a balancer, and pages that read nothing are served.
  await postgres.stop('immediate');
  await server.waitForLine(({ event }) => event === 'database-gone');
  expect(await postReport(server.port, 2)).toMatchObject({ status: 503, retryAfter: expect.any(String) });
  await expect.poll(async () => (await fetch(`${server.origin}/readyz`)).status, { timeout: 5_000 }).toBe(503);
  const login = await fetch(`${server.origin}/login`, { headers: { accept: 'text/html' } });
  expect([login.status, (await login.text()).includes('Where do I get a login link?')]).toEqual([200, true]);

  await startDatabase(postgres.port);
  await server.waitForLine(({ event }) => event === 'database-back');
  expect(await postReport(server.port, 3)).toMatchObject({ status: 200 });
  expect((await server.end('SIGTERM')).code).toBe(0);
  expect(readdirSync(dataFolder)).toEqual([]);
}, 60_000);

test('a server that is started before its database waits for it', async () => {
  await postgres.stop();
  const starting = startServer({ env: { DATABASE_URL: postgres.url } });
  await wait(1_500);
  await startDatabase(postgres.port);
  await using server = await starting;
  const events = server.lines().map(({ event }) => event);
  expect(events.filter((event) => event === 'database-away-at-start')).toHaveLength(1);
  expect(await postReport(server.port, 1)).toMatchObject({ status: 200 });
}, 60_000);
