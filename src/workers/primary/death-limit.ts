/**
 * Whether a worker that has ended by itself is started again, and when. One that ends now and then is replaced at once: the others
 * answer meanwhile, with less power. Workers that keep ending will do so again: then the whole server ends, and says so, and whoever
 * supervises it knows that something is wrong.
 */
export type DeathLimit = {
  /** @returns milliseconds until it is started again; undefined when it is not */
  readonly note: (now: number) => number | undefined;
};

/** A page that crashes its process may take every worker with it, once: that many are replaced in this time, and two more of each. */
const periodMs = 60_000;
const deathsOfEach = 3;
/** Node and the server need a second to start. A crash that repeats must not take more of the processors than that. */
const firstPauseMs = 100;
const longestPauseMs = 5_000;

export function createDeathLimit(workers: number): DeathLimit {
  let deaths: number[] = [];
  return {
    note(now) {
      deaths = [...deaths.filter((at) => now - at < periodMs), now];
      if (deaths.length > workers * deathsOfEach) return undefined;
      return deaths.length === 1 ? 0 : Math.min(longestPauseMs, firstPauseMs * 2 ** (deaths.length - 2));
    },
  };
}
