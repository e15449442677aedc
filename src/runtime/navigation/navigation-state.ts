import { readConnection } from './offline.ts';
import type { PageKind } from './prefetch-store.ts';
import { readPrefetches } from './prefetcher.ts';
import { stateVersion, subscribeToNavigation } from './state-changes.ts';
import { viewportPausedUntil } from './viewport-permission.ts';

/**
 * What prefetching is doing in this document. Times are milliseconds since the epoch. An href is a path with its query.
 */
export type NavigationState = {
  /** Prefetched pages that can be shown. The remaining life is `expiresAt - Date.now()`. */
  readonly entries: readonly { readonly href: string; readonly kind: PageKind; readonly expiresAt: number }[];
  /** Waiting, oldest first. */
  readonly queue: readonly string[];
  readonly running: readonly string[];
  readonly counts: {
    /** Navigations that were shown from a prefetched page. */
    readonly hits: number;
    readonly misses: number;
    /** Misses whose page was prefetched too long ago. */
    readonly expired: number;
    /** Navigations that took over a waiting or a running prefetch. */
    readonly takenOver: number;
  };
  /**
   * After a 429: the time until which nothing is prefetched only for being on the screen. Otherwise a time in the past.
   */
  readonly viewportPausedUntil: number;
  readonly connection: 'fine' | 'waiting';
};

const none: NavigationState = {
  entries: [],
  queue: [],
  running: [],
  counts: { hits: 0, misses: 0, expired: 0, takenOver: 0 },
  viewportPausedUntil: 0,
  connection: 'fine',
};

let snapshot = { version: 0, state: none };

/** Returns the same object until something changes, as `useSyncExternalStore` requires. Not for the server. */
export function readNavigationState(): NavigationState {
  const version = stateVersion();
  if (snapshot.version !== version) {
    const state: NavigationState = {
      ...readPrefetches(),
      viewportPausedUntil: viewportPausedUntil(),
      connection: readConnection().status,
    };
    snapshot = { version, state };
  }
  return snapshot.state;
}

/** For the server's render and for hydration, when nothing has happened yet. */
export function readInitialNavigationState(): NavigationState {
  return none;
}

export { subscribeToNavigation };
