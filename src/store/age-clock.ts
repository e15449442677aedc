import { readFileSync, writeFileSync } from 'node:fs';
import { uptime } from 'node:os';
import path from 'node:path';

import { sql } from 'kysely';

import { isRecord } from '#boundary';

import { sides } from './event-columns.ts';
import { isDamage } from './sqlite-errors.ts';
import type { Store } from './open-store.ts';
import { databaseTime } from './postgres/create-sharing-tables.ts';

/**
 * Retention deletes what is too old, so the clock that measures age must not be wrong: a clock that jumps 100 days ahead for a
 * minute would delete everything. So the system's clock alone does not decide. Ages are measured with the age clock. It starts
 * where the last process left it, runs with the machine's uptime, and follows the system's clock while the two differ by less
 * than an hour.
 *
 * When they differ by more, somebody set the clock, or the server was off for long. The two cases look alike, and neither is a
 * reason to delete everything at once. So the age clock takes over the system's time only after the two differed by the same
 * amount for a day of uptime. Until then the lower of the two counts, and deletions wait. A process that ends during the wait
 * continues it after its next start.
 *
 * Where several servers share a PostgreSQL, what is saved is a row there, and the system's clock is that of the database's machine:
 * so they agree on ages, whatever their own clocks say.
 */

/** More than a change of summer time, a reboot or an upgrade takes; a hundredth of the shortest usual retention. */
const toleranceMs = 3_600_000;
/** Long enough for a person to see the log line and set the clock right. */
const confirmMs = 24 * 3_600_000;
/** A laptop that is off every night is a little further behind each morning. That is not a new jump. */
const sameJumpMs = 24 * 3_600_000;
export const ageFile = 'age.json';

type AgeState = {
  /** Milliseconds since 1970. */
  readonly time: number;
  /** By how much the system's clock is ahead (below 0: behind), and since how much uptime. */
  readonly wait: { readonly leadMs: number; readonly waitedMs: number } | undefined;
};

export type Age = {
  /** Milliseconds since 1970, never later than the system's clock: ages are counted from here. */
  readonly now: number;
  /** When the system's clock will be believed if nothing changes, in its own time; undefined when the two agree. */
  readonly waitsUntil: number | undefined;
  /** The system's clock. */
  readonly wall: number;
};

/** Milliseconds. `steady` also runs while the machine sleeps, and cannot be set. */
export type AgeClocks = { readonly wall: () => number; readonly steady: () => number };

export type AgeClock = () => Age;

const systemClocks: AgeClocks = { wall: () => Date.now(), steady: () => uptime() * 1_000 };

function advance({ time: before, wait }: AgeState, wall: number, elapsedMs: number): AgeState {
  const time = before + elapsedMs;
  const leadMs = wall - time;
  if (Math.abs(leadMs) <= toleranceMs) return { time: wall, wait: undefined };
  const isSame = wait !== undefined && Math.abs(leadMs - wait.leadMs) <= sameJumpMs;
  const waitedMs = isSame ? wait.waitedMs + elapsedMs : 0;
  return waitedMs >= confirmMs ? { time: wall, wait: undefined } : { time, wait: { leadMs, waitedMs } };
}

function parseState(text: string): AgeState | undefined {
  const value: unknown = JSON.parse(text);
  if (!isRecord(value) || typeof value['time'] !== 'number') return undefined;
  const { time, wait } = value;
  if (!isRecord(wait)) return { time, wait: undefined };
  const { leadMs, waitedMs } = wait;
  return typeof leadMs === 'number' && typeof waitedMs === 'number' ? { time, wait: { leadMs, waitedMs } } : undefined;
}

function readState(file: string): AgeState | undefined {
  try {
    return parseState(readFileSync(file, 'utf8'));
  } catch {
    // Missing, or cut off by a crash: the time of the newest row is good enough instead.
    return undefined;
  }
}

/** Writes the file in place, since a full disk has no room for a second one. */
function saveState(file: string, state: AgeState): void {
  try {
    writeFileSync(file, `${JSON.stringify(state)}\n`, { mode: 0o600 });
  } catch {
    // The health check reports a full disk. Without the file the next process starts the wait again.
  }
}

async function readNewestTime({ db }: Store): Promise<number | undefined> {
  const newest = await Promise.all(
    sides.map((side) =>
      db
        .selectFrom('event')
        .select(({ fn }) => fn.max('received_at').as('time'))
        .where('side', '=', sql.lit(side))
        .executeTakeFirst(),
    ),
  );
  const times = newest.flatMap((row) => row?.time ?? []);
  return times.length > 0 ? Math.max(...times) : undefined;
}

/** Damage does not stop the start here: the store has noted it and reports it. */
async function findNewestTime(store: Store): Promise<number | undefined> {
  try {
    return await readNewestTime(store);
  } catch (error) {
    if (isDamage(error)) return undefined;
    throw error;
  }
}

/** Where the clock's state is kept, and whose clock is the system's. */
type AgePlace = {
  readonly first: AgeState | undefined;
  readonly wall: () => number;
  readonly save: (state: AgeState) => void;
};

async function keepInDatabase({ db }: Store, { wall }: AgeClocks): Promise<AgePlace> {
  let isSaving = false;
  async function ask(state: AgeState | undefined): Promise<{ readonly value: string; readonly aheadMs: number }> {
    const before = wall();
    const value = JSON.stringify(state ?? {});
    const row = await db
      .insertInto('shared_value')
      .values({ name: 'age', value })
      // A start changes nothing: it reads what is there.
      .onConflict((conflict) =>
        conflict.column('name').doUpdateSet({ value: state ? value : (eb) => eb.ref('shared_value.value') }),
      )
      .returning(['value', databaseTime.as('now')])
      .executeTakeFirstOrThrow();
    return { value: row.value, aheadMs: row.now - (before + wall()) / 2 };
  }
  let { value, aheadMs } = await ask(undefined);
  return {
    first: parseState(value),
    wall: () => wall() + aheadMs,
    save(state) {
      if (isSaving) return;
      isSaving = true;
      // Without an answer the next minute saves.
      void ask(state)
        .then((answer) => ({ value, aheadMs } = answer))
        .catch(() => undefined)
        .finally(() => (isSaving = false));
    },
  };
}

function keepInFolder(folder: string, { wall }: AgeClocks): AgePlace {
  const file = path.join(folder, ageFile);
  return { first: readState(file), wall, save: (state) => saveState(file, state) };
}

/**
 * The age clock of `folder`. Call it about once a minute: each call moves it and saves it. For a database without a saved clock
 * (a backup, or a database of an older build) it starts at the time of the newest row.
 */
export async function openAgeClock(store: Store, folder: string, clocks: AgeClocks = systemClocks): Promise<AgeClock> {
  const place = store.engine === 'postgres' ? await keepInDatabase(store, clocks) : keepInFolder(folder, clocks);
  const wall = place.wall();
  let state = place.first ?? { time: Math.min((await findNewestTime(store)) ?? wall, wall), wait: undefined };
  let steady = clocks.steady();
  return function readAge() {
    const now = place.wall();
    const elapsedMs = clocks.steady() - steady;
    steady += elapsedMs;
    state = advance(state, now, elapsedMs);
    place.save(state);
    const waitsUntil = state.wait && now + confirmMs - state.wait.waitedMs;
    // A whole number: times in the database are.
    return { now: Math.floor(Math.min(state.time, now)), waitsUntil, wall: now };
  };
}
