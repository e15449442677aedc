import { hostname } from 'node:os';

import { sql } from 'kysely';

import { describeError, isRecord } from '#boundary';
import { writeLog } from '#src/server/http/log.ts';

import type { Store } from './open-store.ts';
import { noteOthers, parseCounts, type ProcessCounts, toCount } from './other-counts.ts';
import { databaseTime } from './postgres/create-sharing-tables.ts';
import type { Tables } from './schema.ts';

/**
 * Who else is a server on this database. Each writes its row every few seconds, with its load and what it has counted since it
 * started. Times are those of the database, so the machines' clocks do not matter.
 */

export type InstanceState = {
  /** Host and port that it listens on: `origin` is the same for all of them. */
  readonly address: string;
  readonly load: string;
  /** How late timers run. */
  readonly delayMs: number;
  readonly memoryBytes: number;
  /** What it does that only one server does. */
  readonly leases: readonly string[];
  /** Since it started. */
  readonly counts: ProcessCounts;
};

export type Instance = {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly origin: string;
  readonly version: string;
  readonly build: string;
  readonly started: number;
  readonly seen: number;
  readonly presence: 'here' | 'gone' | 'stopped';
  readonly state: InstanceState;
};

type Introduction = {
  readonly id: string;
  readonly readOrigin: () => string;
  readonly version: string;
  readonly build: string;
  readonly readState: () => InstanceState;
  /** How many servers there are now, this one included. */
  readonly onLive: (count: number) => void;
};

/** A third of the term of a lease, as its renewal. */
const beatMs = 5_000;
/** Three beats: a database that is busy for some seconds makes nobody disappear. */
const goneAfterMs = 15_000;
/** Somebody who looks for the cause of a failure still sees which server is not there any more. */
const forgottenAfterMs = 10 * 60_000;
/** Readers look once a second; what is older than this has been heard by all. */
const notificationKeptMs = 5 * 60_000;
const tidyEveryBeats = 12;

/** A server of another version may write more, or less. */
function parseState(json: string): InstanceState {
  const parsed: unknown = JSON.parse(json);
  const value = isRecord(parsed) ? parsed : {};
  const leases = Array.isArray(value['leases']) ? value['leases'] : [];
  return {
    address: typeof value['address'] === 'string' ? value['address'] : '',
    load: typeof value['load'] === 'string' ? value['load'] : '',
    delayMs: toCount(value['delayMs']),
    memoryBytes: toCount(value['memoryBytes']),
    leases: leases.filter((name) => typeof name === 'string'),
    counts: parseCounts(value['counts']),
  };
}

type Row = Tables['instance'] & { readonly now: number };

function toInstance(row: Row): Instance {
  const { id, host, pid, origin, version, build, started, seen } = row;
  const isGone = row.now - seen > goneAfterMs;
  const presence = row.stopped !== null ? 'stopped' : isGone ? 'gone' : 'here';
  return { id, host, pid, origin, version, build, started, seen, presence, state: parseState(row.state_json) };
}

/** Lists the servers: those that run first, by when they started. Empty where a server has its database for itself. */
export async function readInstances({ db }: Store): Promise<readonly Instance[]> {
  const rows = await db
    .selectFrom('instance')
    .selectAll()
    .select(databaseTime.as('now'))
    .orderBy('started')
    .orderBy('id')
    .execute();
  const all = rows.map(toInstance);
  return [...all.filter(({ presence }) => presence === 'here'), ...all.filter(({ presence }) => presence !== 'here')];
}

async function tidy({ db }: Store): Promise<void> {
  await db
    .deleteFrom('instance')
    .where('seen', '<', sql<number>`${databaseTime} - ${forgottenAfterMs}::bigint`)
    .execute();
  await db
    .deleteFrom('notification')
    .where('time', '<', sql<number>`${databaseTime} - ${notificationKeptMs}::bigint`)
    .execute();
}

/** @returns what ends it, and says that this server stopped */
export function startInstance(store: Store, introduction: Introduction, everyMs = beatMs): () => Promise<void> {
  const { id, readOrigin, version, build, readState, onLive } = introduction;
  let beats = 0;
  let beating: Promise<void> | undefined;
  let hasFailed = false;

  async function write(stopped: number | null): Promise<void> {
    const changing = {
      origin: readOrigin(),
      seen: databaseTime,
      stopped: stopped === null ? null : databaseTime,
      state_json: JSON.stringify(readState()),
    };
    await store.db
      .insertInto('instance')
      .values({ id, host: hostname(), pid: process.pid, version, build, started: databaseTime, ...changing })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(changing))
      .execute();
  }

  async function beat(): Promise<void> {
    try {
      await write(null);
      const running = (await readInstances(store)).filter(({ presence }) => presence === 'here');
      noteOthers(running.filter((one) => one.id !== id).map(({ state }) => state.counts));
      onLive(Math.max(1, running.length));
      if (beats % tidyEveryBeats === 0) await tidy(store);
      beats += 1;
      hasFailed = false;
    } catch (error) {
      if (!hasFailed) writeLog('warn', 'instance-not-announced', { reason: describeError(error) });
      hasFailed = true;
    } finally {
      beating = undefined;
    }
  }

  function beatUnlessBeating(): void {
    beating ??= beat();
  }

  const timer = setInterval(beatUnlessBeating, everyMs).unref();
  beatUnlessBeating();
  return async function stopInstance() {
    clearInterval(timer);
    await beating;
    noteOthers([]);
    // The database may be the reason why this server stops.
    await write(0).catch(() => undefined);
  };
}
