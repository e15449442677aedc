'use server';

import { unstable_rerenderRoute as rerenderRoute } from 'waku/router/server';

import { raise } from './counter.ts';
import { toVisitorKey } from './visitor-key.ts';

/** Bound arguments travel through the browser and can be anything when they come back. */
export async function raiseCounter(key: unknown, amount: unknown): Promise<void> {
  if (typeof amount !== 'number' || !(amount >= 1 && amount <= 100)) return;
  raise(toVisitorKey(key), amount, 'a bound argument');
  rerenderRoute();
}
