import { unstable_ROUTE_ID as ROUTE_ID } from 'waku/router/client-core';

import { runtimeSettings } from '../settings.ts';
import { toLocalHref } from './base-path.ts';
import { forgetArrival, rememberLeaving } from './document-navigation.ts';
import { isServerReachable, stopWaiting, waitForConnection } from './offline.ts';
import { setNavigating, type Elements } from './prefetcher.ts';
import { createProgressWatchdog, type ProgressWatchdog } from './progress-watchdog.ts';
import { withIntent, type HistoryMode } from './request-intent.ts';
import { currentConnection, navigate } from './router-connection.ts';

/**
 * The one navigation that is in flight, from its request to its commit. It can also end in two other ways: as a
 * document navigation when it makes no progress, or by waiting for a connection.
 *
 * It is watched until the page is committed, not only until the response is complete: what a page still needs then
 * (client modules, rows outside every Suspense) can stall too. A commit is recognised by the `ROUTE` element. This
 * array is new in every response, and the router always keeps it in what it commits.
 */
export type Navigation = {
  readonly signal: AbortSignal;
  readonly history: HistoryMode | 'traverse';
  readonly watchdog: ProgressWatchdog;
  href: string;
  phase:
    | { readonly name: 'loading' }
    | { readonly name: 'answered'; readonly elements: Elements }
    /** The document is being replaced. Failures from here on must not be shown. */
    | { readonly name: 'leaving' };
};

let current: Navigation | undefined;
let actionsRunning = 0;
/** The page on the screen. During a back or forward the address bar is already at the next page. */
let shown: { readonly href: string; readonly entry: string | undefined } | undefined;

function currentEntryKey(): string | undefined {
  return 'navigation' in window ? window.navigation.currentEntry?.key : undefined;
}

function end(navigation: Navigation): void {
  navigation.watchdog.stop();
  if (current !== navigation) return;
  current = undefined;
  setNavigating(false);
}

/** For things that happen automatically and must not disturb the visitor: another navigation would end this one. */
export function isNavigationInFlight(): boolean {
  return current !== undefined || actionsRunning > 0;
}

/** A request with the signal of the one before it is the same navigation, which follows a redirect. */
export function beginNavigation(href: string, history: Navigation['history'], signal: AbortSignal): Navigation {
  if (current?.signal === signal) {
    current.href = href;
    current.watchdog.progress();
    return current;
  }
  stopWaiting();
  const navigation: Navigation = {
    signal,
    href,
    history,
    watchdog: createProgressWatchdog(runtimeSettings.routeLoadingTimeoutMs, () => void leaveOrWait(navigation)),
    phase: { name: 'loading' },
  };
  if (actionsRunning > 0) navigation.watchdog.hold();
  current = navigation;
  setNavigating(true);
  // The router aborts one navigation before it begins another.
  signal.addEventListener('abort', () => end(navigation), { once: true });
  return navigation;
}

export function failNavigation(navigation: Navigation): void {
  end(navigation);
}

/** Called with the elements of every commit. */
export function noteCommit(elements: Elements): void {
  if (current?.phase.name === 'answered' && current.phase.elements[ROUTE_ID] === elements[ROUTE_ID]) {
    end(current);
    forgetArrival();
  }
  if (current) return;
  if (shown && shown.href !== window.location.href) stopWaiting();
  shown = { href: window.location.href, entry: currentEntryKey() };
}

/**
 * React holds a page back while an action is pending. That is not the page's fault, and leaving would drop the action.
 */
export function noteActionStart(): void {
  actionsRunning += 1;
  current?.watchdog.hold();
}

export function noteActionEnd(): void {
  actionsRunning -= 1;
  if (actionsRunning === 0) current?.watchdog.resume();
}

async function leaveOrWait(navigation: Navigation): Promise<void> {
  if (!navigator.onLine && !(await isServerReachable())) {
    if (current === navigation) stayUntilConnected(navigation);
    return;
  }
  if (current !== navigation || !rememberLeaving(navigation.href)) return;
  leave(navigation);
}

/** Replaces the document by the page to which the navigation goes. */
export function leave(navigation: Navigation): void {
  switch (navigation.history) {
    case 'push':
      if (!giveUp()) navigation.phase = { name: 'leaving' };
      window.location.assign(navigation.href);
      return;
    case 'replace':
      if (!giveUp()) navigation.phase = { name: 'leaving' };
      window.location.replace(navigation.href);
      return;
    case 'reload':
    case 'traverse':
      // The address bar already has this address.
      navigation.phase = { name: 'leaving' };
      window.location.reload();
  }
}

/**
 * Makes the router abort the navigation that it waits for, by asking it for the page that it shows. It has that page at
 * hand, or, on a 404, gets no answer but what it has. It cannot be asked for an error page: it would show the page
 * before that one. There the navigation stays waiting until another one replaces it.
 */
function giveUp(href = window.location.href): boolean {
  const connection = currentConnection();
  const to = toLocalHref(new URL(href));
  if (!connection || connection.isFailed || to === undefined) return false;
  // It can only fail because another navigation replaces it.
  withIntent({ type: 'stay' }, () => connection.router.replace(to, { scroll: false })).catch(() => {});
  return true;
}

/** A traversal's two promises reject when another traversal replaces it. The later one handles the result. */
function traverse(entry: string): void {
  const { committed, finished } = window.navigation.traverseTo(entry);
  committed?.catch(() => {});
  finished?.catch(() => {});
}

/** The page, its state and its URL stay. The navigation is made again when there is a connection. */
export function stayUntilConnected(navigation: Navigation): void {
  const { href, history } = navigation;
  end(navigation);
  if (history !== 'traverse') {
    giveUp();
    waitForConnection(() => void navigate(href, { history }));
    return;
  }
  const target = currentEntryKey();
  if (target !== undefined && shown?.entry !== undefined) {
    traverse(shown.entry);
    waitForConnection(() => traverse(target));
    return;
  }
  // A browser without the Navigation API cannot go back to an entry. The entry gets the shown page's URL meanwhile.
  giveUp(shown?.href);
  waitForConnection(() => void navigate(href, { history: 'replace' }));
}
