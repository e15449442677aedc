import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { Kysely, sql } from 'kysely';
import { Client } from 'pg';
import { expect, it, vi } from 'vitest';

import { takeInstance } from '#src/store/instance.ts';
import { openStore } from '#src/store/open-store.ts';
import { firstVersion, versionAfter } from '#src/store/migrations.ts';
import { refuseUpgrade, steps } from '#src/store/postgres/migrate.ts';
import { openPool } from '#src/store/postgres/open-pool.ts';
import { postgresDialect } from '#src/store/postgres/postgres-dialect.ts';
import type { Tables } from '#src/store/schema.ts';

import { startPostgres } from '../../../scripts/start-postgres.mjs';
import { WrongUse } from '../command.ts';
import { openLocal } from './open-local.ts';
import { openRemote } from './open-remote.ts';
import { requireTables } from './require-tables.ts';

it('makes no tables in a database that has none', { timeout: 120_000 }, async () => {
  const server = await startPostgres();
  try {
    await expect(requireTables(server.url)).rejects.toThrow('nothing of Flight Recorder');
    const client = new Client({ connectionString: server.url });
    await client.connect();
    const { rows } = await client.query("select 1 from pg_tables where schemaname = 'public'");
    await client.query('create table schema_version (version bigint not null)');
    await client.end();
    expect(rows).toEqual([]);
    await requireTables(server.url);
  } finally {
    await server.stop();
  }
});

it('reads no database of an older build, and leaves it to a server to upgrade it', { timeout: 120_000 }, async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'open-source-'));
  const server = await startPostgres();
  const db = new Kysely<Tables>({ dialect: postgresDialect(openPool(server.url)) });
  vi.stubEnv('FLIGHT_DATA', folder);
  vi.stubEnv('DATABASE_URL', server.url);
  const readVersion = async () => (await sql<{ version: number }>`select version from schema_version`.execute(db)).rows;
  const [older, newest] = [versionAfter(steps) - 1, versionAfter(steps)];
  try {
    const address = { hostname: '127.0.0.1', port: 1 };
    const instance = takeInstance(folder, { address, origin: 'http://127.0.0.1:1', door: '' });
    await (await openStore()).close();
    instance.release();
    expect(await readVersion()).toEqual([{ version: newest }]);
    await (await openLocal(folder)).close();
    await expect(refuseUpgrade(db, newest + 1)).rejects.toThrow(
      `it has schema version ${newest}, and this build's is ${newest + 1}. A command upgrades nothing: start a server`,
    );
    await sql`update schema_version set version = ${older}`.execute(db);
    await expect(openLocal(folder)).rejects.toThrow(`schema version ${older}, and this build's is ${newest}`);
    await sql`update schema_version set version = ${firstVersion - 1}`.execute(db);
    await expect(openLocal(folder)).rejects.toThrow('from before the first');
    await sql`update schema_version set version = ${older}`.execute(db);
    expect(await readVersion()).toEqual([{ version: older }]);
    await sql`update schema_version set version = 99`.execute(db);
    await expect(openLocal(folder)).rejects.toThrow(`schema version 99, this build knows up to ${newest}`);
  } finally {
    vi.unstubAllEnvs();
    await db.destroy();
    await server.stop();
    rmSync(folder, { recursive: true });
  }
});

it.each(['bad\nx', 'bad x', 'bäd'])('does not print a token that is none: %j', (token) => {
  expect(() => openRemote(new URL('https://flight.example'), token)).toThrow(WrongUse);
  expect(() => openRemote(new URL('https://flight.example'), token)).not.toThrow(token);
});

it('asks nothing else for a code of dots', async () => {
  const source = openRemote(new URL('http://127.0.0.1:1'), '');
  expect((await source.ask('errors/..')).status).toBe(404);
  expect((await source.ask('errors/.?app=x')).status).toBe(404);
  await expect(source.ask('errors/x..y')).rejects.toThrow('did not answer');
});
