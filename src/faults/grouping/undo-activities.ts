import 'server-only';

import type { Kysely } from 'kysely';

import { requireOperator } from '#src/access/require-operator.ts';
import { openStore } from '#src/store/open-store.ts';
import type { Tables } from '#src/store/schema.ts';

import { selectEvents } from '../kept/select-events.ts';
import { followLater, isJoining } from './follow-hashes.ts';
import { listHashes, moveHashes } from './move-hashes.ts';
import { sumFault } from './sum-fault.ts';
import { faultsAtOnce, refuse, type TriageResult } from './triage-result.ts';
import { findStateActivity, type Moved, readMoved, readStateBefore, type StoredActivity } from './activity-detail.ts';
import { readSplitHashes, undoSplitBy } from './undo-split-by.ts';
import { type StatefulFault, wakeFault } from './wake-fault.ts';

/**
 * Takes activities back. Exactly what they changed is restored; errors that came since stay, and go with their hashes. An activity
 * after which something else was done to the same fault cannot be taken back by itself: that is refused, and nothing changes.
 */
type What = { readonly activities: readonly string[] } | { readonly batch: string };

/** A merge and a split are one thing, whichever of their activities is named. */
async function readActivities(trx: Kysely<Tables>, what: What): Promise<readonly StoredActivity[]> {
  const all = trx.selectFrom('fault_activity').selectAll().orderBy('id', 'desc');
  if ('batch' in what) return all.where('batch', '=', what.batch).execute();
  const named = await all.where('id', 'in', what.activities).execute();
  const whole = new Set(
    named.filter(({ type }) => type === 'merged' || type === 'split').map(({ batch }) => batch ?? ''),
  );
  const rest = whole.size === 0 ? [] : await all.where('batch', 'in', [...whole]).execute();
  const known = new Set(named.map(({ id }) => id));
  return [...named, ...rest.filter(({ id }) => !known.has(id))];
}

async function undoState(trx: Kysely<Tables>, activity: StoredActivity): Promise<boolean> {
  const before = readStateBefore(activity);
  if (!before || (await findStateActivity(trx, activity.fault)) !== activity.id) return false;
  const { numUpdatedRows } = await trx
    .updateTable('fault')
    .set(before)
    .where('id', '=', activity.fault)
    .where('merged_into', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Hashes that were split off and merged again are where they were, but the later of two things is undone first. */
async function wasSplitSince(trx: Kysely<Tables>, activity: string, { to, hashes }: Moved): Promise<boolean> {
  const splits = await trx
    .selectFrom('fault_activity')
    .select('detail_json')
    .where('fault', '=', to)
    .where('id', '>', activity)
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
  activity: string,
  move: Moved,
  mergedInto: string | null,
): Promise<number | undefined> {
  const { from, hashes, to } = move;
  if (await wasSplitSince(trx, activity, move)) return undefined;
  const origin = await trx.selectFrom('fault').select('merged_into').where('id', '=', from).executeTakeFirst();
  const now = new Set(await listHashes(trx, to));
  const isInPlace = origin?.merged_into === mergedInto && hashes.every((hash) => now.has(hash));
  return isInPlace ? now.size - hashes.length : undefined;
}

async function findLatest(trx: Kysely<Tables>, { id, side }: StatefulFault) {
  return selectEvents(trx, side)
    .select(['id', 'release', 'received_at as receivedAt'])
    .where('fault', '=', id)
    .orderBy('received_at', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** A fault that was resolved and occurred again while it was part of another has regressed. */
async function wakeByLatest(trx: Kysely<Tables>, id: string): Promise<void> {
  const fault = await trx
    .selectFrom('fault')
    .select(['id', 'app', 'side', 'state', 'state_json', 'state_time', 'unseen'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const latest = fault.state === 'open' ? undefined : await findLatest(trx, fault);
  if (latest) await wakeFault(trx, fault, { ...latest, app: fault.app, side: fault.side });
}

async function undoMerge(trx: Kysely<Tables>, { id, app }: StoredActivity, move: Moved): Promise<boolean> {
  const { from, to, hashes, feedback, unseen } = move;
  const besides = await countBesides(trx, id, move, to);
  // What `to` had was split off: it would be left with nothing.
  if (besides === undefined || besides === 0) return false;
  await trx.updateTable('fault').set({ merged_into: null, unseen }).where('id', '=', from).execute();
  await moveHashes(trx, { app, from: to, to: from, hashes, feedback });
  for (const fault of [from, to]) await sumFault(trx, fault);
  await wakeByLatest(trx, from);
  return true;
}

/** The fault that the split made is left without hashes. What was merged into it since has to be taken out first. */
async function undoSplit(trx: Kysely<Tables>, { id, app }: StoredActivity, move: Moved): Promise<boolean> {
  const { from, to, hashes } = move;
  if ((await countBesides(trx, id, move, null)) !== 0) return false;
  await trx.updateTable('fault').set({ merged_into: from, unseen: null }).where('id', '=', to).execute();
  await moveHashes(trx, { app, from: to, to: from, hashes });
  for (const fault of [from, to]) await sumFault(trx, fault);
  return true;
}

async function undoActivity(trx: Kysely<Tables>, activity: StoredActivity): Promise<boolean> {
  switch (activity.type) {
    case 'resolved':
    case 'reopened':
    case 'snoozed':
    case 'muted':
    case 'noted':
      return undoState(trx, activity);
    case 'merged':
    case 'split': {
      const hashes = readSplitHashes(activity);
      if (hashes) return undoSplitBy(trx, activity, hashes);
      const undo = activity.type === 'merged' ? undoMerge : undoSplit;
      for (const move of readMoved(activity)) {
        if (!(await undo(trx, activity, move))) return false;
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

function isStateActivity({ type }: StoredActivity): boolean {
  return type === 'reopened' || type === 'noted';
}

/** Thrown to roll back what was undone before the one that cannot be. */
class CannotUndo extends Error {}

/** Given activities, or all of a batch. */
export async function undoActivities(what: What, now: number = Date.now()): Promise<TriageResult> {
  requireOperator();
  if ('activities' in what && what.activities.length === 0) return refuse('nothing-chosen');
  if ('activities' in what && what.activities.length > faultsAtOnce) return refuse('too-many');
  const store = await openStore();
  try {
    const result = await store.transact(async (trx): Promise<TriageResult> => {
      const activities = await readActivities(trx, what);
      const ids = activities.map(({ id }) => id);
      const [first] = activities;
      if (!first || ('activities' in what && what.activities.some((id) => !ids.includes(id)))) return refuse('gone');
      // Clicked twice, or on two pages.
      if (activities.every(({ undone }) => undone !== null)) return { type: 'unchanged' };
      const moves = activities.some(({ type }) => type === 'merged' || type === 'split');
      const faults = activities.map(({ fault }) => fault);
      if (moves && (await isJoining(trx, faults))) return refuse('still-joining');
      for (const activity of activities) {
        if (activity.undone !== null) continue;
        const isUndone = activity.batch !== null && (await undoActivity(trx, activity));
        // The state that a merge gave may have changed since. What was moved can still be moved back.
        if (!isUndone && !(moves && isStateActivity(activity))) throw new CannotUndo();
        await trx.updateTable('fault_activity').set({ undone: now }).where('id', '=', activity.id).execute();
      }
      return { type: 'done', batch: first.batch ?? first.id, activities: ids };
    });
    await followLater(store);
    return result;
  } catch (error) {
    if (error instanceof CannotUndo) return refuse('changed-since');
    throw error;
  }
}
