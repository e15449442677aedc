import 'server-only';

import type { Kysely } from 'kysely';

import { requireOperator } from '#src/access/require-operator.ts';
import { openStore } from '#src/store/open-store.ts';
import type { Tables } from '#src/store/schema.ts';

import { addActivity } from './add-activity.ts';
import { createFault } from './create-fault.ts';
import { followLater, isJoining } from './follow-hashes.ts';
import { writeFaultState } from './fault-state.ts';
import { listHashes, moveHashes } from './move-hashes.ts';
import { sumFault } from './sum-fault.ts';
import { faultsAtOnce, refuse, type TriageResult } from './triage-result.ts';
import type { Moved } from './activity-detail.ts';
import type { StatefulFault } from './wake-fault.ts';

/**
 * Merging and splitting by hand. Only hashes move. Rows follow them (follow-hashes.ts), and counts belong to them. The activities name
 * what was moved: undo-activities.ts moves exactly that back, whatever came since.
 */

async function listFeedback(trx: Kysely<Tables>, fault: string): Promise<readonly string[]> {
  const rows = await trx.selectFrom('feedback').select('id').where('fault', '=', fault).execute();
  return rows.map(({ id }) => id);
}

type Row = StatefulFault & { readonly app: string };

export function selectFaults(trx: Kysely<Tables>, ids: readonly string[]): Promise<Row[]> {
  return trx
    .selectFrom('fault')
    .select(['id', 'app', 'side', 'state', 'state_json', 'state_time', 'unseen'])
    .where('id', 'in', ids)
    .where('merged_into', 'is', null)
    .orderBy('first_time')
    .orderBy('id')
    .execute();
}

/** Addresses of what was merged into it before lead on from it: they need no change, and undoing needs none either. */
async function mergeOne(trx: Kysely<Tables>, { app, id: from, unseen }: Row, to: string): Promise<Moved> {
  const moved = { from, to, unseen, hashes: await listHashes(trx, from), feedback: await listFeedback(trx, from) };
  await trx.updateTable('fault').set({ merged_into: to, unseen: null }).where('id', '=', from).execute();
  await moveHashes(trx, { app, ...moved });
  await sumFault(trx, from);
  return moved;
}

/**
 * The operator has looked at the fault that stays, so it counts as seen. It is open when one of the others was: what happens now must not
 * be hidden because the same was resolved once.
 */
export async function settleTarget(trx: Kysely<Tables>, target: Row, isOpen: boolean, now: number, batch: string) {
  const { id, app, state, state_json, state_time, unseen } = target;
  const reopens = isOpen && state !== 'open';
  if (!reopens && unseen === null) return undefined;
  const columns = reopens ? { ...writeFaultState({ type: 'open' }), state_time: now } : {};
  await trx
    .updateTable('fault')
    .set({ ...columns, unseen: null })
    .where('id', '=', id)
    .execute();
  const detail = { before: { state, state_json, state_time, unseen } };
  return addActivity(trx, {
    fault: id,
    app,
    time: now,
    type: reopens ? 'reopened' : 'noted',
    by: 'operator',
    detail,
    batch,
  });
}

/** Makes one fault of several. @param into one of them; without it the oldest stays. */
export async function mergeFaults(
  faults: readonly string[],
  into?: string,
  now: number = Date.now(),
): Promise<TriageResult> {
  requireOperator();
  const ids = [...new Set(into === undefined ? faults : [...faults, into])];
  if (ids.length < 2) return refuse(ids.length === 0 ? 'nothing-chosen' : 'only-one');
  if (ids.length > faultsAtOnce) return refuse('too-many');
  const store = await openStore();
  const result = await store.transact(async (trx): Promise<TriageResult> => {
    const rows = await selectFaults(trx, ids);
    const target = rows.find(({ id }) => into === undefined || id === into);
    if (!target || rows.length < ids.length) return refuse('gone');
    const { app, id: to } = target;
    if (rows.some((row) => row.app !== app)) return refuse('different-apps');
    if (await isJoining(trx, ids)) return refuse('still-joining');
    const others = rows.filter(({ id }) => id !== to);
    const moved: Moved[] = [];
    for (const row of others) moved.push(await mergeOne(trx, row, to));
    await sumFault(trx, to);
    const activity = { app, time: now, type: 'merged', by: 'operator' } as const;
    const batch = await addActivity(trx, { ...activity, fault: to, batch: 'first', detail: { moved } });
    const activities = [batch];
    for (const { id } of others) {
      activities.push(await addActivity(trx, { ...activity, fault: id, batch, detail: { into: to } }));
    }
    const isOpen = others.some(({ state }) => state === 'open');
    const settled = await settleTarget(trx, target, isOpen, now, batch);
    return { type: 'done', batch, activities: settled === undefined ? activities : [...activities, settled] };
  });
  await followLater(store);
  return result;
}

async function createSplit(trx: Kysely<Tables>, fault: string, now: number): Promise<string> {
  const { app, side, name, message, culprit, level, first_time, last_time, first_release, last_release } = await trx
    .selectFrom('fault')
    .selectAll()
    .where('id', '=', fault)
    .executeTakeFirstOrThrow();
  return createFault(trx, {
    app,
    side,
    name,
    message,
    culprit,
    level,
    first_time,
    last_time,
    first_release,
    last_release,
    state_time: now,
    unseen: null,
  });
}

/** Makes a fault of its own of some of a fault's hashes. */
export async function splitFault(
  fault: string,
  hashes: readonly string[],
  now: number = Date.now(),
): Promise<TriageResult> {
  requireOperator();
  const chosen = [...new Set(hashes)];
  if (chosen.length === 0) return refuse('nothing-chosen');
  if (chosen.length > faultsAtOnce) return refuse('too-many');
  const store = await openStore();
  const result = await store.transact(async (trx): Promise<TriageResult> => {
    const [row] = await selectFaults(trx, [fault]);
    const known = new Set(await listHashes(trx, fault));
    if (!row || chosen.some((hash) => !known.has(hash))) return refuse('gone');
    if (chosen.length === known.size) return refuse('all-hashes');
    if (await isJoining(trx, [fault])) return refuse('still-joining');
    const to = await createSplit(trx, fault, now);
    const { app } = row;
    await moveHashes(trx, { app, from: fault, to, hashes: chosen });
    for (const id of [fault, to]) await sumFault(trx, id);
    const moved: readonly Moved[] = [{ from: fault, to, hashes: chosen, feedback: [], unseen: null }];
    const activity = { app, time: now, type: 'split', by: 'operator' } as const;
    const batch = await addActivity(trx, { ...activity, fault, batch: 'first', detail: { moved } });
    const activities = [batch, await addActivity(trx, { ...activity, fault: to, batch, detail: { from: fault } })];
    const settled = await settleTarget(trx, row, false, now, batch);
    return { type: 'done', batch, activities: settled === undefined ? activities : [...activities, settled] };
  });
  await followLater(store);
  return result;
}
