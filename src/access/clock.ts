import 'server-only';

import { uptime } from 'node:os';

import { oncePerTurn } from '#src/store/once-per-turn.ts';

/** Milliseconds since 1970, for what is stored and shown. This clock jumps when somebody sets it. */
export type WallClock = () => number;

/**
 * Milliseconds since the machine started, for measuring how long something may still last. Setting the clock does not
 * change it, and unlike `performance.now()` it goes on while a laptop sleeps. It advances in steps of a second or less.
 */
type SteadyClock = () => number;

export type Clocks = { readonly wall: WallClock; readonly steady: SteadyClock };

export const systemClocks: Clocks = { wall: () => Date.now(), steady: oncePerTurn(() => uptime() * 1000) };
