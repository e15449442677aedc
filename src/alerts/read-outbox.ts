import 'server-only';

import { sql, type Kysely, type Selectable } from 'kysely';

import { isRecord } from '#src/http/is-record.ts';
import type { Tables } from '#src/store/schema.ts';

import { hourMs, type Happening } from './weigh-faults.ts';

/** What happened to faults and may be worth an alert. */

/** In `fault_turn.alerted`, in place of a time: channels that are not told of claims have not heard of the fault. */
export const alertedAsClaim = 0;
/** Turns in one transaction: some ten milliseconds with a message for each. */
export const turnsAtOnce = 200;
/** Of more faults above a threshold in the same hour, only those with the most occurrences are looked at. */
const oftenAtOnce = 200;

const faultColumns = ['fault.id', 'fault.app', 'fault.side', 'fault.state', 'fault.merged_into'] as const;

type FaultPart = {
  readonly id: string;
  readonly app: string;
  readonly side: 'server' | 'browser';
  readonly state: Tables['fault']['state'];
  readonly merged_into: string | null;
  readonly count: number;
  readonly claims: number;
};

function toFault({ id, app, side, state, merged_into: mergedInto, count, claims }: FaultPart): Happening['fault'] {
  // A fault that was merged goes on as another one, which tells for itself.
  return { id, app, side, count, claims, isOpen: state === 'open' && mergedInto === null };
}

export type Turns = {
  readonly ids: readonly string[];
  /** Those of `ids` that say of a fault that it is new, while only browsers have reported it. */
  readonly claims: readonly string[];
  readonly happenings: readonly Happening[];
};

const reasons = { 'first-seen': 'new', regressed: 'regressed', woke: 'woke', confirmed: 'new' } as const;

type Turn = Pick<Selectable<Tables['fault_turn']>, 'type' | 'detail_json' | 'undone'>;

/** Undefined: it is no news. */
function toReason({ type, detail_json: json, undone }: Turn): Happening['reason'] | undefined {
  if (undone !== null) return undefined;
  if (type !== 'first-seen' && type !== 'regressed' && type !== 'woke' && type !== 'confirmed') return undefined;
  const detail: unknown = JSON.parse(json);
  // It happened before the upgrade to the version that knows faults.
  if (isRecord(detail) && detail['isOfOlderVersion'] === true) return undefined;
  return reasons[type];
}

/** Turns from which no alert was derived yet, the oldest first. Those that tell nothing are only listed. */
export async function readTurns(db: Kysely<Tables>): Promise<Turns> {
  const rows = await db
    .selectFrom('fault_turn')
    .leftJoin('fault', 'fault.id', 'fault_turn.fault')
    .select(['fault_turn.id as turn', 'fault_turn.type', 'fault_turn.detail_json', 'fault_turn.undone'])
    .select(['fault_turn.time', 'fault_turn.occurrence'])
    .select([...faultColumns, 'fault.count', 'fault.claims'])
    .where('fault_turn.alerted', 'is', null)
    .orderBy('fault_turn.id')
    .limit(turnsAtOnce)
    .execute();
  const claims: string[] = [];
  const happenings = rows.flatMap((row): Happening[] => {
    const { id, app, side, state, count, claims: reports } = row;
    const reason = toReason(row);
    if (reason === undefined) return [];
    if (id === null || app === null || side === null || state === null || count === null || reports === null) return [];
    if (reason === 'new' && side === 'browser') claims.push(row.turn);
    const fault = toFault({ id, app, side, state, count, claims: reports, merged_into: row.merged_into });
    const { time, occurrence } = row;
    return [{ reason, fault, time, occurrence, hour: undefined, heldBy: undefined, wasClaim: false }];
  });
  return { ids: rows.map(({ turn }) => turn), claims, happenings };
}

/**
 * Faults that browsers had reported first, and that a server has confirmed since. A channel that is not told of claims has not heard
 * of them, and has to: otherwise whoever posts a claim first would keep the fault quiet.
 */
export async function readConfirmed(db: Kysely<Tables>, since: number, now: number): Promise<Turns> {
  const rows = await db
    .selectFrom('fault')
    .innerJoin('fault_turn', 'fault_turn.fault', 'fault.id')
    .select(['fault_turn.id as turn', 'fault_turn.occurrence'])
    .select([...faultColumns, 'fault.count', 'fault.claims'])
    .where('fault.state', '=', 'open')
    .where('fault.last_time', '>=', since)
    .where('fault.side', '=', 'server')
    .where('fault_turn.alerted', '=', alertedAsClaim)
    // A turn of its own tells of it.
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('fault_turn as confirmed')
            .select('confirmed.id')
            .whereRef('confirmed.fault', '=', 'fault.id')
            .where('confirmed.type', '=', 'confirmed'),
        ),
      ),
    )
    .limit(turnsAtOnce)
    .execute();
  const happenings = rows.map(({ turn: _turn, ...row }): Happening => {
    const news = { reason: 'new', time: now, occurrence: null, hour: undefined, heldBy: undefined } as const;
    return { ...news, fault: toFault(row), wasClaim: true };
  });
  return { ids: rows.map(({ turn }) => turn), claims: [], happenings };
}

/** Faults that occurred more often in the hour of the clock than the lowest threshold. */
export async function readOften(db: Kysely<Tables>, threshold: number, now: number): Promise<readonly Happening[]> {
  const start = Math.floor(now / hourMs) * hourMs;
  const rows = await db
    .selectFrom('fault_hour')
    .innerJoin('fault_hash', (join) =>
      join.onRef('fault_hash.app', '=', 'fault_hour.app').onRef('fault_hash.hash', '=', 'fault_hour.hash'),
    )
    .innerJoin('fault', 'fault.id', 'fault_hash.fault')
    .select([...faultColumns, 'fault.count', 'fault.claims'])
    .select(({ fn }) => [
      fn.sum<number>('fault_hour.count').as('hourCount'),
      fn.sum<number>('fault_hour.claims').as('hourClaims'),
    ])
    .where('fault_hour.hour', '=', start)
    .where('fault.state', '=', 'open')
    .groupBy('fault.id')
    .having(sql<number>`sum(fault_hour.count) + sum(fault_hour.claims)`, '>', threshold)
    .orderBy(sql`sum(fault_hour.count) + sum(fault_hour.claims)`, 'desc')
    .limit(oftenAtOnce)
    .execute();
  return rows.map(({ hourCount, hourClaims, ...row }) => ({
    reason: 'volume',
    fault: toFault(row),
    time: now,
    occurrence: null,
    hour: { start, count: hourCount, claims: hourClaims },
    heldBy: undefined,
    wasClaim: false,
  }));
}

/** What waited for the end of its hour. */
export async function readHeld(db: Kysely<Tables>, now: number): Promise<readonly Happening[]> {
  const rows = await db
    .selectFrom('alert_told')
    .innerJoin('fault', 'fault.id', 'alert_told.fault')
    .select([...faultColumns, 'fault.count', 'fault.claims'])
    .select(['alert_told.channel', 'alert_told.held', 'alert_told.time'])
    .where('alert_told.held', 'is not', null)
    .where((eb) => eb.or([eb('alert_told.time', '<=', now - hourMs), eb('alert_told.time', '>', now)]))
    .orderBy('alert_told.time')
    .limit(turnsAtOnce)
    .execute();
  return rows.flatMap(({ channel, held, time, ...row }) =>
    held === null
      ? []
      : [
          {
            reason: held,
            fault: toFault(row),
            time,
            occurrence: null,
            hour: undefined,
            heldBy: channel,
            wasClaim: false,
          },
        ],
  );
}
