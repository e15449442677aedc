import { describeError } from '#src/http/describe-error.ts';
import { writeLog } from '#src/http/log.ts';
import { onPrimary, tellPrimary } from '#src/workers/channel.ts';

import { appointLeases, type LeaseKeeper, type StartWork, type StopWork } from './lease.ts';
import { carryNews, hearNews, isNewsTopic } from './news.ts';
import type { Store } from './open-store.ts';

/**
 * Makes this process one of several workers on a database file: their primary passes on what each of them publishes, and says which
 * of them does what is done once. When that one ends, the primary appoints another (workers/primary/appointments.ts). Changes of what
 * servers keep in memory, which PostgreSQL tells by triggers, show in the file's version.
 *
 * Workers on a PostgreSQL do without: there, other machines take part, too (share-store.ts).
 */
type Work = { readonly start: StartWork; isHeld: boolean; started: Promise<StopWork> | undefined };

async function begin(name: string, work: Work): Promise<StopWork> {
  try {
    return await work.start(() => work.isHeld);
  } catch (error) {
    writeLog('error', 'lease-not-begun', { lease: name, reason: describeError(error) });
    return () => undefined;
  }
}

function createKeeper(works: Map<string, Work>): LeaseKeeper {
  return (name, start) => {
    const work: Work = { start, isHeld: false, started: undefined };
    works.set(name, work);
    tellPrimary({ type: 'lease-wanted', name });
    return async function release() {
      works.delete(name);
      work.isHeld = false;
      const stop = await work.started;
      await stop?.();
      tellPrimary({ type: 'lease-back', name });
    };
  };
}

/** The operator's commands change these, too, and tell nobody. */
const ofTables = ['sessions', 'apps', 'scrub-keys'] as const;
const lookEveryMs = 1_000;

/** @returns what ends it */
function watchTables(store: Store): () => void {
  let version = store.dataVersion();
  const timer = setInterval(() => {
    const found = store.dataVersion();
    if (found === version) return;
    version = found;
    for (const topic of ofTables) hearNews(store, topic, '');
  }, lookEveryMs).unref();
  return () => clearInterval(timer);
}

/** Called once, before anything subscribes or holds a lease. @returns what ends it */
export function shareWithWorkers(store: Store): () => Promise<void> {
  const works = new Map<string, Work>();
  const stopHearing = onPrimary('news', ({ topic, text }) => {
    if (isNewsTopic(topic)) hearNews(store, topic, text);
  });
  const stopCarrying = carryNews(store, { send: (topic, text) => tellPrimary({ type: 'news', topic, text }) });
  const stopAppointments = onPrimary('lease', ({ name }) => {
    const work = works.get(name);
    if (!work || work.isHeld) return;
    work.isHeld = true;
    work.started = begin(name, work);
  });
  const stopWatching = watchTables(store);
  const stopKeeping = appointLeases(store, createKeeper(works));
  return async function stopSharing() {
    stopKeeping();
    stopWatching();
    stopAppointments();
    stopCarrying();
    stopHearing();
  };
}
