import 'server-only';

import type { Kysely } from 'kysely';

import type { Tables } from '#src/store/schema.ts';

/** Moves hashes from one fault to another, with the rows and the feedback that they brought. Both need `sumFault` afterwards. */
export type Move = {
  readonly app: string;
  readonly from: string;
  readonly to: string;
  readonly hashes: readonly string[];
  /** Feedback without a row that says where it belongs. */
  readonly feedback?: readonly string[];
};

/** SQLite takes 32,766 values in a statement. */
const hashesAtOnce = 500;

export async function moveHashes(trx: Kysely<Tables>, { app, from, to, hashes, feedback = [] }: Move): Promise<void> {
  for (let at = 0; at < hashes.length; at += hashesAtOnce) {
    const some = hashes.slice(at, at + hashesAtOnce);
    await trx.updateTable('fault_hash').set({ fault: to }).where('app', '=', app).where('hash', 'in', some).execute();
    for (const table of ['error', 'report'] as const) {
      const rows = trx.updateTable(table).set({ fault: to }).where('fault', '=', from);
      await rows.where('fingerprint', 'in', some).execute();
    }
  }
  if (feedback.length > 0) {
    await trx
      .updateTable('feedback')
      .set({ fault: to })
      .where('id', 'in', feedback)
      .where('fault', '=', from)
      .execute();
  }
  await followRows(trx, from);
}

/** Feedback names an event or a digest, and belongs where that one's row is. */
async function followRows(trx: Kysely<Tables>, fault: string): Promise<void> {
  const written = await trx
    .selectFrom('feedback')
    .leftJoin('report', (join) =>
      join.onRef('report.event_id', '=', 'feedback.event_id').onRef('report.app', '=', 'feedback.app'),
    )
    .leftJoin('error', (join) =>
      join.onRef('error.digest', '=', 'feedback.digest').onRef('error.app', '=', 'feedback.app'),
    )
    .select(['feedback.id', 'report.fault as ofReport', 'error.fault as ofError'])
    .where('feedback.fault', '=', fault)
    .orderBy('error.time', 'desc')
    .execute();
  const moved = new Set<string>();
  for (const { id, ofError, ofReport } of written) {
    const found = ofReport ?? ofError;
    if (found === null || found === fault || moved.has(id)) continue;
    moved.add(id);
    await trx.updateTable('feedback').set({ fault: found }).where('id', '=', id).execute();
  }
}

/** The hashes that a fault has now, the oldest first. */
export async function listHashes(trx: Kysely<Tables>, fault: string): Promise<readonly string[]> {
  const rows = await trx
    .selectFrom('fault_hash')
    .select('hash')
    .where('fault', '=', fault)
    .orderBy('first_time')
    .orderBy('hash')
    .execute();
  return rows.map(({ hash }) => hash);
}
