import { readFileSync, writeFileSync } from 'node:fs';
import { uptime } from 'node:os';
import path from 'node:path';

import { isDamage } from './database-file.ts';
import type { Store } from './open-store.ts';

/**
 * What is too old is deleted, so the clock that says how old must not be wrong: one that jumps 100 days ahead for a minute would
 * delete everything. The system's clock is taken as a hint. What counts is the age clock, which begins where the last
 * process left it, runs with the machine's uptime, and follows the system's clock while the two agree within an hour.
 *
 * When they do not, somebody set the clock, or the server was off for long. Both look alike, and neither is a reason to delete all
 * at once. So the age clock believes the system's after the two differed by the same for a day of uptime; until then the
 * lower one counts, and what would have gone waits. A process that ends in between goes on with the wait when it is back.
 */

/** What changes of summer time, a reboot and an upgrade are within: a hundredth of the shortest age that is usual. */
const toleranceMs = 3_600_000;
/** Long enough for a person to see the log line and set the clock right. */
const confirmMs = 24 * 3_600_000;
/** A laptop that is off every night is a little further behind each morning: that is no new jump. */
const sameJumpMs = 24 * 3_600_000;
export const ageFile = 'age.json';

type AgeState = {
  /** Milliseconds since 1970. */
  readonly time: number;
  /** How far the system's clock is ahead (or behind, below 0), and for how long already, in uptime. */
  readonly wait: { readonly leadMs: number; readonly waitedMs: number } | undefined;
};

export type Age = {
  /** Milliseconds since 1970, never later than the system's clock: ages are counted from here. */
  readonly now: number;
  /** By the system's clock. When it is believed, if it goes on like this; undefined while there is no doubt. */
  readonly waitsUntil: number | undefined;
  /** The system's clock. */
  readonly wall: number;
};

/** Milliseconds. `steady` goes on while the machine sleeps, and nobody sets it. */
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

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
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
    // Missing, or half of it after a crash: the newest row says the same well enough.
    return undefined;
  }
}

/** In place, since a full disk has no room for a second file. */
function saveState(file: string, state: AgeState): void {
  try {
    writeFileSync(file, `${JSON.stringify(state)}\n`, { mode: 0o600 });
  } catch {
    // A disk that is full is told by readiness. Without the file a wait begins anew with the next process.
  }
}

async function readNewestTime({ db }: Store): Promise<number | undefined> {
  const error = await db.selectFrom('error').select('time').orderBy('time', 'desc').limit(1).executeTakeFirst();
  const report = await db
    .selectFrom('report')
    .select('received_at as time')
    .orderBy('received_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  const times = [error, report].flatMap((row) => row?.time ?? []);
  return times.length > 0 ? Math.max(...times) : undefined;
}

/** Damage does not stop the start here: the store has noted it, and says so. */
async function findNewestTime(store: Store): Promise<number | undefined> {
  try {
    return await readNewestTime(store);
  } catch (error) {
    if (isDamage(error)) return undefined;
    throw error;
  }
}

/**
 * The age clock of `folder`, to be asked about once a minute: it moves and is saved each time. A database without one
 * (from a backup, or from before there was one) has lived until its newest row.
 */
export async function openAgeClock(store: Store, folder: string, clocks: AgeClocks = systemClocks): Promise<AgeClock> {
  const file = path.join(folder, ageFile);
  const wall = clocks.wall();
  let state = readState(file) ?? { time: Math.min((await findNewestTime(store)) ?? wall, wall), wait: undefined };
  let steady = clocks.steady();
  return function readAge() {
    const now = clocks.wall();
    const elapsedMs = clocks.steady() - steady;
    steady += elapsedMs;
    state = advance(state, now, elapsedMs);
    saveState(file, state);
    const waitsUntil = state.wait && now + confirmMs - state.wait.waitedMs;
    return { now: Math.min(state.time, now), waitsUntil, wall: now };
  };
}
