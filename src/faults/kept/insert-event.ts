import 'server-only';

import type { Kysely } from 'kysely';

import type { Store } from '#src/store/open-store.ts';
import type { NewEvent, Tables } from '#src/store/schema.ts';

import { type NotedEvent, noteEvent, type Understood } from '../grouping/note-row.ts';
import { thinFault } from './thin-fault.ts';

/** An event that was scrubbed, cut and grouped: what is left to do needs the database. */
export type EventToKeep = Understood & { readonly row: NewEvent & { readonly bytes: number } };

/** What thinning asks of a store. */
type Limits = Pick<Store, 'limitBytes'>;

/** The one insert. A row that cannot be stored rolls its transaction back: see src/store/kept-tables.ts. */
export async function insertEvent(trx: Kysely<Tables>, row: NewEvent): Promise<void> {
  await trx.insertInto('event').orFail().values(row).execute();
}

/** Counts an event for its fault, stores it, and thins what it makes too many. */
export async function storeEvent(
  trx: Kysely<Tables>,
  limits: Limits,
  { row, ...understood }: Understood & { readonly row: NewEvent },
): Promise<NotedEvent['columns']> {
  const { columns } = await noteEvent(trx, row, understood);
  await insertEvent(trx, { ...row, ...columns });
  await thinFault(trx, limits, row.side, columns);
  return columns;
}
