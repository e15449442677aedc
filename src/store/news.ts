import { describeError } from '#src/http/describe-error.ts';
import { writeLog } from '#src/http/log.ts';

import type { Store } from './open-store.ts';

/**
 * Says to everybody who has the same store open that something in it has changed: to listeners in this process at once, and to
 * other processes over a transport, where there is one (IPC between workers, PostgreSQL between machines).
 *
 * Publish after the commit. A listener is called at least once after what the news is about can be read, possibly more often, and
 * possibly with news that this process has published itself. `text` is a hint: it is lost where only the number of changes is
 * known. So a listener reads the store, and uses the text at most to save a query.
 */
export const newsTopics = [
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

export type NewsTopic = (typeof newsTopics)[number];
export type NewsListener = (text: string) => void;

/** Carries news to other processes. What comes from them is given to `hearNews`. It must not give back what it was sent. */
export type NewsTransport = { readonly send: (topic: NewsTopic, text: string) => void };

/** A notification of PostgreSQL has at most 8,000 bytes, with the topic, the sender and the number. */
const longestText = 2_000;

type Channel = { readonly listeners: Map<NewsTopic, Set<NewsListener>>; readonly transports: Set<NewsTransport> };

declare global {
  /** It lives as long as the stores do: an edit in development evaluates this module again. */
  var __FLIGHT_NEWS__: WeakMap<Store, Channel> | undefined;
}

function channelOf(store: Store): Channel {
  const channels = (globalThis.__FLIGHT_NEWS__ ??= new WeakMap());
  const channel = channels.get(store) ?? { listeners: new Map(), transports: new Set() };
  channels.set(store, channel);
  return channel;
}

export function isNewsTopic(text: string): text is NewsTopic {
  return newsTopics.some((topic) => topic === text);
}

/** For transports: tells this process's listeners what another process has published. */
export function hearNews(store: Store, topic: NewsTopic, text: string): void {
  // A listener may end itself, or add another, which is for the next news.
  const now = [...(channelOf(store).listeners.get(topic) ?? [])];
  for (const listener of now) {
    try {
      listener(text);
    } catch (error) {
      writeLog('error', 'news-listener-failed', { topic, reason: describeError(error) });
    }
  }
}

/** Never throws, and waits for nothing. A longer text than 2,000 bytes is left out. */
export function publishNews(store: Store, topic: NewsTopic, text = ''): void {
  const hint = Buffer.byteLength(text) <= longestText ? text : '';
  hearNews(store, topic, hint);
  for (const transport of channelOf(store).transports) transport.send(topic, hint);
}

/** @returns what ends it */
export function subscribeNews(store: Store, topic: NewsTopic, listener: NewsListener): () => void {
  const { listeners } = channelOf(store);
  const ofTopic = listeners.get(topic) ?? new Set();
  listeners.set(topic, ofTopic);
  ofTopic.add(listener);
  return () => void ofTopic.delete(listener);
}

/** @returns what ends it */
export function carryNews(store: Store, transport: NewsTransport): () => void {
  const { transports } = channelOf(store);
  transports.add(transport);
  return () => void transports.delete(transport);
}
