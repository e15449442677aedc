import { preloadModule } from 'react-dom';
import {
  unstable_createRscParams as createRscParams,
  unstable_decodeRoutePath as decodeRoutePath,
  unstable_encodeRoutePath as encodeRoutePath,
} from 'waku/router/client-core';

import { pageHeader, type PrefetchTrigger } from '#src/server/http/flight-headers.ts';
import { requestIdHeader } from '#report/sender/request-id-header.ts';

import { noteShownPrefetch } from '../reporting/visit.ts';
import { runtimeSettings } from '../settings.ts';
import { basePath, toRoute } from './base-path.ts';
import { observeResponse } from './observe-response.ts';
import { createPrefetchQueue } from './prefetch-queue.ts';
import { createPrefetchStore, type PageKind } from './prefetch-store.ts';
import { createProgressWatchdog } from './progress-watchdog.ts';
import { withIntent } from './request-intent.ts';
import { currentConnection } from './router-connection.ts';
import { announceChange } from './state-changes.ts';
import { mayPrefetchViewport, pauseViewport } from './viewport-permission.ts';

/**
 * Fetches pages before they are asked for, and gives them to the navigation that asks. Waku has its own prefetch cache.
 * This one replaces it, because Waku's cannot be limited or emptied, and the server cannot tell it a lifetime
 * (docs/decisions/004-navigation.md).
 */
export type Elements = Readonly<Record<string | symbol, unknown>>;

type Prefetched = {
  readonly elements: Promise<Elements>;
  /** Called when bytes come; a navigation that waits for the page needs to know. */
  readonly progress: Set<() => void>;
  /** The server is of another build: its pages do not fit this document's code. */
  readonly isForeign: () => boolean;
  /** A navigation has it now, so the prefetcher may no longer abort it. */
  readonly keep: () => void;
  /** A navigation shows it, so it was not fetched in vain. */
  readonly noteShown: () => void;
};

/**
 * Waku's own bound for the same cache. A page's payload is some 10 to 30 kB, and decoded a few times that, so a full
 * store is a few megabytes. A page seldom has more links in view.
 */
const capacity = 100;

declare global {
  /** From Waku's build: calls back with the client modules of the routes that match `path`. Absent in development. */
  var __WAKU_ROUTER_PREFETCH__: ((path: string, callback: (id: string) => void) => void) | undefined;
}

const counts = { hits: 0, misses: 0, expired: 0, takenOver: 0 };
let isNavigating = false;

const store = createPrefetchStore<Prefetched>({
  capacity,
  lifetimesMs: {
    static: runtimeSettings.prefetchStaticLifetimeMs,
    dynamic: runtimeSettings.prefetchDynamicLifetimeMs,
  },
  onChange: announceChange,
});

const queue = createPrefetchQueue({
  limit: runtimeSettings.concurrentPrefetches,
  capacity,
  mayStart: (trigger) =>
    // Nothing runs during a navigation, which needs the connection, or while the page is hidden, because nobody reads
    // it.
    !isNavigating && navigator.onLine && !document.hidden && (trigger !== 'viewport' || mayPrefetchViewport()),
  run: fetchPage,
  onChange: announceChange,
});

export function toKey(rscPath: string, query: string): string {
  return `${rscPath}?${query}`;
}

function fromKey(key: string): { readonly rscPath: string; readonly query: string } {
  const split = key.indexOf('?');
  return { rscPath: key.slice(0, split), query: key.slice(split + 1) };
}

function toHref(key: string): string {
  const { rscPath, query } = fromKey(key);
  return basePath.slice(0, -1) + decodeRoutePath(rscPath) + (query ? `?${query}` : '');
}

/**
 * Loads the page's client components early. Its payload names them only when it arrives; Waku's build lists them by
 * route.
 */
function preloadClientModules(path: string): void {
  globalThis.__WAKU_ROUTER_PREFETCH__?.(path, (id) => preloadModule(id, { as: 'script' }));
}

function readPageKind(response: Response): PageKind {
  return response.headers.get(pageHeader) === 'static' ? 'static' : 'dynamic';
}

/** Settles when the body has been read, has failed, or has sent nothing for too long. */
function fetchPage(key: string, trigger: PrefetchTrigger): Promise<void> {
  const connection = currentConnection();
  if (!connection) return Promise.resolve();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const { rscPath, query } = fromKey(key);
  preloadClientModules(decodeRoutePath(rscPath));
  const controller = new AbortController();
  const progress = new Set<() => void>();
  let isForeign = false;
  let requestId: string | null = null;
  // A response that is silent for the whole life of a dynamic page would be too old when it comes, and occupies a
  // place.
  const watchdog = createProgressWatchdog(runtimeSettings.prefetchDynamicLifetimeMs, () => {
    report.failed();
    controller.abort();
    end();
  });

  function observe(response: Response): Response {
    requestId = response.headers.get(requestIdHeader);
    // A 401: a visitor who is signed out gets it for every link on the page. Only a navigation can change that.
    if (response.status === 429 || response.status === 401) {
      pauseViewport(response.headers.get('retry-after'), queue.pump);
    }
    if (response.ok) report.answered(readPageKind(response));
    return observeResponse(response, {
      onChunk() {
        watchdog.progress();
        for (const listener of progress) listener();
      },
      onEnd() {
        watchdog.stop();
        end();
      },
    });
  }

  // Requested without a base, so that the payload is complete whatever page shows it.
  const elements = withIntent({ type: 'prefetch', trigger, onResponse: observe }, () =>
    connection.fetchRsc(rscPath, createRscParams(query), {
      signal: controller.signal,
      onBuildIdMismatch() {
        isForeign = true;
        store.clear();
      },
    }),
  );
  const report = store.add(key, {
    elements,
    progress,
    isForeign: () => isForeign,
    keep: watchdog.stop,
    noteShown() {
      noteShownPrefetch(requestId);
      requestId = null;
    },
  });
  elements.catch(() => {
    watchdog.stop();
    report.failed();
    end();
  });
  return ended;
}

/** Returns undefined when there is nothing to fetch: another origin, or a page that is at hand. */
function findPrefetchKey(href: string): string | undefined {
  const connection = currentConnection();
  const route = toRoute(new URL(href, window.location.href));
  if (!connection || !route) return undefined;
  const isCurrent = route.path === connection.route.path && route.query === connection.route.query;
  if (isCurrent || connection.isAtHand(route)) return undefined;
  return toKey(encodeRoutePath(route.path), route.query);
}

/** @returns the key under which the page is known from now on; undefined when there is nothing to fetch */
export function prefetch(href: string, trigger: PrefetchTrigger): string | undefined {
  const key = findPrefetchKey(href);
  if (key !== undefined && store.find(key).found !== 'fresh') queue.want(key, trigger);
  return key;
}

/** No link to the page is in the viewport any more. */
export const forgetViewport = queue.leave;

/**
 * What a navigation can use instead of its own request: a page that is not too old, complete or still being fetched. A
 * waiting prefetch is removed from the queue, so that the navigation's request is the only one.
 */
export function takePrefetch(key: string): Prefetched | undefined {
  const lookup = store.find(key);
  const isWaiting = queue.take(key);
  if (lookup.found === 'fresh') {
    lookup.value.keep();
    if (queue.release(key)) counts.takenOver += 1;
    else counts.hits += 1;
    announceChange();
    return lookup.value;
  }
  if (isWaiting) counts.takenOver += 1;
  else if (lookup.found === 'expired') counts.expired += 1;
  else counts.misses += 1;
  announceChange();
  return undefined;
}

/** The page was fetched again, or its prefetch turned out useless. */
export function dropPrefetch(key: string): void {
  store.drop(key);
}

/** Starts what has become possible: the page is visible again, or online. */
export const resumePrefetching = queue.pump;

/** In development, an edit makes every prefetched page old. */
export const clearPrefetches = store.clear;

/** Prefetching waits while a navigation is in flight. */
export function setNavigating(is: boolean): void {
  isNavigating = is;
  if (!is) queue.pump();
}

/**
 * An action changed data. Prefetched dynamic pages, finished or still being fetched, may show the state before. Call
 * this wherever such a change becomes known.
 */
export function notifyDataChanged(): void {
  store.clearDynamic();
}

/** For navigation-state.ts. */
export function readPrefetches() {
  return {
    entries: store.entries().map(({ key, kind, expiresAt }) => ({ href: toHref(key), kind, expiresAt })),
    queue: queue.waiting().map(toHref),
    running: queue.running().map(toHref),
    counts: { ...counts },
  };
}
