import 'server-only';

import { uptime } from 'node:os';

/** Milliseconds since 1970, for what is stored and shown. It jumps when somebody sets the clock. */
export type WallClock = () => number;

/**
 * Milliseconds since the machine started, for how long something may still last: setting the clock does not move it,
 * and other than `performance.now()` it goes on while a laptop sleeps. In steps of a second or less.
 */
type SteadyClock = () => number;

export type Clocks = { readonly wall: WallClock; readonly steady: SteadyClock };

/**
 * `read`, asked once in a turn of the event loop. For what is asked with each request and costs a system call: under load
 * one turn brings several requests, which came at the same moment as far as anybody can tell.
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
