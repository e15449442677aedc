/**
 * Turns for work that holds much memory or time: so many have one at a time, and the others wait. Whoever waits is asked for in
 * rotation, so one who has many waiting keeps nobody else waiting for more than one of them. How many wait is bounded by whoever
 * lets them in.
 *
 * @param together how many have a turn at a time
 * @returns waits for a turn of `who`, and gives what ends it
 */
export function createTurns(together: number): (who: string) => Promise<() => void> {
  // Whoever had a turn last stands last.
  const waiting = new Map<string, (() => void)[]>();
  let free = together;

  function takeNext(): (() => void) | undefined {
    for (const [who, queue] of waiting) {
      const next = queue.shift();
      waiting.delete(who);
      if (queue.length > 0) waiting.set(who, queue);
      return next;
    }
    return undefined;
  }

  function end(): void {
    const next = takeNext();
    if (next) next();
    else free += 1;
  }

  return async function take(who) {
    if (free > 0) free -= 1;
    else {
      await new Promise<void>((resolve) => {
        const queue = waiting.get(who) ?? [];
        queue.push(resolve);
        waiting.set(who, queue);
      });
    }
    return end;
  };
}
