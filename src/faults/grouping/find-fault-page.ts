import 'server-only';

import type { Kysely } from 'kysely';

import { requireReader } from '#src/access/require-reader.ts';
import { openStore } from '#src/store/open-store.ts';
import type { FaultActivityTable, Tables } from '#src/store/schema.ts';

import { asRecord, type JsonRecord, parseJson } from '../receive/untrusted-json.ts';
import { type FaultState, readFaultState } from './fault-state.ts';
import { findFaultOfError, findShownError, type ShownError } from './kept-errors.ts';
import { type FaultSummary, toFaultSummary } from './read-faults.ts';
import { readKept } from './read-kept.ts';

/** One entry of a fault's log. */
export type FaultActivity = {
  readonly id: string;
  readonly time: number;
  readonly type: FaultActivityTable['type'];
  readonly by: FaultActivityTable['by'];
  /** The key of the error that caused it. */
  readonly error: string | null;
  /** What the operator made of it then; undefined for what is no state. */
  readonly state: FaultState | undefined;
  readonly detail: JsonRecord;
  /** Null for what nobody can undo. */
  readonly batch: string | null;
  /** When it was undone. */
  readonly undone: number | null;
};

export type FaultDetails = FaultSummary & {
  readonly stateDetails: FaultState;
  /** Since when it is in this state. */
  readonly stateTime: number;
  /** Errors of servers and errors of browsers whose rows are there. */
  readonly kept: number;
  /** How many of these are errors of browsers. */
  readonly keptUntrusted: number;
  /** Newest first. */
  readonly activities: readonly FaultActivity[];
};

export type FaultPageRead =
  | { readonly type: 'unknown' }
  /** What was asked for is another fault's, or the fault itself was merged. */
  | { readonly type: 'moved'; readonly fault: string; readonly error: string | undefined }
  | {
      readonly type: 'found';
      readonly fault: FaultDetails;
      /** Undefined where no error is kept: then its counts are all that is left. */
      readonly shown: ShownError | undefined;
      /** The error that was asked for is not kept; the newest is shown in its place. */
      readonly isAskedGone: boolean;
    };

/** A fault that regresses every day for months has more; the page of one fault shows the newest. */
const activitiesShown = 100;

/** src/faults/grouping/triage.ts writes the state as the activity's details. */
function readActivityState(type: FaultActivity['type'], json: string): FaultState | undefined {
  return type === 'resolved' || type === 'snoozed' || type === 'muted'
    ? readFaultState({ state: type, state_json: json })
    : undefined;
}

async function readActivities(db: Kysely<Tables>, fault: string): Promise<FaultActivity[]> {
  const rows = await db
    .selectFrom('fault_activity')
    .select(['id', 'time', 'type', 'by', 'error', 'detail_json', 'batch', 'undone'])
    .where('fault', '=', fault)
    .orderBy('id', 'desc')
    .limit(activitiesShown)
    .execute();
  return rows.map(({ detail_json, ...activity }) => ({
    ...activity,
    state: readActivityState(activity.type, detail_json),
    detail: asRecord(parseJson(detail_json)) ?? {},
  }));
}

/**
 * What the page of a fault begins with. The parts of the page read the rest, each by itself.
 * @param error the key of the error to be shown; without it the newest
 */
export async function findFaultPage(id: string, error?: string): Promise<FaultPageRead> {
  requireReader();
  const { db } = await openStore();
  const row = await db.selectFrom('fault').selectAll().where('id', '=', id).executeTakeFirst();
  if (!row) return { type: 'unknown' };
  if (row.merged_into !== null) return { type: 'moved', fault: row.merged_into, error };
  const shown = await findShownError(id, error);
  const isAskedGone = error !== undefined && shown?.shown.key !== error;
  if (isAskedGone) {
    const owner = await findFaultOfError(error);
    if (owner !== undefined && owner !== id) return { type: 'moved', fault: owner, error };
  }
  const kept = (await readKept([id])).get(id);
  return {
    type: 'found',
    fault: {
      ...toFaultSummary(row),
      stateDetails: readFaultState(row),
      stateTime: row.state_time,
      kept: (kept?.errors ?? 0) + (kept?.untrusted ?? 0),
      keptUntrusted: kept?.untrusted ?? 0,
      activities: await readActivities(db, id),
    },
    shown,
    isAskedGone,
  };
}
