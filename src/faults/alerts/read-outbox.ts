import 'server-only';

import { sql, type Kysely, type Selectable } from 'kysely';

import type { Tables } from '#src/store/schema.ts';

import { hourMs, type Happening } from './weigh-faults.ts';

/** What happened to faults and may be worth an alert. */

/** In `fault_activity.alerted`, in place of a time: channels that are not told of untrusted errors have not heard of the fault. */
export const alertedAsUntrusted = 0;
/** Activities in one transaction: some ten milliseconds with a message for each. */
export const activitiesAtOnce = 200;
/** Of more faults above a threshold in the same hour, only those with the most errors are looked at. */
const oftenAtOnce = 200;

const faultColumns = ['fault.id', 'fault.app', 'fault.side', 'fault.state', 'fault.merged_into'] as const;

type FaultPart = {
  readonly id: string;
  readonly app: string;
  readonly side: 'server' | 'browser';
  readonly state: Tables['fault']['state'];
  readonly merged_into: string | null;
  readonly count: number;
  readonly untrusted: number;
};

function toFault({ id, app, side, state, merged_into: mergedInto, count, untrusted }: FaultPart): Happening['fault'] {
  // A fault that was merged goes on as another one, which tells for itself.
  return { id, app, side, count, untrusted, isOpen: state === 'open' && mergedInto === null };
}

export type Activities = {
  readonly ids: readonly string[];
  /** Those of `ids` that say of a fault that it is new, while only browsers have reported it. */
  readonly untrusted: readonly string[];
  readonly happenings: readonly Happening[];
};

const reasons = { 'first-seen': 'new', regressed: 'regressed', woke: 'woke', confirmed: 'new' } as const;

type Activity = Pick<Selectable<Tables['fault_activity']>, 'type' | 'undone'>;

/** Undefined: nobody needs a message of it. */
function toReason({ type, undone }: Activity): Happening['reason'] | undefined {
  if (undone !== null) return undefined;
  if (type !== 'first-seen' && type !== 'regressed' && type !== 'woke' && type !== 'confirmed') return undefined;
  return reasons[type];
}

/** Activities from which no alert was derived yet, the oldest first. Those that tell nothing are only listed. */
export async function readActivities(db: Kysely<Tables>): Promise<Activities> {
  const rows = await db
    .selectFrom('fault_activity')
    .leftJoin('fault', 'fault.id', 'fault_activity.fault')
    .select(['fault_activity.id as activity', 'fault_activity.type', 'fault_activity.undone'])
    .select(['fault_activity.time', 'fault_activity.error'])
    .select([...faultColumns, 'fault.count', 'fault.untrusted'])
    .where('fault_activity.alerted', 'is', null)
    .orderBy('fault_activity.id')
    .limit(activitiesAtOnce)
    .execute();
  const untrusted: string[] = [];
  const happenings = rows.flatMap((row): Happening[] => {
    const { id, app, side, state, count, untrusted: reports } = row;
    const reason = toReason(row);
    if (reason === undefined) return [];
    if (id === null || app === null || side === null || state === null || count === null || reports === null) return [];
    if (reason === 'new' && side === 'browser') untrusted.push(row.activity);
    const fault = toFault({ id, app, side, state, count, untrusted: reports, merged_into: row.merged_into });
    const { time, error } = row;
    return [{ reason, fault, time, error, hour: undefined, heldBy: undefined, wasUntrusted: false }];
  });
  return { ids: rows.map(({ activity }) => activity), untrusted, happenings };
}

/**
 * Faults that browsers had reported first, and that a server has confirmed since. A channel that is not told of untrusted errors has
 * not heard of them, and has to: otherwise whoever posts an untrusted error first would keep the fault quiet.
 */
export async function readConfirmed(db: Kysely<Tables>, since: number, now: number): Promise<Activities> {
  const rows = await db
    .selectFrom('fault')
    .innerJoin('fault_activity', 'fault_activity.fault', 'fault.id')
    .select(['fault_activity.id as activity', 'fault_activity.error'])
    .select([...faultColumns, 'fault.count', 'fault.untrusted'])
    .where('fault.state', '=', 'open')
    .where('fault.last_time', '>=', since)
    .where('fault.side', '=', 'server')
    .where('fault_activity.alerted', '=', alertedAsUntrusted)
    // An activity of its own tells of it.
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('fault_activity as confirmed')
            .select('confirmed.id')
            .whereRef('confirmed.fault', '=', 'fault.id')
            .where('confirmed.type', '=', 'confirmed'),
        ),
      ),
    )
    .limit(activitiesAtOnce)
    .execute();
  const happenings = rows.map(({ activity: _activity, ...row }): Happening => {
    const unseen = { reason: 'new', time: now, error: null, hour: undefined, heldBy: undefined } as const;
    return { ...unseen, fault: toFault(row), wasUntrusted: true };
  });
  return { ids: rows.map(({ activity }) => activity), untrusted: [], happenings };
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
    .select([...faultColumns, 'fault.count', 'fault.untrusted', 'fault.last_time'])
    .select(({ fn }) => [
      fn.sum<number>('fault_hour.count').as('hourCount'),
      fn.sum<number>('fault_hour.untrusted').as('hourUntrusted'),
    ])
    .where('fault_hour.hour', '=', start)
    .where('fault.state', '=', 'open')
    .groupBy('fault.id')
    .having(sql<number>`sum(fault_hour.count) + sum(fault_hour.untrusted)`, '>', threshold)
    // An app with more loud faults than are read leaves those of the others in.
    .orderBy(
      sql`row_number() over (partition by fault.app order by sum(fault_hour.count) + sum(fault_hour.untrusted) desc)`,
    )
    .limit(oftenAtOnce)
    .execute();
  return rows.map(({ hourCount, hourUntrusted, last_time: lastTime, ...row }) => ({
    reason: 'volume',
    fault: toFault(row),
    // A channel that was added since has seen nothing happen.
    time: lastTime,
    error: null,
    hour: { start, count: hourCount, untrusted: hourUntrusted },
    heldBy: undefined,
    wasUntrusted: false,
  }));
}

/** What waited for the end of its hour. */
export async function readHeld(db: Kysely<Tables>, now: number): Promise<readonly Happening[]> {
  const rows = await db
    .selectFrom('alert_sent')
    .innerJoin('fault', 'fault.id', 'alert_sent.fault')
    .select([...faultColumns, 'fault.count', 'fault.untrusted'])
    .select(['alert_sent.channel', 'alert_sent.held', 'alert_sent.time'])
    .where('alert_sent.held', 'is not', null)
    .where((eb) => eb.or([eb('alert_sent.time', '<=', now - hourMs), eb('alert_sent.time', '>', now)]))
    .orderBy('alert_sent.time')
    .limit(activitiesAtOnce)
    .execute();
  return rows.flatMap(({ channel, held, time, ...row }) =>
    held === null
      ? []
      : [
          {
            reason: held,
            fault: toFault(row),
            time,
            error: null,
            hour: undefined,
            heldBy: channel,
            wasUntrusted: false,
          },
        ],
  );
}
