import 'server-only';

import { sql, type Kysely } from 'kysely';

import { otherWord } from '#src/server/http/tally.ts';
import { openStore } from '#src/store/open-store.ts';
import type { Tables } from '#src/store/schema.ts';

import type { Sample } from './metric.ts';

/**
 * What the database says, in a few statements. It is kept for some seconds, and asked once for all who ask at the same time: whoever
 * scrapes without a pause costs the pages nothing.
 *
 * No text from outside becomes a label. A fault is named by our own id, and only those that servers have seen, at most
 * `faultsNamed` of them: browsers can name as many faults as they like.
 */
export type Shared = {
  readonly rows: readonly Sample[];
  readonly faults: readonly Sample[];
  readonly faultErrors: readonly Sample[];
  readonly sessions: number;
  readonly alertsWaiting: number;
};

/** As many as a chart can tell apart. */
const faultsNamed = 20;
const hourMs = 3_600_000;
/**
 * This hour and the one before. Of 1,000 faults that occur all the time, 24 hours are 24,000 rows: 170 ms of the thread that serves
 * pages, on a busy machine of two cores.
 */
const windowMs = 2 * hourMs;
/** As often as Prometheus asks by default. */
const keptMs = 15_000;

/** @param now milliseconds since 1970 */
async function readFaultErrors(db: Kysely<Tables>, now: number): Promise<readonly Sample[]> {
  const ranked = await db
    .selectFrom('fault_hour')
    .innerJoin('fault_hash', (join) =>
      join.onRef('fault_hash.app', '=', 'fault_hour.app').onRef('fault_hash.hash', '=', 'fault_hour.hash'),
    )
    .select(['fault_hash.app', 'fault_hash.fault'])
    .select((eb) => eb.fn.sum<number>('fault_hour.count').as('errors'))
    .where('fault_hour.hour', '>', now - windowMs)
    .where('fault_hour.count', '>', 0)
    .groupBy(['fault_hash.app', 'fault_hash.fault'])
    .orderBy('errors', 'desc')
    .orderBy('fault_hash.fault')
    .execute();
  const named = ranked.slice(0, faultsNamed);
  const others = ranked.slice(faultsNamed).reduce((sum, { errors }) => sum + Number(errors), 0);
  return [
    ...named.map(({ app, fault, errors }) => ({ labels: { app, fault }, value: Number(errors) })),
    { labels: { app: otherWord, fault: otherWord }, value: others },
  ];
}

async function countFaults(db: Kysely<Tables>): Promise<readonly Sample[]> {
  const counted = await db
    .selectFrom('fault')
    .select(['side', 'state'])
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('merged_into', 'is', null)
    .groupBy(['side', 'state'])
    .execute();
  return counted.map(({ side, state, count }) => ({ labels: { side, state }, value: Number(count) }));
}

/** Reads the rows' number from counters that triggers keep. */
async function countRows(db: Kysely<Tables>): Promise<readonly Sample[]> {
  const counted = await db
    .selectFrom('kept_app')
    .select('side')
    .select((eb) => eb.fn.sum<number>('rows').as('rows'))
    .where('side', 'in', ['event-server', 'event-browser'])
    .groupBy('side')
    .execute();
  return counted.map(({ side, rows }) => ({
    labels: { table: side === 'event-server' ? 'error' : 'untrusted' },
    value: Number(rows),
  }));
}

async function countOf(db: Kysely<Tables>, table: 'session' | 'alert_delivery', now: number): Promise<number> {
  const count = sql<number>`count(*)`.as('count');
  const query =
    table === 'session'
      ? db.selectFrom('session').select(count).where('expires', '>', now)
      : db.selectFrom('alert_delivery').select(count).where('state', '=', 'waiting');
  return Number((await query.executeTakeFirst())?.count ?? 0);
}

async function readAll(now: number): Promise<Shared> {
  const { db } = await openStore();
  return {
    rows: await countRows(db),
    faults: await countFaults(db),
    faultErrors: await readFaultErrors(db, now),
    sessions: await countOf(db, 'session', now),
    alertsWaiting: await countOf(db, 'alert_delivery', now),
  };
}

let known: { readonly at: number; readonly shared: Promise<Shared> } | undefined;

/** @throws the database's error */
export function readShared(now: number = Date.now()): Promise<Shared> {
  if (!known || performance.now() - known.at > keptMs) {
    const shared = readAll(now);
    known = { at: performance.now(), shared };
    // The next one asks again.
    shared.catch(() => (known = undefined));
  }
  return known.shared;
}

/** For tests. @internal */
export function forgetShared(): void {
  known = undefined;
}
