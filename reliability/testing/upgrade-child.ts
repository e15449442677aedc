import { type Kysely, sql } from 'kysely';

import { migrations } from '../../src/store/migrations.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Tables } from '../../src/store/schema.ts';

/**
 * The next build, with one more step of the schema. The step makes a table, fills it, and prints a line, all in its
 * transaction. Arguments: the data folder; `wait` to stay in the step until the process is killed, `finish` to end it.
 */
const [, , folder, mode] = process.argv;

async function addTable(db: Kysely<Tables>): Promise<void> {
  await sql`create table added (text text)`.execute(db);
  for (let count = 0; count < 1_000; count += 1) {
    await sql`insert into added values (${'x'.repeat(10_000)})`.execute(db);
    if (count === 500) process.stdout.write('inside\n');
  }
  if (mode === 'wait') await new Promise(() => setInterval(() => undefined, 1_000));
}

const store = await openStore(folder, [...migrations, { name: 'one more', up: addTable }]);
await store.close();
