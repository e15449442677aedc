import { setTimeout as wait } from 'node:timers/promises';

/** Longer than the pauses between a click, the request it causes and the prefetches that follow it. */
const quietMs = 600;
const deadlineMs = 20_000;
const pollMs = 20;

/** Counts the requests in flight of a proxy, and waits until a browser has nothing more to ask for. */
export function createQuiet() {
  let open = 0;
  let lastActivity = performance.now();
  return {
    begin(): void {
      open += 1;
      lastActivity = performance.now();
    },
    end(): void {
      open -= 1;
      lastActivity = performance.now();
    },
    /** @throws when that is not reached */
    async wait(): Promise<void> {
      const deadline = performance.now() + deadlineMs;
      lastActivity = performance.now();
      while (open > 0 || performance.now() - lastActivity < quietMs) {
        if (performance.now() > deadline) throw new Error(`${open} requests are still open`);
        await wait(pollMs);
      }
    },
  };
}
