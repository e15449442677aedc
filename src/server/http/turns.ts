/**
 * Turns for work that holds much memory: so many have one at a time, and the others wait, in the order in which they came. How many wait
 * is bounded by whoever lets them in.
 *
 * @param together how many have a turn at a time
 * @returns waits for a turn, and gives what ends it
 */
export function createTurns(together: number): () => Promise<() => void> {
  const waiting: (() => void)[] = [];
  let free = together;

  function end(): void {
    const next = waiting.shift();
    if (next) next();
    else free += 1;
  }

  return async function take() {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    return end;
  };
}
