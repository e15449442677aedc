import { type Kysely, sql } from 'kysely';

import { describeError } from '#boundary';
import { writeLog } from '#src/server/http/log.ts';

import type { LeaseKeeper, LeaseName, StartWork, StopWork } from '../lease.ts';
import type { Tables } from '../schema.ts';
import { databaseTime } from './create-sharing-tables.ts';

/**
 * Leases as rows: a name, a holder, and until when, by the database's clock. A holder renews its rows after a third of the term.
 * When it cannot, it ends its work after two thirds, so there is a third for ending it before another server may begin. How much of
 * the term has passed is measured from before the renewal was sent, by a clock that nobody sets and that goes on while the machine
 * sleeps.
 */

/** A server that was killed is replaced within 20 s. Shorter, and a database that is busy for some seconds makes the work wander. */
const leaseTermMs = 15_000;

type Work =
  | { readonly state: 'idle' }
  | { readonly state: 'running'; readonly stop: Promise<StopWork> }
  | { readonly state: 'stopping'; readonly done: Promise<void> };

type Wanted = { readonly start: StartWork; work: Work; heldUntil: number };

type Options = {
  readonly db: Kysely<Tables>;
  readonly holder: string;
  /** Milliseconds; it never goes back, and runs while the machine sleeps. */
  readonly steady: () => number;
  /** Somebody else may want what was given back. */
  readonly onReleased?: (name: LeaseName) => void;
  readonly termMs?: number;
};

export type Leases = {
  readonly keep: LeaseKeeper;
  /** Asks for what this server does not have, at once. */
  readonly tryNow: () => Promise<void>;
  readonly holds: (name: LeaseName) => boolean;
  /** Gives everything back. */
  readonly stop: () => Promise<void>;
};

async function ask(
  db: Kysely<Tables>,
  names: readonly LeaseName[],
  holder: string,
  termMs: number,
): Promise<ReadonlySet<string>> {
  const until = sql<number>`${databaseTime} + ${termMs}::bigint`;
  const rows = await db
    .insertInto('lease')
    .values(names.map((name) => ({ name, holder, until })))
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({ holder, until: sql<number>`excluded.until` })
        .where((eb) => eb.or([eb('lease.holder', '=', holder), eb('lease.until', '<', databaseTime)])),
    )
    .returning('name')
    .execute();
  return new Set(rows.map(({ name }) => name));
}

function begin(name: LeaseName, one: Wanted, isHeld: () => boolean): void {
  writeLog('info', 'lease-taken', { lease: name });
  const stop = Promise.resolve(one.start(isHeld));
  one.work = { state: 'running', stop };
  stop.catch((error: unknown) => {
    writeLog('error', 'lease-work-failed', { lease: name, reason: describeError(error) });
    if (one.work.state === 'running') one.work = { state: 'idle' };
  });
}

/** Resolves when the work has ended. */
async function end(name: LeaseName, one: Wanted): Promise<void> {
  if (one.work.state === 'stopping') return one.work.done;
  if (one.work.state === 'idle') return;
  const running = one.work.stop;
  async function finish(): Promise<void> {
    try {
      const stop = await running;
      await stop();
    } catch (error) {
      writeLog('error', 'lease-work-failed', { lease: name, reason: describeError(error) });
    } finally {
      one.work = { state: 'idle' };
    }
  }
  const done = finish();
  one.work = { state: 'stopping', done };
  return done;
}

export function keepLeases({ db, holder, steady, onReleased, termMs = leaseTermMs }: Options): Leases {
  const wanted = new Map<LeaseName, Wanted>();
  let asking: Promise<void> | undefined;
  let isAskedAgain = false;
  let problem: string | undefined;

  function isHeld(one: Wanted): boolean {
    return steady() < one.heldUntil;
  }

  /** The first thing after a pause: what is over ends before anything is asked. */
  function endOverdue(): void {
    for (const [name, one] of wanted) {
      if (one.work.state !== 'running' || isHeld(one)) continue;
      writeLog('warn', 'lease-lost', { lease: name });
      void end(name, one);
    }
  }

  async function renew(): Promise<void> {
    endOverdue();
    // In one order everywhere: two servers that lock the same rows never wait for each other.
    const names = [...wanted.keys()].sort();
    if (names.length === 0) return;
    const asked = steady();
    try {
      const held = await ask(db, names, holder, termMs);
      if (problem !== undefined) writeLog('info', 'leases-renewed-again');
      problem = undefined;
      for (const name of names) {
        const one = wanted.get(name);
        // It was given back meanwhile.
        if (!one) continue;
        one.heldUntil = held.has(name) ? asked + (termMs * 2) / 3 : Number.NEGATIVE_INFINITY;
        if (one.work.state === 'idle' && isHeld(one)) begin(name, one, () => isHeld(one));
      }
    } catch (error) {
      const reason = describeError(error);
      if (problem !== reason) writeLog('warn', 'leases-not-renewed', { reason });
      problem = reason;
    }
    endOverdue();
  }

  async function renewAll(): Promise<void> {
    try {
      do {
        isAskedAgain = false;
        await renew();
      } while (isAskedAgain);
    } finally {
      asking = undefined;
    }
  }

  function tryNow(): Promise<void> {
    if (asking) isAskedAgain = true;
    return (asking ??= renewAll());
  }

  async function release(name: LeaseName): Promise<void> {
    const one = wanted.get(name);
    if (!one) return;
    wanted.delete(name);
    await end(name, one);
    // A renewal that is under way would take it again.
    await asking;
    try {
      await db.deleteFrom('lease').where('name', '=', name).where('holder', '=', holder).execute();
      onReleased?.(name);
    } catch (error) {
      // It ends by itself.
      writeLog('warn', 'lease-not-released', { lease: name, reason: describeError(error) });
    }
  }

  const renewing = setInterval(() => void tryNow(), termMs / 3).unref();
  // A renewal that gets no answer must not keep the work going.
  const watching = setInterval(endOverdue, termMs / 15).unref();

  return {
    tryNow,
    holds(name) {
      const one = wanted.get(name);
      return one !== undefined && isHeld(one);
    },
    keep(name, start) {
      wanted.set(name, { start, work: { state: 'idle' }, heldUntil: Number.NEGATIVE_INFINITY });
      void tryNow();
      return () => release(name);
    },
    async stop() {
      clearInterval(renewing);
      clearInterval(watching);
      await Promise.all([...wanted.keys()].map(release));
    },
  };
}
