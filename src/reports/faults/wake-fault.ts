import 'server-only';

import { type Kysely, sql } from 'kysely';

import { compileWith } from '#src/store/compile-with.ts';
import type { FaultTable, Tables } from '#src/store/schema.ts';

import { addTurn } from './add-turn.ts';
import { type FaultState, readFaultState, type ResolvedIn, type SnoozedUntil } from './fault-state.ts';
import { hourMs, hourOf } from './hours.ts';

/**
 * What a new occurrence does to a fault that was resolved, snoozed or muted. It counts by the time of its receipt: one that was received
 * before the operator resolved the fault, and is only now understood, reopens nothing. Nothing looks at a quiet fault: a snooze
 * whose time is over ends with the next occurrence.
 *
 * What the operator decided about a fault that only browsers claimed ends when a server has it: anybody can claim, so whoever muted
 * it may have taken it for a stranger's doing. Otherwise a claim that comes first would silence the server's error.
 */
export type Arrival = {
  readonly app: string;
  /** The occurrence's row. */
  readonly id: string;
  readonly side: FaultTable['side'];
  readonly release: string;
  readonly receivedAt: number;
  /** Stored by a version that knew no faults. */
  readonly isOfOlderVersion?: boolean;
};

export type StatefulFault = Pick<FaultTable, 'id' | 'side' | 'state' | 'state_json' | 'state_time' | 'news'>;

const findRelease = compileWith<{ app: string; name: string }, { side: FaultTable['side']; first_time: number }>(
  (db, value) =>
    db
      .selectFrom('app_release')
      .select(['side', 'first_time'])
      .where('app', '=', value('app'))
      .where('side', 'in', ['server', 'browser'])
      .where('name', '=', value('name'))
      .orderBy('first_time'),
);

/** Of a server's fault: when a server first had it, whatever browsers claimed before. */
async function readFirstTime(
  trx: Kysely<Tables>,
  { app, side }: { readonly app: string; readonly side: FaultTable['side'] },
  name: string,
): Promise<number | undefined> {
  const { rows } = await findRelease(trx, { app, name });
  return rows.find((row) => side === 'browser' || row.side === 'server')?.first_time;
}

/** Without a release nobody can tell whether the fix was in it: then its time alone counts, or the fault would stay silent for good. */
async function isRegression(
  trx: Kysely<Tables>,
  resolved: ResolvedIn,
  { side, state_time: since }: StatefulFault,
  { app, release, receivedAt }: Arrival,
): Promise<boolean> {
  if (receivedAt <= since) return false;
  const first = release === '' ? undefined : await readFirstTime(trx, { app, side }, release);
  if (first === undefined) return true;
  switch (resolved.type) {
    case 'now':
      return true;
    case 'release': {
      const fixedIn = await readFirstTime(trx, { app, side }, resolved.release);
      return release === resolved.release || fixedIn === undefined || first >= fixedIn;
    }
    case 'next-release':
      return first > since;
  }
}

const sumHours = compileWith<{ fault: string; from: number }, { hour: number; count: number; claims: number }>(
  (db, value) =>
    db
      .selectFrom('fault_hash')
      .innerJoin('fault_hour', (join) =>
        join.onRef('fault_hour.app', '=', 'fault_hash.app').onRef('fault_hour.hash', '=', 'fault_hash.hash'),
      )
      .select([
        'fault_hour.hour',
        sql<number>`sum(fault_hour.count)`.as('count'),
        sql<number>`sum(claims)`.as('claims'),
      ])
      .where('fault_hash.fault', '=', value('fault'))
      .where('fault_hour.hour', '>=', value('from'))
      .groupBy('fault_hour.hour'),
);

/** How often a fault occurred since `from`, in whole hours. What browsers claim of a server's fault does not count. */
export async function countSince(
  trx: Kysely<Tables>,
  { id, side }: Pick<FaultTable, 'id' | 'side'>,
  from: number,
): Promise<number> {
  const { rows } = await sumHours(trx, { fault: id, from: hourOf(from) });
  return rows.reduce((sum, { count, claims }) => sum + count + (side === 'server' ? 0 : claims), 0);
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

type WakingTurn = 'regressed' | 'woke' | 'confirmed';

async function findTurn(
  trx: Kysely<Tables>,
  state: FaultState,
  fault: StatefulFault,
  arrival: Arrival,
): Promise<WakingTurn | undefined> {
  const isConfirmed = fault.side === 'browser' && arrival.side === 'server' && !arrival.isOfOlderVersion;
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

const reopen = compileWith<{ fault: string; time: number; news: FaultTable['news'] }>((db, value) =>
  db
    .updateTable('fault')
    .set({ state: 'open', state_json: '{}', state_time: value('time'), news: value('news') })
    .where('id', '=', value('fault')),
);

/**
 * Call it when the occurrence and its release are counted.
 * @param fault as it was before
 */
export async function wakeFault(
  trx: Kysely<Tables>,
  fault: StatefulFault,
  arrival: Arrival,
): Promise<WakingTurn | undefined> {
  if (fault.state === 'open') return undefined;
  const type = await findTurn(trx, readFaultState(fault), fault, arrival);
  if (!type) return undefined;
  const { app, id: occurrence, receivedAt: time, release } = arrival;
  const { state, state_json, state_time, news } = fault;
  await reopen(trx, { fault: fault.id, time, news: type === 'confirmed' ? 'new' : type });
  const detail = { release, before: { state, state_json, state_time, news } };
  await addTurn(trx, { fault: fault.id, app, time, type, by: 'system', occurrence, detail });
  return type;
}
