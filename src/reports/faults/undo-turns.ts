import 'server-only';

import type { Kysely } from 'kysely';

import { requireOperator } from '#src/operator/require-operator.ts';
import { openStore } from '#src/store/open-store.ts';
import type { Tables } from '#src/store/schema.ts';

import { listHashes, moveHashes } from './move-hashes.ts';
import { sumFault } from './sum-fault.ts';
import { faultsAtOnce, refuse, type TriageResult } from './triage-result.ts';
import { findStateTurn, type Moved, readMoved, readStateBefore, type StoredTurn } from './turn-detail.ts';
import { type StatefulFault, wakeFault } from './wake-fault.ts';

/**
 * Takes turns back. Exactly what they changed is restored; occurrences that came since stay, and go with their hashes. A turn
 * after which something else was done to the same fault cannot be taken back by itself: that is refused, and nothing changes.
 */
type What = { readonly turns: readonly string[] } | { readonly batch: string };

/** A merge and a split are one thing, whichever of their turns is named. */
async function readTurns(trx: Kysely<Tables>, what: What): Promise<readonly StoredTurn[]> {
  const all = trx.selectFrom('fault_turn').selectAll().orderBy('id', 'desc');
  if ('batch' in what) return all.where('batch', '=', what.batch).execute();
  const named = await all.where('id', 'in', what.turns).execute();
  const whole = new Set(
    named.filter(({ type }) => type === 'merged' || type === 'split').map(({ batch }) => batch ?? ''),
  );
  const rest = whole.size === 0 ? [] : await all.where('batch', 'in', [...whole]).execute();
  const known = new Set(named.map(({ id }) => id));
  return [...named, ...rest.filter(({ id }) => !known.has(id))];
}

async function undoState(trx: Kysely<Tables>, turn: StoredTurn): Promise<boolean> {
  const before = readStateBefore(turn);
  if (!before || (await findStateTurn(trx, turn.fault)) !== turn.id) return false;
  const { numUpdatedRows } = await trx
    .updateTable('fault')
    .set(before)
    .where('id', '=', turn.fault)
    .where('merged_into', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Whether all that was moved is still where it was moved to, and where it came from is still free for it. */
async function isInPlace(
  trx: Kysely<Tables>,
  { from, to, hashes }: Moved,
  mergedInto: string | null,
): Promise<boolean> {
  const origin = await trx.selectFrom('fault').select('merged_into').where('id', '=', from).executeTakeFirst();
  const now = new Set(await listHashes(trx, to));
  return origin?.merged_into === mergedInto && hashes.every((hash) => now.has(hash));
}

async function findLatest(trx: Kysely<Tables>, { id, side }: StatefulFault) {
  const columns = ['release', 'received_at as receivedAt'] as const;
  const latest =
    side === 'server'
      ? trx
          .selectFrom('error')
          .select(['id', ...columns])
          .where('fault', '=', id)
          .orderBy('received_at', 'desc')
          .limit(1)
      : trx
          .selectFrom('report')
          .select(['event_id as id', ...columns])
          .where('fault', '=', id)
          .orderBy('received_at', 'desc')
          .limit(1);
  const row = await latest.executeTakeFirst();
  return row && { ...row, release: row.release ?? '' };
}

/** A fault that was resolved and occurred again while it was part of another has regressed. */
async function wakeByLatest(trx: Kysely<Tables>, id: string): Promise<void> {
  const fault = await trx
    .selectFrom('fault')
    .select(['id', 'app', 'side', 'state', 'state_json', 'state_time', 'news'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const latest = fault.state === 'open' ? undefined : await findLatest(trx, fault);
  if (latest) await wakeFault(trx, fault, { ...latest, app: fault.app });
}

async function undoMerge(trx: Kysely<Tables>, app: string, move: Moved): Promise<boolean> {
  const { from, to, hashes, feedback, news } = move;
  if (!(await isInPlace(trx, move, to))) return false;
  await trx.updateTable('fault').set({ merged_into: null, news }).where('id', '=', from).execute();
  await moveHashes(trx, { app, from: to, to: from, hashes, feedback });
  for (const id of [from, to]) await sumFault(trx, id);
  await wakeByLatest(trx, from);
  return true;
}

/** The fault that the split made is left without hashes, unless something was merged into it since. */
async function undoSplit(trx: Kysely<Tables>, app: string, move: Moved): Promise<boolean> {
  const { from, to, hashes } = move;
  if (!(await isInPlace(trx, move, null))) return false;
  const isAll = (await listHashes(trx, to)).length === hashes.length;
  if (isAll) await trx.updateTable('fault').set({ merged_into: from, news: null }).where('id', '=', to).execute();
  await moveHashes(trx, { app, from: to, to: from, hashes });
  for (const id of [from, to]) await sumFault(trx, id);
  return true;
}

async function undoTurn(trx: Kysely<Tables>, turn: StoredTurn): Promise<boolean> {
  const { app, type } = turn;
  switch (type) {
    case 'resolved':
    case 'reopened':
    case 'snoozed':
    case 'muted':
    case 'noted':
      return undoState(trx, turn);
    case 'merged':
    case 'split': {
      const undo = type === 'merged' ? undoMerge : undoSplit;
      for (const move of readMoved(turn)) {
        if (!(await undo(trx, app, move))) return false;
      }
      return true;
    }
    case 'first-seen':
    case 'regressed':
    case 'woke':
      return false;
  }
}

function isStateTurn({ type }: StoredTurn): boolean {
  return type === 'reopened' || type === 'noted';
}

/** Thrown to roll back what was undone before the one that cannot be. */
class CannotUndo extends Error {}

/** Given turns, or all of a batch. */
export async function undoTurns(what: What, now: number = Date.now()): Promise<TriageResult> {
  requireOperator();
  if ('turns' in what && what.turns.length === 0) return refuse('nothing-chosen');
  if ('turns' in what && what.turns.length > faultsAtOnce) return refuse('too-many');
  const { transact } = await openStore();
  try {
    return await transact(async (trx): Promise<TriageResult> => {
      const turns = await readTurns(trx, what);
      const ids = turns.map(({ id }) => id);
      const [first] = turns;
      if (!first || ('turns' in what && what.turns.some((id) => !ids.includes(id)))) return refuse('gone');
      // Clicked twice, or on two pages.
      if (turns.every(({ undone }) => undone !== null)) return { type: 'unchanged' };
      const moves = turns.some(({ type }) => type === 'merged' || type === 'split');
      for (const turn of turns) {
        if (turn.undone !== null) continue;
        const isUndone = turn.batch !== null && (await undoTurn(trx, turn));
        // The state that a merge gave may have changed since. What was moved can still be moved back.
        if (!isUndone && !(moves && isStateTurn(turn))) throw new CannotUndo();
        await trx.updateTable('fault_turn').set({ undone: now }).where('id', '=', turn.id).execute();
      }
      return { type: 'done', batch: first.batch ?? first.id, turns: ids };
    });
  } catch (error) {
    if (error instanceof CannotUndo) return refuse('changed-since');
    throw error;
  }
}
