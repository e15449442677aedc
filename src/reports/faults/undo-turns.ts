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

/** Hashes that were split off and merged again are where they were, but the later of two things is undone first. */
async function wasSplitSince(trx: Kysely<Tables>, turn: string, { to, hashes }: Moved): Promise<boolean> {
  const splits = await trx
    .selectFrom('fault_turn')
    .select('detail_json')
    .where('fault', '=', to)
    .where('id', '>', turn)
    .where('type', '=', 'split')
    .where('undone', 'is', null)
    .execute();
  const left = new Set(splits.flatMap(readMoved).flatMap((move) => (move.from === to ? move.hashes : [])));
  return hashes.some((hash) => left.has(hash));
}

/**
 * Whether all that was moved is still where it was moved to, and where it came from is still free for it.
 * @returns how many hashes are there besides; undefined when it is not in place
 */
async function countBesides(
  trx: Kysely<Tables>,
  turn: string,
  move: Moved,
  mergedInto: string | null,
): Promise<number | undefined> {
  const { from, hashes, to } = move;
  if (await wasSplitSince(trx, turn, move)) return undefined;
  const origin = await trx.selectFrom('fault').select('merged_into').where('id', '=', from).executeTakeFirst();
  const now = new Set(await listHashes(trx, to));
  const isInPlace = origin?.merged_into === mergedInto && hashes.every((hash) => now.has(hash));
  return isInPlace ? now.size - hashes.length : undefined;
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
  if (latest) await wakeFault(trx, fault, { ...latest, app: fault.app, side: fault.side });
}

async function undoMerge(trx: Kysely<Tables>, { id, app }: StoredTurn, move: Moved): Promise<boolean> {
  const { from, to, hashes, feedback, news } = move;
  const besides = await countBesides(trx, id, move, to);
  // What `to` had was split off: it would be left with nothing.
  if (besides === undefined || besides === 0) return false;
  await trx.updateTable('fault').set({ merged_into: null, news }).where('id', '=', from).execute();
  await moveHashes(trx, { app, from: to, to: from, hashes, feedback });
  for (const fault of [from, to]) await sumFault(trx, fault);
  await wakeByLatest(trx, from);
  return true;
}

/** The fault that the split made is left without hashes. What was merged into it since has to be taken out first. */
async function undoSplit(trx: Kysely<Tables>, { id, app }: StoredTurn, move: Moved): Promise<boolean> {
  const { from, to, hashes } = move;
  if ((await countBesides(trx, id, move, null)) !== 0) return false;
  await trx.updateTable('fault').set({ merged_into: from, news: null }).where('id', '=', to).execute();
  await moveHashes(trx, { app, from: to, to: from, hashes });
  for (const fault of [from, to]) await sumFault(trx, fault);
  return true;
}

async function undoTurn(trx: Kysely<Tables>, turn: StoredTurn): Promise<boolean> {
  switch (turn.type) {
    case 'resolved':
    case 'reopened':
    case 'snoozed':
    case 'muted':
    case 'noted':
      return undoState(trx, turn);
    case 'merged':
    case 'split': {
      const undo = turn.type === 'merged' ? undoMerge : undoSplit;
      for (const move of readMoved(turn)) {
        if (!(await undo(trx, turn, move))) return false;
      }
      return true;
    }
    case 'first-seen':
    case 'regressed':
    case 'woke':
    case 'confirmed':
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
