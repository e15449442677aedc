import 'server-only';

import type { Kysely } from 'kysely';

import { requireOperator } from '#src/operator/require-operator.ts';

import { closeFlightsReader, openFlightsReader } from '../flights-reader.ts';
import type { FlightTables } from '../stored-tables.ts';
import { currentWriter } from '../recorder.ts';
import { isDamage } from '../writer/open-flights.ts';

/**
 * The one way to what was recorded.
 *
 * A file that turns out to be damaged is answered as an empty one: it is moved aside, and the recording begins anew.
 */
export async function readForOperator<T>(nothing: T, read: (db: Kysely<FlightTables>) => Promise<T>): Promise<T> {
  requireOperator();
  const db = await openFlightsReader();
  if (!db) return nothing;
  try {
    return await read(db);
  } catch (error) {
    if (!isDamage(error)) throw error;
    const inode = await closeFlightsReader();
    if (inode !== undefined) await currentWriter().ask({ type: 'replace', inode });
    return nothing;
  }
}
