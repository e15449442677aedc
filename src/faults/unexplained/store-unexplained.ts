import 'server-only';

import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { createBuckets } from '#src/server/http/token-bucket.ts';
import type { CarryingAnswer } from '#src/flights/recorder/read-failed-answers.ts';
import { openStore } from '#src/store/open-store.ts';

import type { ErrorChange } from '../app-errors/insert-error.ts';
import { toErrorRow } from '../app-errors/to-error-row.ts';
import { groupOldTab } from '../builds/group-old-tab.ts';
import { instancesName, oldTabName } from '../builds/old-tab.ts';
import { keep } from '../kept/keep.ts';
import { selectEvents } from '../kept/select-events.ts';
import { takesEvents } from '../receive/untrusted-budget.ts';
import {
  brokenPipe,
  findUnexplained,
  isPatternOfAnswer,
  nearMs,
  type SeenAnswer,
  type KnownCause,
} from './unexplained-answer.ts';

/**
 * An answer of another app that failed, and of which nobody told why, is an error of that app: a proxy saw it. Its key follows from the
 * request, so one that is looked at twice is stored once.
 */

/** Of one app and the seconds of one batch: what apps may send in that time, and more. */
const causesRead = 5_000;
/** In one transaction, which is one turn of the event loop: some 10 ms of the processor. */
const storedAtOnce = 10;
/**
 * A place that was not seen to fail before makes a fault. Where no framework says its route it is the path, and whoever asks chooses
 * that: without a limit, a stranger who finds an app that fails at any address made as many faults as are kept, in a minute, and
 * those of the app's own errors were deleted for them. In 90 days these are 9 % of the faults that are kept (evict-faults.ts) for one
 * app, and 35 % for all. A place beyond is in the fault of all such places.
 */
const newPlaces = {
  own: { size: 100, perSecond: 1 / 3_600 },
  shared: { size: 500, perSecond: 4 / 3_600 },
};
/** On behalf of an app. */
const takePlace = createBuckets(newPlaces);

const ofOldTabs = [oldTabName, instancesName].map((name) => groupOldTab(name).fingerprint);

async function readCauses(app: string, answers: readonly SeenAnswer[]): Promise<readonly KnownCause[]> {
  const { db } = await openStore();
  const from = Math.min(...answers.map(({ startedAt }) => startedAt)) - nearMs;
  return (
    selectEvents(db, 'server')
      .select(['digest', 'trace_id', 'request_id', 'path', 'route', 'time'])
      .where('app', '=', app)
      .where('phase', '!=', 'answer')
      // What we say ourselves of a tab's request explains no other answer.
      .where('fingerprint', 'not in', ofOldTabs)
      .where('message', '!=', brokenPipe)
      // Nothing is received before it happens: so the index on the receipt is used.
      .where('received_at', '>=', from)
      .where('time', '>=', from)
      .where('time', '<=', Math.max(...answers.map(({ endedAt }) => endedAt)) + nearMs)
      .limit(causesRead)
      .execute()
  );
}

/** @param isElsewhere at a place that is none of its own */
function toChange(answer: SeenAnswer, receivedAt: number, isElsewhere: boolean): ErrorChange {
  const { app, method, path, route, kind, status, requestId, traceId, framework, digests } = answer;
  const { row, ...understood } = toErrorRow(
    app,
    {
      id: createHash('sha256').update(`answer ${requestId}`).digest('hex').slice(0, 32),
      time: answer.endedAt,
      reporter: 'other',
      digest: digests[0],
      framework,
      kind,
      route: isElsewhere ? '' : route,
      request: { method, path, id: requestId, traceId },
      name: `HTTP ${status}`,
      message: isElsewhere ? 'No error was reported for it, at many addresses' : 'No error was reported for it',
    },
    receivedAt,
    isPatternOfAnswer({ digest: digests[0] }),
  );
  return { ...understood, row: { ...row, phase: 'answer' }, replaces: undefined };
}

async function readKnown(app: string, hashes: readonly string[]): Promise<Set<string>> {
  const { db } = await openStore();
  const known = await db
    .selectFrom('fault_hash')
    .select('hash')
    .where('app', '=', app)
    .where('hash', 'in', hashes)
    .execute();
  return new Set(known.map(({ hash }) => hash));
}

async function toChanges(app: string, answers: readonly SeenAnswer[], now: number): Promise<readonly ErrorChange[]> {
  const changes = answers.map((answer) => ({ answer, change: toChange(answer, now, false) }));
  const known = await readKnown(
    app,
    changes.map(({ change }) => change.grouping.fingerprint),
  );
  return changes.map(({ answer, change }) => {
    const { fingerprint } = change.grouping;
    if (!known.has(fingerprint) && takePlace(app) > 0) return toChange(answer, now, true);
    known.add(fingerprint);
    return change;
  });
}

/** Of the same app. */
type Beside = {
  /** What else failed in those seconds. */
  readonly around: readonly SeenAnswer[];
  /** Answers of then that did not fail, and carried a digest. */
  readonly carrying: readonly CarryingAnswer[];
  readonly now: number;
};

/**
 * @param answers of one app
 * @returns how many were stored; undefined while there is no room
 * @throws the database's error
 */
export async function storeUnexplained(
  app: string,
  answers: readonly SeenAnswer[],
  { around, carrying, now }: Beside,
): Promise<number | undefined> {
  if (!takesEvents(await openStore())) return undefined;
  let stored = 0;
  const untold = findUnexplained(answers, await readCauses(app, answers), around, carrying);
  for (let from = 0; from < untold.length; from += storedAtOnce) {
    const changes = await toChanges(app, untold.slice(from, from + storedAtOnce), now);
    const outcome = await keep({ type: 'app-events', changes });
    if (outcome.status === 'committed') stored += outcome.errors.length;
    await nextTurn();
  }
  return stored;
}
