import 'server-only';

import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Lets events begin one after another, and pages in between. An event takes 1 to 4 ms of the event loop, up to 25 when it is
 * hostile. Many connections deliver theirs in the same turn of the loop: 64 of them would be 200 ms in which no page moves.
 *
 * So each turn only begins what fits into a few milliseconds. What is begun together is also written together (group-commit.ts),
 * so the time is not shorter than that.
 */
const turnMs = 10;

/** Resolves after everything that the last event did without waiting for anything. */
function afterItsWork(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}

/** @returns what resolves when the caller may begin; at most as many wait as have places */
export function createPace(now: () => number = () => performance.now()): () => Promise<void> {
  const waiting: (() => void)[] = [];
  let isRunning = false;

  async function beginSome(): Promise<void> {
    const end = now() + turnMs;
    do {
      waiting.shift()?.();
      await afterItsWork();
    } while (waiting.length > 0 && now() < end);
  }

  async function run(): Promise<void> {
    isRunning = true;
    while (waiting.length > 0) {
      await beginSome();
      await nextTurn();
    }
    isRunning = false;
  }

  return function begin() {
    return new Promise((resolve) => {
      waiting.push(resolve);
      if (!isRunning) void run();
    });
  };
}
