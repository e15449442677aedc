import { describeError } from '#boundary';
import { writeLog } from '#src/server/http/log.ts';

import type { Store } from './open-store.ts';

/**
 * Work that only one of several servers on the same store does. A process that is alone does all of it at once. Where there are
 * several, which takes PostgreSQL, a keeper says who does what (`appointLeases`): a row with an end, which its holder renews
 * (postgres/keep-leases.ts).
 *
 * What is guaranteed: two servers that run never both believe that they hold the same lease, as long as their timers fire in time.
 * What is not: a process that was stopped for longer than a lease (a paused machine, SIGSTOP) wakes up in the middle of what it
 * did, and another one has the lease by then. It ends its work as soon as it notices. So work under a lease is such that a step
 * that is done twice does no harm, and asks `isHeld` before one that would.
 */
const leaseNames = ['retention', 'alerts', 'indexing', 'completing', 'deletions', 'answers', 'builds'] as const;

export type LeaseName = (typeof leaseNames)[number];

/** Ends the work, and resolves when none of it goes on. */
export type StopWork = () => void | Promise<void>;

/**
 * Begins the work. It may begin and end several times in the life of a process.
 * @param isHeld asks the clock, and not the database
 */
export type StartWork = (isHeld: () => boolean) => StopWork | Promise<StopWork>;

/** Starts the work while this process holds the lease. @returns what ends it and gives the lease back */
export type LeaseKeeper = (name: LeaseName, start: StartWork) => () => Promise<void>;

declare global {
  /** It lives as long as the stores do: an edit in development evaluates this module again. */
  var __FLIGHT_LEASES__: WeakMap<Store, LeaseKeeper> | undefined;
}

/** For a process that is alone on its store. */
const holdAtOnce: LeaseKeeper = (name, start) => {
  const started = Promise.resolve(start(() => true));
  started.catch((error: unknown) =>
    writeLog('error', 'lease-work-failed', { lease: name, reason: describeError(error) }),
  );
  return async function release() {
    const stop = await started;
    await stop();
  };
};

/** Before the first `holdLease` of this store. @returns what ends it */
export function appointLeases(store: Store, keeper: LeaseKeeper): () => void {
  const keepers = (globalThis.__FLIGHT_LEASES__ ??= new WeakMap());
  keepers.set(store, keeper);
  return () => void keepers.delete(store);
}

const held = new Set<LeaseName>();

/** What this process does now. */
export function listHeldLeases(): readonly LeaseName[] {
  return [...held].toSorted();
}

/** Runs `start` while this process holds the lease. @returns what ends it and gives the lease back */
export function holdLease(store: Store, name: LeaseName, start: StartWork): () => Promise<void> {
  const keep = globalThis.__FLIGHT_LEASES__?.get(store) ?? holdAtOnce;
  return keep(name, async (isHeld) => {
    const stop = await start(isHeld);
    held.add(name);
    return async function end() {
      held.delete(name);
      await stop();
    };
  });
}

/** Whether other processes may be servers on this store, too. */
export function isShared(store: Store): boolean {
  return globalThis.__FLIGHT_LEASES__?.has(store) === true;
}
