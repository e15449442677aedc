import 'server-only';

import path from 'node:path';

import { describeError } from '#boundary';
import { readMemoryShare } from '#src/server/http/load.ts';
import { writeLog } from '#src/server/http/log.ts';
import { ownApp } from '#src/store/own-app.ts';

import { type MapThread, startThread } from './start-thread.ts';
import type { MapPlace, Position, ResolvedPosition } from './thread/messages.ts';

/**
 * Asks the thread what maps say. One thread, started at the first question and ended when nobody asks for a while. Whoever asks waits no
 * longer than its deadline.
 *
 * All apps share the thread, and each decides which maps it uploads and which errors need them. So each has a queue of its own, and they
 * take turns: an app waits for one question of each other app at most. One that has kept the thread busy for long waits until nobody
 * else asks, and gets less time for each question.
 *
 * A map that keeps the thread busy for too long, or fills its memory, ends the thread. It is not asked again for a while: else one
 * such map would end the thread with every error that names it.
 */

/**
 * Ten times what the largest map takes. It is more than those wait who ask: a machine that is busy for a moment then finishes, and
 * the next question finds the map open.
 */
const answerDeadlineMs = 4_000;
/** An app that used the thread for more than `busyMs` of the last `windowMs` is busy. */
const windowMs = 10_000;
const busyMs = 4_000;
/** For an app that is busy: half of what the others wait at most, and more than twice what the largest map takes. */
const busyDeadlineMs = 1_000;
/**
 * Of each app. Each is one file of one error, some hundred bytes: a flood of errors with new positions does not fill the memory, even if
 * all of a hundred apps send one.
 */
const longestQueue = 200;
/** Errors come in groups. */
const idleMs = 60_000;
/** The first time, the machine may have been busy. Each further time is four times as long, up to the last. */
const firstBadMs = 10_000;
const longestBadMs = 10 * 60_000;
/**
 * Of the memory that the process may use. Above 0.85 the server turns reports away, at 256 MiB it begins with 0.5, and the thread may have
 * 0.75: so what it holds is given back before it costs others anything. The next question begins a new one, in 0.1 s.
 */
const shortOfMemory = 0.7;
/** Of each app: with more, the one that was noted first is asked again. */
const badKept = 100;

type Found = readonly (ResolvedPosition | undefined)[];
type Question = {
  readonly map: MapPlace;
  readonly positions: readonly Position[];
  readonly resolve: (found: Found | undefined) => void;
  isGivenUp: boolean;
};

type AppState = {
  readonly queue: Question[];
  /** How long it used the thread in the last `windowMs`. By the steady clock. */
  used: readonly { readonly until: number; readonly ms: number }[];
  readonly bad: Map<string, { readonly until: number; readonly forMs: number }>;
};

/** By app. Who was asked for last stands last. */
const apps = new Map<string, AppState>();
let thread: MapThread | undefined;
let isAsking = false;
/** While a bundle is unpacked: see `withoutMapThread`. */
let isPaused = false;
let asking: Promise<void> = Promise.resolve();
let idleTimer: NodeJS.Timeout | undefined;

/** Whose map it is: an app's maps are in a folder of its own. Those that our own build left are this server's. */
function appOf(map: MapPlace): string {
  return map.type === 'built' ? ownApp : path.basename(path.dirname(map.file));
}

function stateOf(app: string): AppState {
  const known = apps.get(app);
  if (known) return known;
  const state: AppState = { queue: [], used: [], bad: new Map() };
  apps.set(app, state);
  return state;
}

function isBusy(state: AppState): boolean {
  const since = performance.now() - windowMs;
  state.used = state.used.filter(({ until }) => until > since);
  // Of a use that began before, the part since then counts.
  return state.used.reduce((sum, { until, ms }) => sum + Math.min(ms, until - since), 0) > busyMs;
}

function isBad({ bad }: AppState, file: string): boolean {
  return performance.now() < (bad.get(file)?.until ?? 0);
}

function noteBad({ bad }: AppState, file: string, reason: string): void {
  writeLog('warn', 'source-map-not-read', { file, reason });
  const before = bad.get(file)?.forMs;
  const forMs = before === undefined ? firstBadMs : Math.min(before * 4, longestBadMs);
  bad.delete(file);
  bad.set(file, { until: performance.now() + forMs, forMs });
  const [first] = bad.keys();
  if (bad.size > badKept && first !== undefined) bad.delete(first);
}

async function askOne(state: AppState, { map, positions }: Question): Promise<Found | undefined> {
  if (isBad(state, map.file)) return undefined;
  if (!thread || thread.hasEnded()) thread = startThread();
  const deadlineMs = isBusy(state) ? busyDeadlineMs : answerDeadlineMs;
  const began = performance.now();
  try {
    const answer = await thread.ask({ type: 'resolve', map, positions }, deadlineMs);
    return answer.type === 'resolved' ? answer.positions : undefined;
  } catch (error) {
    noteBad(state, map.file, describeError(error));
    return undefined;
  } finally {
    const until = performance.now();
    state.used = [...state.used, { until, ms: until - began }];
  }
}

/** Whose turn it is: whoever was asked for longest ago, and busy ones when nobody else waits. */
function chooseApp(): AppState | undefined {
  const waiting = [...apps].filter(([, { queue }]) => queue.length > 0);
  const [app, state] = waiting.find(([, one]) => !isBusy(one)) ?? waiting[0] ?? [];
  if (app === undefined || !state) return undefined;
  apps.delete(app);
  apps.set(app, state);
  return state;
}

/** An app that asks for nothing and of which nothing is to be remembered is as one that never asked. */
function forgetIdle(): void {
  const now = performance.now();
  for (const [app, state] of apps) {
    const isRemembered = isBusy(state) || [...state.bad.values()].some(({ until, forMs }) => until + forMs > now);
    if (state.queue.length === 0 && !isRemembered) apps.delete(app);
  }
}

async function askAll(): Promise<void> {
  if (isAsking || isPaused) return;
  isAsking = true;
  clearTimeout(idleTimer);
  for (let state = chooseApp(); state && !isPaused; state = chooseApp()) {
    const next = state.queue.shift();
    if (next && !next.isGivenUp) next.resolve(await askOne(state, next));
    if ((readMemoryShare() ?? 0) > shortOfMemory) endMapThread();
  }
  forgetIdle();
  isAsking = false;
  idleTimer = setTimeout(endMapThread, idleMs).unref();
}

function askWaiting(): void {
  if (!isAsking) asking = askAll();
}

/**
 * Runs `work`, which has a thread of its own, while none reads maps. Each may have three quarters of a server of 256 MiB: both together
 * ended it. Questions wait meanwhile, no longer than their deadlines. Where nobody set a limit, there is room for both.
 */
export async function withoutMapThread<T>(work: () => Promise<T>): Promise<T> {
  if (readMemoryShare() === undefined) return work();
  isPaused = true;
  try {
    await asking;
    endMapThread();
    return await work();
  } finally {
    isPaused = false;
    askWaiting();
  }
}

/** Ends the thread; the next question starts another. */
export function endMapThread(): void {
  void thread?.end();
  thread = undefined;
}

/** Returns undefined when there was no answer before `deadlineMs`, or the map cannot be read. Never throws. */
export function askMap(map: MapPlace, positions: readonly Position[], deadlineMs: number): Promise<Found | undefined> {
  const { queue } = stateOf(appOf(map));
  const { promise, resolve } = Promise.withResolvers<Found | undefined>();
  if (queue.length >= longestQueue) return Promise.resolve(undefined);
  const question: Question = { map, positions, isGivenUp: false, resolve };
  const timer = setTimeout(() => {
    question.isGivenUp = true;
    resolve(undefined);
  }, deadlineMs);
  queue.push(question);
  askWaiting();
  return promise.finally(() => clearTimeout(timer));
}
