import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { sql } from 'kysely';

import type { Side, Target } from './side.ts';

/**
 * The key by which users are told apart (src/faults/event/user-key.ts): a file in the data folder, a row in PostgreSQL. Without it the
 * users of each fault would be counted anew. A target that has one keeps it.
 */
const name = 'user-key';

export async function moveUserKey(source: Side, target: Target): Promise<void> {
  if (target.engine === 'postgres') {
    const file = path.join(source.shown, name);
    if (!existsSync(file)) return;
    const value = readFileSync(file, 'utf8').trim();
    await target.transact('store', async (trx) => {
      await sql`insert into shared_value (name, value) values (${name}, ${value}) on conflict (name) do nothing`.execute(
        trx,
      );
    });
    return;
  }
  const db = source.db('store');
  const file = path.join(target.shown, name);
  if (!db || existsSync(file)) return;
  const { rows } = await sql<{ value: string }>`select value from shared_value where name = ${name}`.execute(db);
  if (rows[0]) writeFileSync(file, rows[0].value, { mode: 0o600 });
}
