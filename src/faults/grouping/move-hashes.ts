import 'server-only';

import { type Kysely, sql } from 'kysely';

import type { Tables } from '#src/store/schema.ts';

import { followFirst, markMoved } from './follow-hashes.ts';

/**
 * Moves hashes from one fault to another, with the newest rows and the feedback that they brought. Both need `sumFault` afterwards,
 * and what calls it `followLater`: it moves the other rows.
 */
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
    await markMoved(trx, app, some, to);
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
  await followFirst(trx, app, hashes);
}

/** Feedback names an event or a digest, and belongs where the hash of that one's row is. */
async function followRows(trx: Kysely<Tables>, fault: string): Promise<void> {
  const written = await trx
    .selectFrom('feedback')
    .leftJoin('event as untrusted', (join) =>
      join
        .onRef('untrusted.id', '=', 'feedback.event_id')
        .on('untrusted.side', '=', 'browser')
        .onRef('untrusted.app', '=', 'feedback.app'),
    )
    .leftJoin('fault_hash', (join) =>
      join.onRef('fault_hash.app', '=', 'untrusted.app').onRef('fault_hash.hash', '=', 'untrusted.fingerprint'),
    )
    // Many errors may have the same digest: the latest is enough.
    .select(({ selectFrom }) => [
      'feedback.id',
      'fault_hash.fault as ofUntrusted',
      selectFrom('event')
        .innerJoin('fault_hash as told', (join) =>
          join.onRef('told.app', '=', 'event.app').onRef('told.hash', '=', 'event.fingerprint'),
        )
        .select('told.fault')
        .where('event.side', '=', sql.lit('server'))
        .whereRef('event.digest', '=', 'feedback.digest')
        .whereRef('event.app', '=', 'feedback.app')
        .orderBy('event.time', 'desc')
        .limit(1)
        .as('ofError'),
    ])
    .where('feedback.fault', '=', fault)
    .execute();
  const moved = new Set<string>();
  for (const { id, ofError, ofUntrusted } of written) {
    const found = ofUntrusted ?? ofError;
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
