'use client';

import { useEffect, useLayoutEffect, useRef } from 'react';
import { useRegisterRscEnhancer_UNSTABLE as useRegisterRscEnhancer } from 'waku/minimal/client';

import { leaveBrokenPage, leavePageFoundBroken } from '../errors/leave-broken-page.ts';
import { noteCommit } from './current-navigation.ts';
import { readArrival } from './document-navigation.ts';
import { enhanceRequest } from './enhance-request.ts';
import { recoverModules } from './module-recovery.ts';
import { startPrefetching } from './link-prefetching.ts';
import { OfflineBanner } from './offline-banner.tsx';
import { observeViewport } from './observe-viewport.ts';
import { clearPrefetches, prefetch, resumePrefetching } from './prefetcher.ts';
import { rememberScroll, settleScroll } from './scroll-positions.ts';
import { useConnection } from './use-connection.ts';

let announcedPath: string | undefined;

/**
 * Browsers announce a new document and begin at its top. For a navigation within a document they do neither. So this
 * announces the page's title in `region`, and moves a focus that was lost with the old page to the new page's content.
 * A link that is still there, for example in the header, keeps the focus.
 */
function announcePage(region: HTMLElement | null, path: string): void {
  const isFirst = announcedPath === undefined;
  const isSame = announcedPath === path;
  announcedPath = path;
  if (isFirst || isSame || !region) return;
  region.textContent = document.title;
  const isLost = !document.activeElement || document.activeElement === document.body;
  if (isLost) document.querySelector('main')?.focus({ preventScroll: true });
}

/** Outside the enhancers of default order 0, so that a page that needs no request does not pass through them. */
const enhancerOrder = 10;

/** Only for screen readers. */
const announcerStyle = {
  position: 'absolute',
  width: 1,
  height: 1,
  overflow: 'hidden',
  clipPath: 'inset(50%)',
} as const;

function listenForResume() {
  readArrival();
  startPrefetching({ observeViewport, prefetch });
  const controller = new AbortController();
  document.addEventListener('visibilitychange', resumePrefetching, controller);
  window.addEventListener('online', resumePrefetching, controller);
  import.meta.hot?.on('rsc:update', clearPrefetches);
  import.meta.hot?.on('vite:error', leaveBrokenPage);
  if (import.meta.env.DEV) leavePageFoundBroken();
  return () => {
    controller.abort();
    import.meta.hot?.off('rsc:update', clearPrefetches);
    import.meta.hot?.off('vite:error', leaveBrokenPage);
  };
}

/**
 * Connects links, prefetching and the loading timeout to Waku's router. It is mounted once, in the root and beside the
 * error boundary, so that it outlives every page. It has no state of its own: a prefetched payload brings its own root.
 */
export function NavigationRuntime() {
  const { path, elements } = useConnection();
  const register = useRegisterRscEnhancer();
  const announcer = useRef<HTMLParagraphElement>(null);

  useLayoutEffect(() => register(enhanceRequest, enhancerOrder), [register]);
  useEffect(() => noteCommit(elements), [elements]);
  // In a microtask: after the router's own layout effects, which set the address and scroll, and before the next frame.
  useLayoutEffect(() => queueMicrotask(() => settleScroll(elements)), [elements]);
  useEffect(rememberScroll, []);
  useEffect(() => announcePage(announcer.current, path), [path]);
  useEffect(listenForResume, []);
  useEffect(recoverModules, []);
  return (
    <>
      <OfflineBanner />
      <p ref={announcer} aria-live="polite" style={announcerStyle} />
    </>
  );
}
