import { Client } from 'pg';
import { expect, it } from 'vitest';

import { startPostgres } from '../../../scripts/start-postgres.mjs';
import { WrongUse } from '../command.ts';
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
