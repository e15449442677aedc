import type { Kysely } from 'kysely';

import type { Tables } from './schema.ts';

/**
 * Migration step 6: which source maps there are. The maps themselves are files (src/reports/source-maps/map-folder.ts). A bundle is
 * what was uploaded at once, or the maps of one build of this server; deleting it deletes its maps.
 */
export async function createSourceMapTables(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('map_bundle')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('app', 'text', (column) => column.notNull())
    .addColumn('release', 'text', (column) => column.notNull())
    .addColumn('dist', 'text', (column) => column.notNull())
    .addColumn('checksum', 'text', (column) => column.notNull())
    .addColumn('created', 'bigint', (column) => column.notNull())
    .addColumn('last_used', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('map_bundle_app')
    .unique()
    .on('map_bundle')
    .columns(['app', 'release', 'dist', 'checksum'])
    .execute();
  await db.schema
    .createTable('map_file')
    .addColumn('bundle', 'text', (column) => column.notNull().references('map_bundle.id').onDelete('cascade'))
    .addColumn('app', 'text', (column) => column.notNull())
    .addColumn('release', 'text', (column) => column.notNull())
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('debug_id', 'text')
    .addColumn('hash', 'text', (column) => column.notNull())
    .addColumn('bytes', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('map_file_debug').on('map_file').columns(['app', 'debug_id']).execute();
  await db.schema.createIndex('map_file_url').on('map_file').columns(['app', 'url']).execute();
  await db.schema.createIndex('map_file_hash').on('map_file').columns(['app', 'hash', 'bytes']).execute();
  await db.schema.createIndex('map_file_bundle').on('map_file').column('bundle').execute();
}
