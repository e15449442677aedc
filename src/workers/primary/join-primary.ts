import cluster from 'node:cluster';

import { onPrimary } from '../channel.ts';

/** The argument with which the primary starts its workers. A list of processes shows them by it, too. */
export const workerArgument = '--worker';

/**
 * Makes this process the worker that its primary says it is. When the primary ends, in whatever way, Node ends the worker at once:
 * nobody holds the lock on the data folder any more, and the next server may begin. No digest was seen that is not on disk.
 * @returns false when nobody forked it
 * @throws when it is a worker of somebody else's
 */
export async function joinPrimary(): Promise<boolean> {
  if (!cluster.isWorker) return false;
  if (!process.argv.includes(workerArgument)) {
    throw new Error('WORKERS is set, and this process is a worker of another program already. Leave one of them out.');
  }
  await new Promise<void>((resolve) => {
    const stopHearing = onPrimary('hello', ({ type: _type, ...who }) => {
      stopHearing();
      globalThis.__FLIGHT_WORKER__ = who;
      resolve();
    });
  });
  return true;
}
