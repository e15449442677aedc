import type { Kysely } from 'kysely';

import type { Tables } from './schema.ts';
import type { Space } from './space.ts';

/** Thrown to end the transaction of the probe, by nothing else. */
class Undo extends Error {}

/** An error with its stack, frames and source lines is some 10 KiB. */
const probeBytes = 16 * 1024;

/** @internal */
export const probe = {
  id: '',
  side: 'server',
  digest: '',
  fingerprint: '',
  time: 0,
  received_at: 0,
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
 * Inserts an error of the usual size, within the budget that errors have, and rolls it back. Nobody else sees it.
 * @throws the database's error when it cannot be inserted
 */
export async function canTakeError(db: Kysely<Tables>, space: Pick<Space, 'asOrdinary'>): Promise<void> {
  try {
    await db.transaction().execute(async (trx) => {
      await space.asOrdinary(async () => void (await trx.insertInto('event').values(probe).execute()));
      throw new Undo();
    });
  } catch (error) {
    if (!(error instanceof Undo)) throw error;
  }
}
