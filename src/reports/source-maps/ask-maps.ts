import 'server-only';

import { describeError } from '#src/http/describe-error.ts';
import { writeLog } from '#src/http/log.ts';

import { type MapThread, startThread } from './start-thread.ts';
import type { MapPlace, Position, ResolvedPosition } from './thread/messages.ts';

/**
 * Asks the thread what maps say. One thread, started at the first question and ended when nobody asks for a while. Questions wait in
 * a queue, and whoever asks waits no longer than its deadline.
 *
 * A map that keeps the thread busy for too long, or fills its memory, ends the thread. It is not asked again for a while: else one
 * such map would end the thread with every error that names it.
 */

/**
 * Ten times what the largest map takes. It is more than those wait who ask: a machine that is busy for a moment then finishes, and
 * the next question finds the map open.
 */
const answerDeadlineMs = 4_000;
/** Each is one file of one error: a flood of errors with new positions does not fill the memory. */
const longestQueue = 200;
/** Errors come in groups. */
const idleMs = 60_000;
/** The first time, the machine may have been busy. Each further time is four times as long, up to the last. */
const firstBadMs = 10_000;
const longestBadMs = 10 * 60_000;
const badKept = 1_000;

type Found = readonly (ResolvedPosition | undefined)[];
type Question = {
  readonly map: MapPlace;
  readonly positions: readonly Position[];
  readonly resolve: (found: Found | undefined) => void;
  isGivenUp: boolean;
};

const queue: Question[] = [];
const bad = new Map<string, { readonly until: number; readonly forMs: number }>();
let thread: MapThread | undefined;
let isAsking = false;
let idleTimer: NodeJS.Timeout | undefined;

function isBad(file: string): boolean {
  return performance.now() < (bad.get(file)?.until ?? 0);
}

function noteBad(file: string, reason: string): void {
  writeLog('warn', 'source-map-not-read', { file, reason });
  const before = bad.get(file)?.forMs;
  const forMs = before === undefined ? firstBadMs : Math.min(before * 4, longestBadMs);
  if (bad.size >= badKept) bad.clear();
  bad.set(file, { until: performance.now() + forMs, forMs });
}

async function askOne({ map, positions }: Question): Promise<Found | undefined> {
  if (isBad(map.file)) return undefined;
  if (!thread || thread.hasEnded()) thread = startThread();
  try {
    const answer = await thread.ask({ type: 'resolve', map, positions }, answerDeadlineMs);
    return answer.type === 'resolved' ? answer.positions : undefined;
  } catch (error) {
    noteBad(map.file, describeError(error));
    return undefined;
  }
}

async function askAll(): Promise<void> {
  if (isAsking) return;
  isAsking = true;
  clearTimeout(idleTimer);
  for (let next = queue.shift(); next; next = queue.shift()) {
    if (!next.isGivenUp) next.resolve(await askOne(next));
  }
  isAsking = false;
  idleTimer = setTimeout(endMapThread, idleMs).unref();
}

/** Ends the thread; the next question starts another. */
export function endMapThread(): void {
  thread?.end();
  thread = undefined;
}

/** Undefined when there was no answer before `deadlineMs`, or the map cannot be read. Never throws. */
export function askMap(map: MapPlace, positions: readonly Position[], deadlineMs: number): Promise<Found | undefined> {
  const { promise, resolve } = Promise.withResolvers<Found | undefined>();
  if (queue.length >= longestQueue) return Promise.resolve(undefined);
  const question: Question = { map, positions, isGivenUp: false, resolve };
  const timer = setTimeout(() => {
    question.isGivenUp = true;
    resolve(undefined);
  }, deadlineMs);
  queue.push(question);
  void askAll();
  return promise.finally(() => clearTimeout(timer));
}
