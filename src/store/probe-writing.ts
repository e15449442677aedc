import type { Kysely } from 'kysely';

import type { Tables } from './schema.ts';
import type { Space } from './space.ts';

/** Ends the transaction of the probe; nothing else throws it. */
class Undo extends Error {}

/** An error with its stack, frames and source lines is some 10 KiB. */
const probeBytes = 16 * 1024;

const row = {
  digest: '',
  fingerprint: '',
  time: 0,
  phase: 'process',
  kind: 'background',
  method: '',
  path: '',
  request_id: '',
  trace_id: '',
  release: '',
  name: '',
  message: '',
  stack: 'x'.repeat(probeBytes),
  frames_json: '[]',
  component_stack: null,
  causes_json: '[]',
} as const;

/**
 * Inserts an error as large as they are, with the room that errors have, and takes it back. Nobody else sees it.
 * @throws the database's error when that does not work
 */
export async function canTakeError(db: Kysely<Tables>, space: Pick<Space, 'asOrdinary'>): Promise<void> {
  try {
    await db.transaction().execute(async (trx) => {
      await space.asOrdinary(async () => void (await trx.insertInto('error').values(row).execute()));
      throw new Undo();
    });
  } catch (error) {
    if (!(error instanceof Undo)) throw error;
  }
}
