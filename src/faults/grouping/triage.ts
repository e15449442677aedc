import 'server-only';

import { type Kysely, sql } from 'kysely';

import { requireOperator } from '#src/access/require-operator.ts';
import { openStore } from '#src/store/open-store.ts';
import type { FaultActivityTable, Tables } from '#src/store/schema.ts';

import { addActivity } from './add-activity.ts';
import { hearOfRelease } from './count-error.ts';
import { type FaultState, writeFaultState } from './fault-state.ts';
import { hourMs, hourOf } from './hours.ts';
import { faultsAtOnce, refuse, type TriageResult } from './triage-result.ts';
import { countSince, type StatefulFault } from './wake-fault.ts';

/**
 * What the operator makes of faults. Each call is one transaction and one batch of activities, which `undoActivities` takes back as a
 * whole. What cannot be done for one of the faults is not done for any.
 */
export type TriageChange =
  /** Of an open fault: somebody has seen it. */
  | { readonly type: 'open' }
  | { readonly type: 'resolve' }
  | { readonly type: 'resolve-in'; readonly release: string }
  | { readonly type: 'resolve-next' }
  | { readonly type: 'snooze'; readonly hours: number }
  | { readonly type: 'snooze-volume'; readonly count: number; readonly hours: number }
  | { readonly type: 'mute' };

type Triaged = StatefulFault & { readonly app: string };

async function toState(trx: Kysely<Tables>, fault: Triaged, change: TriageChange, now: number): Promise<FaultState> {
  switch (change.type) {
    case 'open':
      return { type: 'open' };
    case 'resolve':
      return { type: 'resolved', in: { type: 'now' } };
    case 'resolve-in':
      // Errors of releases that are heard of from now on come after it, also when it has never failed itself.
      await hearOfRelease(trx, { app: fault.app, side: 'server', name: change.release, time: now });
      return { type: 'resolved', in: { type: 'release', release: change.release } };
    case 'resolve-next':
      return { type: 'resolved', in: { type: 'next-release' } };
    case 'snooze':
      return { type: 'snoozed', until: { type: 'time', time: now + change.hours * hourMs } };
    case 'snooze-volume': {
      const { count, hours } = change;
      const before = await countSince(trx, fault, hourOf(now));
      return { type: 'snoozed', until: { type: 'volume', count, hours, before } };
    }
    case 'mute':
      return { type: 'muted' };
  }
}

function nameActivity(state: FaultState, before: Triaged): FaultActivityTable['type'] {
  switch (state.type) {
    case 'open':
      return before.state === 'open' ? 'noted' : 'reopened';
    case 'resolved':
    case 'snoozed':
    case 'muted':
      return state.type;
  }
}

/** @returns the turn; undefined when it was so before */
async function triageFault(
  trx: Kysely<Tables>,
  fault: Triaged,
  change: TriageChange,
  now: number,
  batch: string | undefined,
): Promise<string | undefined> {
  const { id, app, state, state_json, state_time, unseen } = fault;
  const next = await toState(trx, fault, change, now);
  const columns = writeFaultState(next);
  const isSame = columns.state === state && columns.state_json === state_json && next.type !== 'snoozed';
  if (isSame && unseen === null) return undefined;
  // An open fault that was only looked at has been open since before.
  const time = isSame && state === 'open' ? state_time : now;
  await trx
    .updateTable('fault')
    .set({ ...columns, state_time: time, unseen: null })
    .where('id', '=', id)
    .execute();
  const detail = { ...next, before: { state, state_json, state_time, unseen } };
  const type = nameActivity(next, fault);
  return addActivity(trx, { fault: id, app, time: now, type, by: 'operator', detail, batch: batch ?? 'first' });
}

/** @param now by our clock */
export async function triageFaults(
  faults: readonly string[],
  change: TriageChange,
  now: number = Date.now(),
): Promise<TriageResult> {
  requireOperator();
  const ids = [...new Set(faults)];
  if (ids.length === 0) return refuse('nothing-chosen');
  if (ids.length > faultsAtOnce) return refuse('too-many');
  const { transact } = await openStore();
  return transact(async (trx): Promise<TriageResult> => {
    const rows = await trx
      .selectFrom('fault')
      .select(['id', 'app', 'side', 'state', 'state_json', 'state_time', 'unseen'])
      .where('id', 'in', ids)
      .where('merged_into', 'is', null)
      .orderBy(sql`last_time`, 'desc')
      .execute();
    if (rows.length < ids.length) return refuse('gone');
    const activities: string[] = [];
    for (const fault of rows) {
      const activity = await triageFault(trx, fault, change, now, activities[0]);
      if (activity !== undefined) activities.push(activity);
    }
    const [batch] = activities;
    return batch === undefined ? { type: 'unchanged' } : { type: 'done', batch, activities };
  });
}
