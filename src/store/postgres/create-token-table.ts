import { type Kysely, sql } from 'kysely';

import type { Tables } from '../schema.ts';
import { asBytes } from './as-bytes.ts';

const table = `api_token (id text not null primary key, name text not null, hash text not null, apps_json text,
  created bigint not null, expires bigint, last_used bigint)`;

export async function createTokenTable(db: Kysely<Tables>): Promise<void> {
  await sql.raw(`create table ${asBytes(table)}`).execute(db);
}
