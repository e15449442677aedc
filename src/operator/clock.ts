import 'server-only';

import { uptime } from 'node:os';

/** Milliseconds since 1970, for what is stored and shown. It jumps when somebody sets the clock. */
export type WallClock = () => number;

/**
 * Milliseconds since the machine started, for how long something may still last: setting the clock does not move it,
 * and other than `performance.now()` it goes on while a laptop sleeps. In steps of a second or less.
 */
export type SteadyClock = () => number;

export type Clocks = { readonly wall: WallClock; readonly steady: SteadyClock };

export const systemClocks: Clocks = { wall: () => Date.now(), steady: () => uptime() * 1000 };
