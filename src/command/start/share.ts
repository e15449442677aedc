import 'server-only';

import { readRecordAll } from '#src/apps/record-all.ts';
import { readSetting } from '#src/server/environment/read-setting.ts';
import { readLoadSample } from '#src/server/http/load.ts';
import { requestCounts } from '#src/server/http/request-counts.ts';
import { listeningAddress, serverSettings } from '#src/server/http/server-settings.ts';
import { divideLimits } from '#src/server/http/token-bucket.ts';
import { flightCounts } from '#src/flights/recorder/flight-counts.ts';
import { shareFlights } from '#src/flights/recorder/follow-flights.ts';
import { readRecordingState, recordAllUntil } from '#src/flights/recorder/recorder.ts';
import { shareUserKey } from '#src/faults/event/user-key.ts';
import { countUnstoredErrors } from '#src/faults/kept/record-error.ts';
import { storedCounts } from '#src/faults/kept/stored-errors.ts';
import { startInstance, type InstanceState } from '#src/store/instances.ts';
import { listHeldLeases } from '#src/store/lease.ts';
import { subscribeNotifications } from '#src/store/notifications.ts';
import type { Store } from '#src/store/open-store.ts';
import type { ProcessCounts } from '#src/store/other-counts.ts';
import { ownApp } from '#src/store/own-app.ts';
import { instanceId, shareStore } from '#src/store/share-store.ts';

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

/** Hears of what the others on a PostgreSQL do. @returns what ends it */
async function startSharing(store: Store, url: string, self: Self): Promise<() => Promise<void>> {
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

/**
 * Becomes one of several servers, before anything reads or works. Where the database is a file, this process has it for itself.
 * @returns what ends it; after the recorder
 */
export async function share(store: Store, self: Self): Promise<() => Promise<void>> {
  const url = readSetting('DATABASE_URL');
  if (url === undefined) return async () => undefined;
  const stopSharing = await startSharing(store, url, self);
  const stopFlights = shareFlights(store);
  const stopApps = subscribeNotifications(store, 'apps', () => {
    readRecordAll(ownApp, store).then(recordAllUntil, () => undefined);
  });
  return async function stop() {
    stopApps();
    stopFlights();
    await stopSharing();
  };
}
