import { rmSync } from 'node:fs';

import { Client } from 'pg';
import { vi } from 'vitest';

import { findVersionWith, makeServerFolder, runTool, startPostgres } from '../../scripts/start-postgres.mjs';

type Postgres = Awaited<ReturnType<typeof startPostgres>>;

/** A primary, and a standby that streams from it and that every commit waits for. Made as docs/several-servers.md says. */
export type PostgresPair = {
  readonly primary: Postgres;
  readonly standby: Postgres;
  /** With both hosts. */
  readonly url: string;
  readonly primaryUrl: string;
  readonly standbyUrl: string;
  /** Lets the standby take writes. Returns when it does. */
  readonly promote: () => void;
  /** Starts the old primary, which was killed, as a standby of the new one. */
  readonly rejoin: () => Promise<void>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

/** Undefined where there is no PostgreSQL with all of its programs. */
export const pairVersion: number | undefined = findVersionWith('pg_basebackup');

const database = 'flight';

async function ask(url: string, ...texts: readonly string[]): Promise<Readonly<Record<string, unknown>> | undefined> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    let row: Record<string, unknown> | undefined;
    for (const text of texts) row = (await client.query<Record<string, unknown>>(text)).rows[0];
    return row;
  } finally {
    await client.end();
  }
}

/** Copies a server's data into `folder`, with the settings of a standby. */
function copyAsStandby(server: Postgres, folder: string): void {
  const from = `host=127.0.0.1 port=${server.port} user=postgres application_name=standby`;
  runTool({ ...server, folder }, 'pg_basebackup', '-R', '-c', 'fast', '-D', `${folder}/data`, '-d', from);
}

export async function startPair(): Promise<PostgresPair> {
  if (pairVersion === undefined) throw new Error('There is no PostgreSQL with pg_basebackup here');
  const folders = [makeServerFolder(), makeServerFolder()] as const;
  const options = { version: pairVersion, fsync: true };
  const primary = await startPostgres({ ...options, folder: folders[0] });
  await ask(primary.url, `create database ${database}`);
  copyAsStandby(primary, folders[1]);
  const standby = await startPostgres({ ...options, folder: folders[1] });
  // After the copy: the standby must not wait for itself when it is promoted.
  await ask(primary.url, "alter system set synchronous_standby_names = 'standby'", 'select pg_reload_conf()');
  await vi.waitFor(
    async () => {
      const row = await ask(primary.url, 'select sync_state from pg_stat_replication');
      if (row?.['sync_state'] !== 'sync') throw new Error(`the standby is ${String(row?.['sync_state'])}`);
    },
    { timeout: 20_000, interval: 100 },
  );
  let rejoined: Postgres | undefined;
  return {
    primary,
    standby,
    primaryUrl: primary.urlOf(database),
    standbyUrl: standby.urlOf(database),
    url: `postgres://postgres@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/${database}?target_session_attrs=read-write`,
    promote() {
      runTool(standby, 'pg_ctl', 'promote', '-w', '-D', `${folders[1]}/data`);
    },
    async rejoin() {
      rmSync(`${folders[0]}/data`, { recursive: true });
      copyAsStandby(standby, folders[0]);
      rejoined = await startPostgres({ ...options, folder: folders[0], port: primary.port });
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([rejoined, primary, standby].map((server) => server?.stop('immediate')));
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    },
  };
}
