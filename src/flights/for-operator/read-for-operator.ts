import 'server-only';

import type { Kysely } from 'kysely';

import { requireReader } from '#src/access/require-reader.ts';
import { isDamage } from '#src/store/sqlite-errors.ts';

import { closeFlightsReader, openFlightsReader } from '../recorder/flights-reader.ts';
import type { FlightTables } from '../flight/stored-tables.ts';
import { currentWriter } from '../recorder/recorder.ts';

/**
 * The only way to read the recording: it checks for the operator first.
 *
 * When the file turns out to be damaged, the answer is that of an empty one. The file is moved aside, and a new one is begun.
 */
export async function readForOperator<T>(nothing: T, read: (db: Kysely<FlightTables>) => Promise<T>): Promise<T> {
  requireReader();
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
