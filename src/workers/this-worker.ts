/**
 * How a process knows that it is one of several workers of one server (`WORKERS=2`), and which. The primary says so before the
 * server's code is loaded (join-primary.ts). A process that is the whole server, a command and a thread are no workers.
 */
export type ThisWorker = {
  /** From 1. A worker that takes the place of another one has its number. */
  readonly number: number;
  readonly count: number;
  /** The server's secret for processes that speak for visitors (http/visitor.ts): the same in all workers. */
  readonly door: string;
  /** The primary holds the lock on the data folder, for all (store/instance.ts). */
  readonly wasStoppedCleanly: boolean;
  /**
   * Why it was started. The first one alone checks and upgrades the database, and tells where the server is; the others are started
   * when it is ready.
   */
  readonly cause: WorkerCause;
};

export const workerCauses = ['first', 'another', 'replacement'] as const;

/** `replacement`: another one has ended, or is to be ended when this one is ready. */
export type WorkerCause = (typeof workerCauses)[number];

declare global {
  /** Set once, before the server's code is loaded, which is in several bundles. */
  var __FLIGHT_WORKER__: ThisWorker | undefined;
}

/** Undefined where one process is the whole server. */
export function thisWorker(): ThisWorker | undefined {
  return globalThis.__FLIGHT_WORKER__;
}

/** Whether this process does for the server what is done once: all of it, or the first of several. */
export function isFirstWorker(): boolean {
  const { cause = 'first' } = thisWorker() ?? {};
  return cause === 'first';
}
