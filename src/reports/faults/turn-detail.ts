import 'server-only';

import type { Kysely, Selectable } from 'kysely';

import type { FaultTable, FaultTurnTable, Tables } from '#src/store/schema.ts';

import { asInteger, asList, asRecord, asText, parseJson } from '../untrusted-json.ts';

/** What undoes a turn, as its `detail_json` has it. We wrote it; a row that cannot be read cannot be undone. */
export type StateBefore = Pick<FaultTable, 'state' | 'state_json' | 'state_time' | 'news'>;

/** A merge or a split: where hashes were, and where they are. */
export type Moved = {
  readonly from: string;
  readonly to: string;
  readonly hashes: readonly string[];
  readonly feedback: readonly string[];
  /** Why somebody should have looked at `from`. */
  readonly news: FaultTable['news'];
};

export type StoredTurn = Selectable<FaultTurnTable>;

function readState(value: unknown): FaultTable['state'] | undefined {
  return value === 'open' || value === 'resolved' || value === 'snoozed' || value === 'muted' ? value : undefined;
}

function readNews(value: unknown): FaultTable['news'] {
  return value === 'new' || value === 'regressed' || value === 'woke' ? value : null;
}

export function readStateBefore({ detail_json }: Pick<StoredTurn, 'detail_json'>): StateBefore | undefined {
  const before = asRecord(asRecord(parseJson(detail_json))?.['before']);
  const [state, time] = [readState(before?.['state']), asInteger(before?.['state_time'])];
  const json = asText(before?.['state_json'], 10_000);
  if (state === undefined || time === undefined || json === undefined) return undefined;
  return { state, state_json: json, state_time: time, news: readNews(before?.['news']) };
}

function readTexts(value: unknown): readonly string[] {
  return (asList(value) ?? []).filter((text) => typeof text === 'string');
}

export function readMoved({ detail_json }: Pick<StoredTurn, 'detail_json'>): readonly Moved[] {
  const moves = (asList(asRecord(parseJson(detail_json))?.['moved']) ?? []).map(asRecord);
  return moves.flatMap((move) => {
    const [from, to] = [move?.['from'], move?.['to']];
    if (typeof from !== 'string' || typeof to !== 'string') return [];
    return [
      {
        from,
        to,
        hashes: readTexts(move?.['hashes']),
        feedback: readTexts(move?.['feedback']),
        news: readNews(move?.['news']),
      },
    ];
  });
}

/** Turns after which a fault is in another state. */
const stateTurns = [
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

/** The turn that made the fault what it is now. */
export async function findStateTurn(trx: Kysely<Tables>, fault: string): Promise<string | undefined> {
  const row = await trx
    .selectFrom('fault_turn')
    .select('id')
    .where('fault', '=', fault)
    .where('type', 'in', stateTurns)
    .where('undone', 'is', null)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.id;
}
