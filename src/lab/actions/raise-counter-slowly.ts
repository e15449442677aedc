'use server';

import 'server-only';

import { setTimeout as wait } from 'node:timers/promises';

import { unstable_rerenderRoute as rerenderRoute } from 'waku/router/server';

import { raise } from './counter.ts';
import { toVisitorKey } from './visitor-key.ts';

/** Long enough for the visitor to leave the page meanwhile. */
const workMs = 800;

export async function raiseCounterSlowly(key: unknown): Promise<void> {
  await wait(workMs);
  raise(toVisitorKey(key), 1, 'a slow action');
  rerenderRoute();
}
