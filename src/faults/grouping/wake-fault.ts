import 'server-only';

import { type Kysely, sql } from 'kysely';

import { compileWith } from '#src/store/compile-with.ts';
import type { FaultTable, Tables } from '#src/store/schema.ts';

import { addActivity } from './add-activity.ts';
import { type FaultState, readFaultState, type SnoozedUntil } from './fault-state.ts';
import { hourMs, hourOf } from './hours.ts';
import { isRegression } from './is-regression.ts';

/**
 * What a new error does to a fault that was resolved, snoozed or muted. It counts by the time of its receipt: one that was received
 * before the operator resolved the fault, and is only now understood, reopens nothing. Nothing looks at a quiet fault: a snooze
 * whose time is over ends with the next error.
 *
 * What the operator decided about a fault that only browsers reported ends when a server has it: anybody can post one, so whoever muted
 * it may have taken it for a stranger's doing. Otherwise an untrusted error that comes first would silence the server's error.
 */
export type Arrival = {
  readonly app: string;
  /** The error's row. */
  readonly id: string;
  readonly side: FaultTable['side'];
  readonly release: string;
  readonly receivedAt: number;
};

export type StatefulFault = Pick<FaultTable, 'id' | 'side' | 'state' | 'state_json' | 'state_time' | 'unseen'>;

const sumHours = compileWith<{ fault: string; from: number }, { hour: number; count: number; untrusted: number }>(
  (db, value) =>
    db
      .selectFrom('fault_hash')
      .innerJoin('fault_hour', (join) =>
        join.onRef('fault_hour.app', '=', 'fault_hash.app').onRef('fault_hour.hash', '=', 'fault_hash.hash'),
      )
      .select([
        'fault_hour.hour',
        sql<number>`sum(fault_hour.count)`.as('count'),
        sql<number>`sum(untrusted)`.as('untrusted'),
      ])
      .where('fault_hash.fault', '=', value('fault'))
      .where('fault_hour.hour', '>=', value('from'))
      .groupBy('fault_hour.hour'),
);

/** How often a fault occurred since `from`, in whole hours. What browsers report of a server's fault does not count. */
export async function countSince(
  trx: Kysely<Tables>,
  { id, side }: Pick<FaultTable, 'id' | 'side'>,
  from: number,
): Promise<number> {
  const { rows } = await sumHours(trx, { fault: id, from: hourOf(from) });
  return rows.reduce((sum, { count, untrusted }) => sum + count + (side === 'server' ? 0 : untrusted), 0);
}

async function isOver(trx: Kysely<Tables>, until: SnoozedUntil, fault: StatefulFault, receivedAt: number) {
  switch (until.type) {
    case 'time':
      return receivedAt >= until.time;
    case 'volume': {
      const since = fault.state_time;
      if (receivedAt <= since) return false;
      const from = receivedAt - (until.hours - 1) * hourMs;
      const isSinceSnooze = hourOf(from) <= hourOf(since);
      const counted = await countSince(trx, fault, Math.max(from, since));
      return counted - (isSinceSnooze ? until.before : 0) >= until.count;
    }
  }
}

type WakingActivity = 'regressed' | 'woke' | 'confirmed';

async function findActivity(
  trx: Kysely<Tables>,
  state: FaultState,
  fault: StatefulFault,
  arrival: Arrival,
): Promise<WakingActivity | undefined> {
  const isConfirmed = fault.side === 'browser' && arrival.side === 'server';
  if (isConfirmed && state.type !== 'open') return 'confirmed';
  switch (state.type) {
    case 'open':
    case 'muted':
      return undefined;
    case 'resolved':
      return (await isRegression(trx, state.in, fault, arrival)) ? 'regressed' : undefined;
    case 'snoozed':
      return (await isOver(trx, state.until, fault, arrival.receivedAt)) ? 'woke' : undefined;
  }
}

const reopen = compileWith<{ fault: string; time: number; unseen: FaultTable['unseen'] }>((db, value) =>
  db
    .updateTable('fault')
    .set({ state: 'open', state_json: '{}', state_time: value('time'), unseen: value('unseen') })
    .where('id', '=', value('fault')),
);

/**
 * Call it when the error and its release are counted.
 * @param fault as it was before
 */
export async function wakeFault(
  trx: Kysely<Tables>,
  fault: StatefulFault,
  arrival: Arrival,
): Promise<WakingActivity | undefined> {
  if (fault.state === 'open') return undefined;
  const type = await findActivity(trx, readFaultState(fault), fault, arrival);
  if (!type) return undefined;
  const { app, id: error, receivedAt: time, release } = arrival;
  const { state, state_json, state_time, unseen } = fault;
  await reopen(trx, { fault: fault.id, time, unseen: type === 'confirmed' ? 'new' : type });
  const detail = { release, before: { state, state_json, state_time, unseen } };
  await addActivity(trx, { fault: fault.id, app, time, type, by: 'system', error, detail });
  return type;
}
