import 'server-only';

import type { Kysely } from 'kysely';

import { requireReader } from '#src/operator/require-reader.ts';
import { openStore } from '#src/store/open-store.ts';
import type { FaultTurnTable, Tables } from '#src/store/schema.ts';

import { asRecord, type JsonRecord, parseJson } from '../untrusted-json.ts';
import { type FaultState, readFaultState } from './fault-state.ts';
import { findFaultOfOccurrence, findShownOccurrence, type ShownOccurrence } from './kept-occurrences.ts';
import { type FaultSummary, toFaultSummary } from './read-faults.ts';
import { readKept } from './read-kept.ts';

/** One entry of a fault's log. */
export type FaultTurn = {
  readonly id: string;
  readonly time: number;
  readonly type: FaultTurnTable['type'];
  readonly by: FaultTurnTable['by'];
  /** The key of the occurrence that caused it. */
  readonly occurrence: string | null;
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
  /** Errors of servers and reports of browsers whose rows are there. */
  readonly kept: number;
  /** How many of these are reports of browsers. */
  readonly keptClaims: number;
  /** Newest first. */
  readonly turns: readonly FaultTurn[];
};

export type FaultPageRead =
  | { readonly type: 'unknown' }
  /** What was asked for is another fault's, or the fault itself was merged. */
  | { readonly type: 'moved'; readonly fault: string; readonly occurrence: string | undefined }
  | {
      readonly type: 'found';
      readonly fault: FaultDetails;
      /** Undefined where no occurrence is kept: then its counts are all that is left. */
      readonly shown: ShownOccurrence | undefined;
      /** The occurrence that was asked for is not kept; the newest is shown in its place. */
      readonly isAskedGone: boolean;
    };

/** A fault that regresses every day for months has more; the page of one fault shows the newest. */
const turnsShown = 100;

/** src/reports/faults/triage.ts writes the state as the turn's details. */
function readTurnState(type: FaultTurn['type'], json: string): FaultState | undefined {
  return type === 'resolved' || type === 'snoozed' || type === 'muted'
    ? readFaultState({ state: type, state_json: json })
    : undefined;
}

async function readTurns(db: Kysely<Tables>, fault: string): Promise<FaultTurn[]> {
  const rows = await db
    .selectFrom('fault_turn')
    .select(['id', 'time', 'type', 'by', 'occurrence', 'detail_json', 'batch', 'undone'])
    .where('fault', '=', fault)
    .orderBy('id', 'desc')
    .limit(turnsShown)
    .execute();
  return rows.map(({ detail_json, ...turn }) => ({
    ...turn,
    state: readTurnState(turn.type, detail_json),
    detail: asRecord(parseJson(detail_json)) ?? {},
  }));
}

/**
 * What the page of a fault begins with. The parts of the page read the rest, each by itself.
 * @param occurrence the key of the occurrence to be shown; without it the newest
 */
export async function findFaultPage(id: string, occurrence?: string): Promise<FaultPageRead> {
  requireReader();
  const { db } = await openStore();
  const row = await db.selectFrom('fault').selectAll().where('id', '=', id).executeTakeFirst();
  if (!row) return { type: 'unknown' };
  if (row.merged_into !== null) return { type: 'moved', fault: row.merged_into, occurrence };
  const shown = await findShownOccurrence(id, occurrence);
  const isAskedGone = occurrence !== undefined && shown?.shown.key !== occurrence;
  if (isAskedGone) {
    const owner = await findFaultOfOccurrence(occurrence);
    if (owner !== undefined && owner !== id) return { type: 'moved', fault: owner, occurrence };
  }
  const kept = (await readKept([id])).get(id);
  return {
    type: 'found',
    fault: {
      ...toFaultSummary(row),
      stateDetails: readFaultState(row),
      stateTime: row.state_time,
      kept: (kept?.errors ?? 0) + (kept?.reports ?? 0),
      keptClaims: kept?.reports ?? 0,
      turns: await readTurns(db, id),
    },
    shown,
    isAskedGone,
  };
}
