import { describeError } from '#boundary';
import { writeLog } from '#src/server/http/log.ts';

import type { Store } from './open-store.ts';

/**
 * Says to everybody who has the same store open that something in it has changed: to listeners in this process at once, and to
 * other processes over a transport, where there is one (PostgreSQL's).
 *
 * Publish after the commit. A listener is called at least once after what the notification is about can be read, possibly more often, and
 * possibly with one that this process has published itself. `text` is a hint: it is lost where only the number of changes is
 * known. So a listener reads the store, and uses the text at most to save a query.
 */
export const notificationTopics = [
  /** Somebody signed in or was signed out. */
  'sessions',
  /** An app was added, renamed, given new keys or deleted, or what is recorded of it has changed. */
  'apps',
  /** The keys whose values are scrubbed. */
  'scrub-keys',
  /** Flights were written. Text: the newest id. */
  'flights',
  /** A lease was given back. Text: its name. */
  'leases',
] as const;

export type NotificationTopic = (typeof notificationTopics)[number];
export type NotificationListener = (text: string) => void;

/** Carries notifications to other processes. What comes from them is given to `hearNotification`. It must not give back what it got. */
export type NotificationTransport = { readonly send: (topic: NotificationTopic, text: string) => void };

/** A notification of PostgreSQL has at most 8,000 bytes, with the topic, the sender and the number. */
const longestText = 2_000;

type Channel = {
  readonly listeners: Map<NotificationTopic, Set<NotificationListener>>;
  readonly transports: Set<NotificationTransport>;
};

declare global {
  /** It lives as long as the stores do: an edit in development evaluates this module again. */
  var __FLIGHT_NOTIFICATIONS__: WeakMap<Store, Channel> | undefined;
}

function channelOf(store: Store): Channel {
  const channels = (globalThis.__FLIGHT_NOTIFICATIONS__ ??= new WeakMap());
  const channel = channels.get(store) ?? { listeners: new Map(), transports: new Set() };
  channels.set(store, channel);
  return channel;
}

export function isNotificationTopic(text: string): text is NotificationTopic {
  return notificationTopics.some((topic) => topic === text);
}

/** For transports: tells this process's listeners what another process has published. */
export function hearNotification(store: Store, topic: NotificationTopic, text: string): void {
  // A listener may end itself, or add another, which is for the next notification.
  const now = [...(channelOf(store).listeners.get(topic) ?? [])];
  for (const listener of now) {
    try {
      listener(text);
    } catch (error) {
      writeLog('error', 'notification-listener-failed', { topic, reason: describeError(error) });
    }
  }
}

/** Never throws, and waits for nothing. A longer text than 2,000 bytes is left out. */
export function publishNotification(store: Store, topic: NotificationTopic, text = ''): void {
  const hint = Buffer.byteLength(text) <= longestText ? text : '';
  hearNotification(store, topic, hint);
  for (const transport of channelOf(store).transports) transport.send(topic, hint);
}

/** @returns what ends it */
export function subscribeNotifications(
  store: Store,
  topic: NotificationTopic,
  listener: NotificationListener,
): () => void {
  const { listeners } = channelOf(store);
  const ofTopic = listeners.get(topic) ?? new Set();
  listeners.set(topic, ofTopic);
  ofTopic.add(listener);
  return () => void ofTopic.delete(listener);
}

/** @returns what ends it */
export function carryNotifications(store: Store, transport: NotificationTransport): () => void {
  const { transports } = channelOf(store);
  transports.add(transport);
  return () => void transports.delete(transport);
}
