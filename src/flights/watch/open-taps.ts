import type { Budget } from '../flight/budget.ts';

/**
 * The recordings that are under way, the oldest first. When there is no memory for one that is new, the oldest gives its memory up: a
 * client that never ends its request would else keep its place for as long as its connection lasts, and two thousand of them would
 * blind the recorder. Most requests end long before that many came after them.
 */
export type OpenTaps = {
  /** Takes from the oldest what is not free. Whoever takes may be the oldest: then it has been told to give up. */
  readonly budget: Budget;
  /** @param giveUp gives back all that it took @returns to be called when it is over */
  readonly add: (giveUp: () => void) => () => void;
};

export function createOpenTaps(budget: Budget): OpenTaps {
  const open = new Set<() => void>();

  function giveUpOldest(): boolean {
    const [oldest] = open;
    if (!oldest) return false;
    open.delete(oldest);
    oldest();
    return true;
  }

  return {
    budget: {
      ...budget,
      take(bytes) {
        while (!budget.take(bytes)) if (!giveUpOldest()) return false;
        return true;
      },
    },
    add(giveUp) {
      open.add(giveUp);
      return () => void open.delete(giveUp);
    },
  };
}
