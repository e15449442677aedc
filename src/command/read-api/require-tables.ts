import { openPool } from '#src/store/postgres/open-pool.ts';

/** A server makes its tables. Who only reads must not make them in a database that was named by mistake. */
export async function requireTables(database: string): Promise<void> {
  const pool = openPool(database, { most: 1, purpose: 'read' });
  try {
    const client = await pool.connect();
    const { rows } = await client
      .query<{ found: string | null }>(`select to_regclass('schema_version')::text as found`)
      .finally(() => client.release());
    if (rows[0]?.found) return;
  } finally {
    await pool.end();
  }
  throw new Error('there is nothing of Flight Recorder in the database of DATABASE_URL');
}
