import 'server-only';

import { readRecordAll } from '#src/apps/record-all.ts';
import { readSetting } from '#src/environment/read-setting.ts';
import { readLoadSample } from '#src/http/load.ts';
import { requestCounts } from '#src/http/request-counts.ts';
import { listeningAddress, serverSettings } from '#src/http/server-settings.ts';
import { divideLimits } from '#src/http/token-bucket.ts';
import { flightCounts } from '#src/recorder/flight-counts.ts';
import { shareFlightNews } from '#src/recorder/follow-flights.ts';
import { readRecordingState, recordAllUntil } from '#src/recorder/recorder.ts';
import { shareUserKey } from '#src/reports/event/user-key.ts';
import { countUnstoredErrors } from '#src/reports/record-error.ts';
import { storedCounts } from '#src/reports/stored-errors.ts';
import { startInstance, type InstanceState } from '#src/store/instances.ts';
import { listHeldLeases } from '#src/store/lease.ts';
import { subscribeNews } from '#src/store/news.ts';
import type { Store } from '#src/store/open-store.ts';
import type { ProcessCounts } from '#src/store/other-counts.ts';
import { ownApp } from '#src/store/own-app.ts';
import { shareCounts } from '#src/store/share-counts.ts';
import { instanceId, shareStore } from '#src/store/share-store.ts';
import { shareWithWorkers } from '#src/store/share-with-workers.ts';
import { thisWorker } from '#src/workers/this-worker.ts';

/** What the others are told of this process. */
type Self = {
  readonly version: string;
  readonly build: string;
  readonly readOrigin: () => string;
  readonly readLoad: () => InstanceState['load'];
};

function addUp(counts: readonly { readonly value: number }[]): number {
  return counts.reduce((sum, { value }) => sum + value, 0);
}

function readCounts(): ProcessCounts {
  const drops = readRecordingState()?.drops;
  return {
    requests: addUp(requestCounts.read().filter(({ first }) => first !== 'probe')),
    errors: addUp(storedCounts.read()),
    flights: addUp(flightCounts.read()),
    unstored: countUnstoredErrors(),
    'dropped-memory': drops?.memory ?? 0,
    'dropped-disk': drops?.disk ?? 0,
    'dropped-database': drops?.database ?? 0,
    'dropped-thread': drops?.thread ?? 0,
    'dropped-unreadable': drops?.unreadable ?? 0,
    'dropped-usage': drops?.usage ?? 0,
  };
}

function readInstanceState({ readLoad }: Self): InstanceState {
  return {
    address: listeningAddress(serverSettings()),
    load: readLoad(),
    delayMs: readLoadSample()?.delayMs ?? 0,
    memoryBytes: process.memoryUsage.rss(),
    leases: listHeldLeases(),
    counts: readCounts(),
  };
}

/** Hears of what the others do. @returns what ends it; undefined where this process has its database for itself */
async function startSharing(store: Store, self: Self): Promise<(() => Promise<void>) | undefined> {
  const url = readSetting('DATABASE_URL');
  const worker = thisWorker();
  if (url !== undefined) {
    const { openListener } = await import('#src/store/postgres/open-listener.ts');
    const stopSharing = shareStore(store, openListener(url));
    await shareUserKey(store);
    const stopInstance = startInstance(store, {
      id: instanceId,
      readOrigin: self.readOrigin,
      version: self.version,
      build: self.build,
      readState: () => readInstanceState(self),
      onLive: divideLimits,
    });
    return async function stop() {
      await stopInstance();
      await stopSharing();
    };
  }
  if (!worker) return undefined;
  divideLimits(worker.count);
  const stopCounts = shareCounts(readCounts);
  const stopSharing = shareWithWorkers(store);
  return async function stop() {
    stopCounts();
    await stopSharing();
  };
}

/** Becomes one of several servers or workers, before anything reads or works. @returns what ends it; after the recorder */
export async function share(store: Store, self: Self): Promise<() => Promise<void>> {
  const stopSharing = await startSharing(store, self);
  if (!stopSharing) return async () => undefined;
  const stopFlightNews = shareFlightNews(store);
  const stopApps = subscribeNews(store, 'apps', () => {
    readRecordAll(ownApp, store).then(recordAllUntil, () => undefined);
  });
  return async function stop() {
    stopApps();
    stopFlightNews();
    await stopSharing();
  };
}
