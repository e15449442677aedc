import { createHash } from 'node:crypto';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { askDatabase } from '../../e2e/testing/postgres/ask-database.ts';

/** Set while the tests run on PostgreSQL (`RELIABILITY_ENGINE=postgres`): its address. */
export const serverVariable = 'RELIABILITY_POSTGRES';

/** The variables that let a server on `dataFolder` store in a database of its own; none where the tests run on SQLite. */
export async function findDatabase(dataFolder: string): Promise<{ readonly DATABASE_URL?: string }> {
  const server = process.env[serverVariable];
  if (server === undefined) return {};
  const url = new URL(server);
  const base = url.pathname.slice(1);
  const name = `${base}_${createHash('sha256').update(dataFolder).digest('hex').slice(0, 16)}`;
  const known = await askDatabase(server, `select 1 from pg_database where datname = '${name}'`);
  if (known.length === 0) await askDatabase(server, `create database ${name}`);
  url.pathname = `/${name}`;
  return { DATABASE_URL: url.href };
}

/** What is stored for a server on `dataFolder` that has ended. @throws when SQLite's check of the file finds an error */
export async function readStored(
  dataFolder: string,
  text: string,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { DATABASE_URL: url } = await findDatabase(dataFolder);
  if (url !== undefined) return askDatabase(url, text);
  const database = new DatabaseSync(path.join(dataFolder, 'flight.db'), { timeout: 10_000 });
  try {
    const found = database.prepare('pragma integrity_check').get()?.['integrity_check'];
    if (found !== 'ok') throw new Error(`${dataFolder}: ${String(found)}`);
    return database.prepare(text).all();
  } finally {
    database.close();
  }
}
