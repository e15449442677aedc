import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { openPostgresWriter } from '#src/flights/writer/postgres/open-postgres-writer.ts';
import { openStore, type Store } from '#src/store/open-store.ts';

import { startPostgres } from '../../../scripts/start-postgres.mjs';

import { createSessions } from '../sessions.ts';
import { backUp } from './backup.ts';
import { restore } from './restore.ts';

/** Debian's: the package of binaries for tests has neither `pg_dump` nor `pg_restore`. */
const tools = '/usr/lib/postgresql/15/bin';
const hasTools = existsSync(path.join(tools, 'pg_dump'));

let folder: string;
let server: Awaited<ReturnType<typeof startPostgres>>;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'postgres-backup-'));
  process.env['FLIGHT_DATA'] = folder;
  server = await startPostgres(hasTools ? { version: 15 } : {});
  process.env['DATABASE_URL'] = server.url;
}, 60_000);

afterAll(async () => {
  delete process.env['FLIGHT_DATA'];
  delete process.env['DATABASE_URL'];
  await server.stop();
  rmSync(folder, { recursive: true });
});

/** What the command says is to be run. */
async function readAdvice(command: Promise<number>): Promise<string> {
  const error: unknown = await command.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return error instanceof Error ? (/[Rr]un: (.+)$/.exec(error.message)?.[1] ?? '') : '';
}

function runAdvice(advice: string, url: string): void {
  execFileSync('/bin/sh', ['-ec', advice], {
    env: { ...process.env, PATH: `${tools}:${process.env['PATH'] ?? ''}`, DATABASE_URL: url },
    stdio: 'pipe',
  });
}

async function countRows(store: Store): Promise<unknown> {
  const faults = await store.db.selectFrom('fault').selectAll().execute();
  const sessions = await store.db.selectFrom('session').select('id').execute();
  return { faults, sessions };
}

/** Makes the tables of flights, with a first part. */
async function beginFlights(): Promise<void> {
  const { url } = server;
  const never = { isPatient: () => false, onGone: () => undefined };
  const writer = openPostgresWriter({ url, ...never, bytesLimit: 1e9, ageMs: 1e9 });
  await writer.deleteTooOld(Date.now());
  await writer.close();
}

it('is not what the operator’s commands do with PostgreSQL: they say what does', async () => {
  await expect(backUp(['a b.dump'])).rejects.toThrow(
    `the data is in ${server.url.replace(/\/\/[^@]*@/, '//')}, which has its own backups. ` +
      `Run: pg_dump --format=custom --file='a b.dump' "$DATABASE_URL"`,
  );
  await expect(restore(['flight.dump'])).rejects.toThrow(
    `pg_restore --no-owner --file=flight.dump.sql flight.dump && psql --quiet --single-transaction --set=ON_ERROR_STOP=1 ` +
      `--command='drop schema public cascade' --command='create schema public' --file=flight.dump.sql "$DATABASE_URL" && `,
  );
});

it.skipIf(!hasTools)('of a database is restored into it, and into an empty one', { timeout: 60_000 }, async () => {
  const store = await openStore();
  const fault = {
    id: 'A1B2C3D4',
    app: 'shop',
    side: 'server',
    name: 'Error',
    message: 'é\n',
    culprit: '',
    level: 'error',
    state: 'open',
    state_json: '{}',
    state_time: 1,
    first_time: 1,
    last_time: 2,
    first_release: '',
    last_release: '',
  } as const;
  await store.db.insertInto('fault').values(fault).execute();
  await createSessions(store).open({ openedBy: 'password', userAgent: '', address: '' }, [], async () => undefined);
  await beginFlights();
  const before = await countRows(store);
  const file = path.join(folder, 'flight.dump');
  runAdvice(await readAdvice(backUp([file])), server.url);
  await store.db.deleteFrom('fault').execute();
  await store.close();
  const pgRestore = (await readAdvice(restore([file]))).split(' && ').slice(0, 2).join(' && ');
  runAdvice(pgRestore, server.url);
  // What was restored can be restored again.
  runAdvice(pgRestore, server.url);
  const restored = await openStore();
  expect(await countRows(restored)).toEqual(before);
  // Numbers go on behind those that are there, and triggers count.
  await restored.db
    .insertInto('fault')
    .values({ ...fault, id: 'E5F6A7B8' })
    .execute();
  const kept = restored.db.selectFrom('kept_app').select('rows').where('of_app', '=', 'shop');
  expect(await kept.executeTakeFirst()).toEqual({ rows: 2 });
  await restored.close();

  const client = new Client({ connectionString: server.url });
  await client.connect();
  await client.query('create database elsewhere');
  await client.end();
  process.env['DATABASE_URL'] = server.urlOf('elsewhere');
  runAdvice(pgRestore, server.urlOf('elsewhere'));
  const elsewhere = await openStore();
  expect(await countRows(elsewhere)).toEqual(before);
  await elsewhere.close();
});
