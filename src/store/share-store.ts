import { randomBytes } from 'node:crypto';
import { uptime } from 'node:os';

import { appointLeases } from './lease.ts';
import {
  carryNotifications,
  hearNotification,
  notificationTopics,
  subscribeNotifications,
  type NotificationTopic,
} from './notifications.ts';
import type { Store } from './open-store.ts';
import { provideHeardVersion } from './postgres/data-version.ts';
import { followNotifications, type OpenConnection } from './postgres/follow-notifications.ts';
import { keepLeases } from './postgres/keep-leases.ts';

/** This process among all that have the database open: for notification, leases and the table of instances. */
export const instanceId = randomBytes(8).toString('hex');

/** What processes keep in memory until they hear that it has changed. */
const cached: readonly NotificationTopic[] = ['sessions', 'apps', 'scrub-keys'];
/** Notifications are looked for once a second. When three looks in a row brought no answer, nothing is known any more. */
const unknownAfterMs = 3_000;

/** It runs while the machine sleeps, in steps of a second or less. */
function steady(): number {
  return uptime() * 1_000;
}

/**
 * Makes this process one of several on a PostgreSQL: it hears what the others publish, and shares the work with them. Called once,
 * before anything subscribes or holds a lease.
 * @param id for tests, which have several in one process
 * @returns what gives back every lease and stops listening
 */
export function shareStore(store: Store, open: OpenConnection, id: string = instanceId): () => Promise<void> {
  let version = 0;
  function hear(topic: NotificationTopic, text: string): void {
    if (cached.includes(topic)) version += 1;
    hearNotification(store, topic, text);
  }
  const notification = followNotifications({
    db: store.db,
    open,
    sender: id,
    hear,
    hearAll: () => notificationTopics.forEach((topic) => hear(topic, '')),
    steady,
  });
  const stopVersion = provideHeardVersion(store.db, () => {
    if (steady() - notification.confirmedAt() > unknownAfterMs) version += 1;
    return version;
  });
  const stopCarrying = carryNotifications(store, notification);
  const leases = keepLeases({
    db: store.db,
    holder: id,
    steady,
    onReleased: (name) => notification.send('leases', name),
  });
  const stopKeeping = appointLeases(store, leases.keep);
  const unsubscribe = subscribeNotifications(store, 'leases', () => void leases.tryNow());
  return async function stopSharing() {
    unsubscribe();
    await leases.stop();
    stopKeeping();
    stopCarrying();
    stopVersion();
    await notification.stop();
  };
}
