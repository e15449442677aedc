import 'server-only';

import { uptime } from 'node:os';

/** Milliseconds since 1970, for what is stored and shown. This clock jumps when somebody sets it. */
export type WallClock = () => number;

/**
 * Milliseconds since the machine started, for measuring how long something may still last. Setting the clock does not
 * change it, and unlike `performance.now()` it goes on while a laptop sleeps. It advances in steps of a second or less.
 */
type SteadyClock = () => number;

export type Clocks = { readonly wall: WallClock; readonly steady: SteadyClock };

/**
 * `read`, called once per turn of the event loop. For values that every request needs and that cost a system call.
 * Under load one turn brings several requests, and nobody can tell that they came at different moments.
 */
export function oncePerTurn(read: () => number): () => number {
  let known: number | undefined;
  function forget(): void {
    known = undefined;
  }
  return function readOnce() {
    if (known === undefined) {
      known = read();
      setImmediate(forget);
    }
    return known;
  };
}

export const systemClocks: Clocks = { wall: () => Date.now(), steady: oncePerTurn(() => uptime() * 1000) };
