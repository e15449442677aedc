import { isRecord } from '#boundary';

import type { StoredFlight } from '../flight/flight-columns.ts';
import { joinStoredFlight } from '../flight/stored-flight.ts';
import type { StoredAttachment, StoredBody } from '../flight/stored-tables.ts';
import type { FlightToWrite } from '../flight/to-flight-file.ts';
import type { Prepare } from './prepare.ts';

/** Reads flights back on the thread that writes them, to send them elsewhere. Pages read by for-operator/queries.ts. */

type Encoded = Pick<StoredBody, 'encoding' | 'data'>;

/** The rows are this recorder's own: their columns are those that flight-columns.ts defines. */
function isFlightRow(row: unknown): row is StoredFlight {
  return isRecord(row) && 'id' in row && 'body_id' in row;
}

function isEncoded(row: unknown): row is Encoded {
  return isRecord(row) && 'encoding' in row && 'data' in row;
}

function isAttachment(row: unknown): row is StoredAttachment {
  return isEncoded(row) && 'role' in row;
}

function listAttached(prepare: Prepare, id: number): StoredAttachment[] {
  const rows: readonly unknown[] = prepare('select * from attachment where flight_id = ?').all(id);
  return rows.filter(isAttachment);
}

/** The oldest flights, at most `limit` of them, oldest first. */
export function* readOldest(prepare: Prepare, limit: number): Generator<FlightToWrite & { readonly id: number }> {
  for (const row of prepare('select * from flight order by id limit ?').all(limit)) {
    if (!isFlightRow(row)) throw new Error('A row of the recording lacks a column');
    const body: unknown =
      row.body_id === null ? undefined : prepare('select encoding, data from body where id = ?').get(row.body_id);
    const content = isEncoded(body) ? body : undefined;
    const stored = joinStoredFlight(row, content, listAttached(prepare, row.id), Date.now());
    yield { ...stored, elided: stored.elided.map((element) => ({ element })) };
  }
}
