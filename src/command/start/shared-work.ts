import 'server-only';

import { finishDeletions } from '#src/apps/delete-app.ts';
import { startDeletions } from '#src/apps/start-deletions.ts';
import { startAlerts } from '#src/faults/alerts/start-alerts.ts';
import { describeError } from '#boundary';
import { writeLog } from '#src/server/http/log.ts';
import { onListening } from '#src/server/http/server-settings.ts';
import { deleteAppFlights, listRecordedApps } from '#src/flights/recorder/delete-app-flights.ts';
import { completeErrors, type LeftErrors } from '#src/faults/kept/complete-errors.ts';
import { giveFaultsToWaiting } from '#src/faults/grouping/give-waiting.ts';
import { followRest } from '#src/faults/grouping/follow-hashes.ts';
import { followRules } from '#src/faults/grouping/follow-rules.ts';
import { partRest } from '#src/faults/grouping/split-by.ts';
import { startIndexing } from '#src/faults/grouping/index-in-background.ts';
import { startRetention } from '#src/faults/kept/retention.ts';
import type { AgeClock } from '#src/store/age-clock.ts';
import { holdLease, isShared } from '#src/store/lease.ts';
import type { Store } from '#src/store/open-store.ts';

import { followBuilds } from './follow-builds.ts';
import { followFailedAnswers } from './follow-failed-answers.ts';

/** Completes what a crash left incomplete. The server answers meanwhile. */
async function completeLeftErrors(store: Store, build: string, left?: LeftErrors): Promise<void> {
  try {
    const completed = await completeErrors(store, build, left);
    if (completed > 0) writeLog('info', 'errors-completed', { completed });
    const given = await giveFaultsToWaiting(store);
    await followRest(store);
    await partRest(store);
    if (given > 0) writeLog('info', 'faults-given', { rows: given });
  } catch (error) {
    writeLog('error', 'errors-not-completed', { reason: describeError(error) });
  }
}

/** Once, after what moves hashes. */
async function followNewRules(store: Store): Promise<void> {
  try {
    const added = await followRules(store);
    if (added > 0) writeLog('info', 'faults-follow-new-rules', { hashes: added });
  } catch (error) {
    writeLog('error', 'new-rules-not-followed', { reason: describeError(error) });
  }
}

/** For a server that is alone: it goes on with what an earlier process did not finish. */
async function finishAppDeletions(): Promise<void> {
  try {
    await finishDeletions(await listRecordedApps(), deleteAppFlights);
  } catch (error) {
    writeLog('error', 'apps-not-deleted', { reason: describeError(error) });
  }
}

/** Until then, an error that has no fault may be in the hands of the server that made it; and its build's server may come back. */
const leftAfterMs = { 'this-build': 60_000, 'any-build': 10 * 60_000 } as const;
const lookForLeftEveryMs = 5 * 60_000;

/**
 * Where other servers are on the same database: what they left, in pauses. Only its own build has an error's maps.
 * @param afterFirst is done once, after the first look
 */
function completeInTurns(
  store: Store,
  build: string,
  of: LeftErrors['of'],
  afterFirst?: () => Promise<void>,
): () => void {
  async function look(): Promise<void> {
    await completeLeftErrors(store, build, { of, before: Date.now() - leftAfterMs[of] });
  }
  const timer = setInterval(() => void look(), lookForLeftEveryMs).unref();
  void look().then(afterFirst);
  return () => clearInterval(timer);
}

/** What only one server on the database does. @returns what ends it */
export function startSharedWork(store: Store, build: string, readAge: AgeClock): () => Promise<void> {
  const releases = [
    holdLease(store, 'retention', (isHeld) => startRetention(store, readAge, isHeld)),
    holdLease(store, 'alerts', (isHeld) => startAlerts(store, isHeld)),
    holdLease(store, 'indexing', () => startIndexing(store)),
    holdLease(store, 'answers', (isHeld) => followFailedAnswers(isHeld)),
    holdLease(store, 'builds', (isHeld) => followBuilds(isHeld)),
  ];
  if (isShared(store)) {
    const stopCompleting = completeInTurns(store, build, 'this-build');
    releases.push(
      async () => stopCompleting(),
      holdLease(store, 'completing', () => completeInTurns(store, build, 'any-build', () => followNewRules(store))),
      holdLease(store, 'deletions', () => startDeletions(store, listRecordedApps, deleteAppFlights)),
    );
  } else {
    onListening(() => {
      void completeLeftErrors(store, build).then(() => followNewRules(store));
      void finishAppDeletions();
    });
  }
  return async function stopSharedWork() {
    await Promise.all(releases.map((giveBack) => giveBack()));
  };
}
