import { unstable_ROUTE_ID as ROUTE_ID } from 'waku/router/client-core';

import { runtimeSettings } from '../settings.ts';
import { toLocalHref } from './base-path.ts';
import { forgetArrival, rememberLeaving } from './document-navigation.ts';
import { isServerReachable, stopWaiting, waitForConnection } from './offline.ts';
import { setNavigating, type Elements } from './prefetcher.ts';
import { createProgressWatchdog, type ProgressWatchdog } from './progress-watchdog.ts';
import { withClaim, type HistoryMode } from './request-claim.ts';
import { currentConnection, navigate } from './router-connection.ts';

/**
 * The one navigation that is under way, from its request to its commit, and the two ways it can end otherwise: as a
 * document navigation when it gets nowhere, or by waiting for a connection.
 *
 * It is watched until the page is committed, not until the response is complete: what a page still needs then (client
 * modules, rows outside every Suspense) can stall too. A commit is recognised by the `ROUTE` element, an array that is
 * new in every response and that the router always carries into what it commits.
 */
export type Navigation = {
  readonly signal: AbortSignal;
  readonly history: HistoryMode | 'traverse';
  readonly watchdog: ProgressWatchdog;
  href: string;
  phase:
    | { readonly name: 'loading' }
    | { readonly name: 'answered'; readonly elements: Elements }
    /** The document is being replaced; whatever fails now must not be shown any more. */
    | { readonly name: 'leaving' };
};

let current: Navigation | undefined;
let actionsRunning = 0;
/** The page on the screen. During a back or forward the address bar is ahead of it. */
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

/** For what happens by itself and must not get in the visitor's way: another navigation would end this one. */
export function isNavigationUnderWay(): boolean {
  return current !== undefined || actionsRunning > 0;
}

/** A request with the signal of the one before it is the same navigation, following a redirect. */
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

/** React holds a page back while an action is pending; that is not the page's fault, and leaving would drop the action. */
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

/** Replaces the document by the one that the navigation goes to. */
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
      // The address bar is there already.
      navigation.phase = { name: 'leaving' };
      window.location.reload();
  }
}

/**
 * Makes the router abort the navigation it is waiting for, by asking it for the page it shows: it has that one at hand,
 * or, on a 404, gets no answer but what it has. An error page it cannot be asked for, it would show the page before it;
 * there the navigation is left waiting, until another one takes its place.
 */
function giveUp(href = window.location.href): boolean {
  const connection = currentConnection();
  const to = toLocalHref(new URL(href));
  if (!connection || connection.isFailed || to === undefined) return false;
  // It can only fail by being overtaken.
  withClaim({ type: 'stay' }, () => connection.router.replace(to, { scroll: false })).catch(() => {});
  return true;
}

/** A traversal's two promises reject when another one overtakes it, which is for that one to answer for. */
function traverse(entry: string): void {
  const { committed, finished } = window.navigation.traverseTo(entry);
  committed?.catch(() => {});
  finished?.catch(() => {});
}

/** The page, its state and its URL stay; the navigation is made again when there is a connection. */
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
  // A browser without the Navigation API cannot go back to an entry; the entry gets the shown page's URL meanwhile.
  giveUp(shown?.href);
  waitForConnection(() => void navigate(href, { history: 'replace' }));
}
