import 'server-only';

import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Transaction } from 'kysely';

import { openStore } from '#src/store/open-store.ts';
import type { Tables } from '#src/store/schema.ts';

import { noteErrorRow } from '../faults/note-row.ts';
import { refusedFill } from '../report-budget.ts';
import { createPairs } from './pair-reports.ts';
import type { ReceivedAppError } from './read-app-errors.ts';
import { type AppErrorRow, toErrorId, toErrorRow } from './to-error-row.ts';

/**
 * Stores errors of another app. They share a table with our own; retention.ts keeps their share from costing one of ours.
 * Writing them waits in the queue of reports, so our own errors go first. When this resolves to `stored`, they are on disk.
 */
export type StoreResult =
  | { readonly type: 'stored'; /** Rows that were not there before. */ readonly added: number }
  | { readonly type: 'no-room'; readonly reason: string };

type Change = AppErrorRow & { readonly replaces: string | undefined };

const pairs = createPairs();

function nameFault({ digest, name, message }: ReceivedAppError): string {
  return digest ?? `${name}: ${message.split('\n', 1)[0]}`;
}

function plan(app: string, error: ReceivedAppError, receivedAt: number): Change | undefined {
  const id = toErrorId(app, error.id);
  const isFromLog = error.reporter === 'log';
  const pairing = pairs.pair({ app, isFromLog, fault: nameFault(error), time: error.time, id }, receivedAt);
  if (pairing.type === 'known') return undefined;
  const replaces = pairing.type === 'replaces' ? pairing.id : undefined;
  return { ...toErrorRow(app, error, receivedAt), replaces };
}

/** @returns whether it is one more occurrence, not one that is known and now better described */
async function insertError(trx: Transaction<Tables>, { row, replaces, grouping, frames }: Change): Promise<boolean> {
  const known = await trx
    .selectFrom('error')
    .select(['id', 'fault', 'ordinal'])
    .where('id', 'in', replaces === undefined ? [row.id] : [row.id, replaces])
    .executeTakeFirst();
  if (known?.id === row.id) return false;
  if (replaces !== undefined) await trx.deleteFrom('error').where('id', '=', replaces).execute();
  // What replaces another row was counted with that one, and stays in its fault: both saw the same.
  const isCounted = known !== undefined && known.fault !== null;
  const { fault, ordinal } = isCounted ? known : await noteErrorRow(trx, row, { grouping, frames });
  await trx
    .insertInto('error')
    .orFail()
    .values({ ...row, fault, ordinal })
    .execute();
  return replaces === undefined;
}

/** @throws the database's error when the rows could not be written */
export async function storeAppErrors(app: string, errors: readonly ReceivedAppError[]): Promise<StoreResult> {
  const receivedAt = Date.now();
  const { commit, measureFill } = await openStore();
  if (measureFill() > refusedFill) return { type: 'no-room', reason: 'the data folder has no room for errors of apps' };
  const changes: Change[] = [];
  let isStored = false;
  let added = 0;
  try {
    for (const error of errors) {
      const change = plan(app, error, receivedAt);
      if (!change) continue;
      changes.push(change);
      // Scrubbing a hostile text takes some ten milliseconds: pages are served in between.
      await nextTurn();
    }
    const result = await commit(async (trx) => {
      added = 0;
      for (const change of changes) {
        if (await insertError(trx, change)) added += 1;
      }
    }, 'report');
    isStored = result === 'committed';
    return isStored ? { type: 'stored', added } : { type: 'no-room', reason: `the write was not taken: ${result}` };
  } finally {
    if (!isStored) for (const { row } of changes) pairs.forget(row.id);
  }
}
