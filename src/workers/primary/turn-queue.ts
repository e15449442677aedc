/**
 * Who of the workers may write: one at a time, in the order in which they asked (../write-turn.ts). A worker that has ended has not
 * got it any more. A turn that lasts too long is over, too: its worker may be busy with a page, in the middle of a transaction. The
 * next one then has to wait for SQLite's own lock, which is what it would have done without turns.
 */
export type TurnQueue = {
  readonly want: (worker: number) => void;
  readonly giveBack: (worker: number) => void;
  /** It has ended, with its turn or while it waited. */
  readonly forget: (worker: number) => void;
};

/**
 * As long as SQLite itself waits for a lock (store/open-store.ts). A group of writes takes some 10 ms, and longer when SQLite writes its
 * log back to a slow disk. The next one would then wait in vain, and on the thread that serves pages: so it is not a few times as long.
 */
const turnLimitMs = 1_000;

/** @param begin tells a worker that it is its turn */
export function createTurnQueue(begin: (worker: number) => void, limitMs: number = turnLimitMs): TurnQueue {
  let holder: { readonly worker: number; readonly limit: NodeJS.Timeout } | undefined;
  /** Turns that were over before they were given back. What is given back for them ends nobody else's. */
  const overdue = new Map<number, number>();
  let waiting: number[] = [];

  function next(): void {
    if (holder) clearTimeout(holder.limit);
    holder = undefined;
    const worker = waiting.shift();
    if (worker === undefined) return;
    holder = { worker, limit: setTimeout(endOverdue, limitMs, worker) };
    begin(worker);
  }

  function endOverdue(worker: number): void {
    overdue.set(worker, (overdue.get(worker) ?? 0) + 1);
    next();
  }

  return {
    want(worker) {
      waiting.push(worker);
      if (!holder) next();
    },
    giveBack(worker) {
      const left = overdue.get(worker) ?? 0;
      if (left > 0) overdue.set(worker, left - 1);
      else if (holder?.worker === worker) next();
    },
    forget(worker) {
      overdue.delete(worker);
      waiting = waiting.filter((one) => one !== worker);
      if (holder?.worker === worker) next();
    },
  };
}
