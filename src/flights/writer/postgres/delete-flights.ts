import { ownApp } from '#src/store/own-app.ts';

import { writeLock, type FlightsConnection, type Transaction } from './connection.ts';

/**
 * Deletes single flights, with what hangs on them, and the bodies that no other flight of their part carried. It has the lock `content`
 * alone: nobody refers to a body while it is decided whether somebody does.
 *
 * What is deleted is in no answer any more. Its bytes are in PostgreSQL's files until vacuum has made room of them and something else
 * was written there (docs/postgresql.md).
 */
const atOnce = 500;
/** How long one slice of a long deletion keeps the thread: new flights are written between two of them. */
const sliceMs = 50;

async function deleteIds(transaction: Transaction, ids: readonly number[]): Promise<void> {
  await transaction.query('delete from attachment where flight_id = any($1)', [ids]);
  await transaction.query('delete from flight_digest where flight_id = any($1)', [ids]);
  const bodies = await transaction.query<{ part: number; id: number }>(
    `with gone as (delete from flight where id = any($1) returning part, body_id)
    select distinct part, body_id as id from gone where body_id is not null`,
    [ids],
  );
  if (bodies.length === 0) return;
  // Its own statement: the one above still sees the flights that it deletes.
  await transaction.query(
    `delete from body using unnest($1::int[], $2::bigint[]) as left_over (part, id)
    where body.part = left_over.part and body.id = left_over.id
      and not exists (select from flight where flight.part = body.part and flight.body_id = body.id)`,
    [bodies.map(({ part }) => part), bodies.map(({ id }) => id)],
  );
}

export async function deleteOne(connection: FlightsConnection, id: number): Promise<void> {
  await connection.transact(writeLock('content'), (transaction) => deleteIds(transaction, [id]));
}

/** The oldest flights of an app, of those up to an id. @returns how many */
async function deleteSome(connection: FlightsConnection, app: string, upTo: number): Promise<number> {
  return connection.transact(writeLock('content'), async (transaction) => {
    const rows = await transaction.query<{ id: number }>(
      `select id from flight where app = $1 and app != '${ownApp}' and id <= $2 order by id limit ${atOnce}`,
      [app, upTo],
    );
    if (rows.length > 0) {
      await deleteIds(
        transaction,
        rows.map(({ id }) => id),
      );
    }
    return rows.length;
  });
}

export async function deleteSlice(connection: FlightsConnection, app: string, upTo: number): Promise<void> {
  const end = performance.now() + sliceMs;
  let deleted: number;
  do deleted = await deleteSome(connection, app, upTo);
  while (deleted === atOnce && performance.now() < end);
}
