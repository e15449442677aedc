import 'server-only';

import type { Kysely, Selectable } from 'kysely';

import type { FaultTable, FaultActivityTable, Tables } from '#src/store/schema.ts';

import { asInteger, asList, asRecord, asText, parseJson } from '../receive/untrusted-json.ts';

/** What undoes a turn, as its `detail_json` has it. We wrote it; a row that cannot be read cannot be undone. */
export type StateBefore = Pick<FaultTable, 'state' | 'state_json' | 'state_time' | 'unseen'>;

/** A merge or a split: where hashes were, and where they are. */
export type Moved = {
  readonly from: string;
  readonly to: string;
  readonly hashes: readonly string[];
  readonly feedback: readonly string[];
  /** Why somebody should have looked at `from`. */
  readonly unseen: FaultTable['unseen'];
};

export type StoredActivity = Selectable<FaultActivityTable>;

function readState(value: unknown): FaultTable['state'] | undefined {
  return value === 'open' || value === 'resolved' || value === 'snoozed' || value === 'muted' ? value : undefined;
}

function readUnseen(value: unknown): FaultTable['unseen'] {
  return value === 'new' || value === 'regressed' || value === 'woke' ? value : null;
}

export function readStateBefore({ detail_json }: Pick<StoredActivity, 'detail_json'>): StateBefore | undefined {
  const before = asRecord(asRecord(parseJson(detail_json))?.['before']);
  const [state, time] = [readState(before?.['state']), asInteger(before?.['state_time'])];
  const json = asText(before?.['state_json'], 10_000);
  if (state === undefined || time === undefined || json === undefined) return undefined;
  return { state, state_json: json, state_time: time, unseen: readUnseen(before?.['unseen']) };
}

/** The texts of a list that we wrote; what is none is left out. */
export function readTextList(value: unknown): readonly string[] {
  return (asList(value) ?? []).filter((text) => typeof text === 'string');
}

export function readMoved({ detail_json }: Pick<StoredActivity, 'detail_json'>): readonly Moved[] {
  const moves = (asList(asRecord(parseJson(detail_json))?.['moved']) ?? []).map(asRecord);
  return moves.flatMap((move) => {
    const [from, to] = [move?.['from'], move?.['to']];
    if (typeof from !== 'string' || typeof to !== 'string') return [];
    return [
      {
        from,
        to,
        hashes: readTextList(move?.['hashes']),
        feedback: readTextList(move?.['feedback']),
        unseen: readUnseen(move?.['unseen']),
      },
    ];
  });
}

/** Activities after which a fault is in another state. */
const stateActivities = [
  'first-seen',
  'resolved',
  'reopened',
  'snoozed',
  'muted',
  'regressed',
  'woke',
  'confirmed',
  'noted',
] as const;

/** The activity that made the fault what it is now. */
export async function findStateActivity(trx: Kysely<Tables>, fault: string): Promise<string | undefined> {
  const row = await trx
    .selectFrom('fault_activity')
    .select('id')
    .where('fault', '=', fault)
    .where('type', 'in', stateActivities)
    .where('undone', 'is', null)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.id;
}
