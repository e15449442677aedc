import type { Kysely } from 'kysely';

import type { Tables } from './schema.ts';

/** Who may read through the API. No column holds a secret that could be used as it is stored. */
export async function createApiTokens(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('api_token')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull())
    .addColumn('apps_json', 'text')
    .addColumn('created', 'bigint', (column) => column.notNull())
    .addColumn('expires', 'bigint')
    .addColumn('last_used', 'bigint')
    .execute();
}
