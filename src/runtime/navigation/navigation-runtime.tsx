'use client';

import { use, useEffect, useLayoutEffect } from 'react';
import {
  useElementsPromise_UNSTABLE as useElementsPromise,
  useFetchRsc_UNSTABLE as useFetchRsc,
  useRegisterRscEnhancer_UNSTABLE as useRegisterRscEnhancer,
} from 'waku/minimal/client';
import {
  unstable_getRouteFromElements as readRoute,
  useRouterCache_UNSTABLE as useRouterCache,
} from 'waku/router/client-core';
import { useRouter } from 'waku/router/client';

import { noteCommit } from './current-navigation.ts';
import { readArrival } from './document-navigation.ts';
import { enhanceRequest } from './enhance-request.ts';
import { recoverModules } from './module-recovery.ts';
import { OfflineBanner } from './offline-banner.tsx';
import { clearPrefetches, resumePrefetching } from './prefetcher.ts';
import { connectRouter } from './router-connection.ts';

/** Outside the enhancers of default order 0, so that a page that needs no request passes none of them. */
const enhancerOrder = 10;

function listenForResume() {
  readArrival();
  document.addEventListener('visibilitychange', resumePrefetching);
  window.addEventListener('online', resumePrefetching);
  import.meta.hot?.on('rsc:update', clearPrefetches);
  return () => {
    document.removeEventListener('visibilitychange', resumePrefetching);
    window.removeEventListener('online', resumePrefetching);
    import.meta.hot?.off('rsc:update', clearPrefetches);
  };
}

/**
 * Connects links, prefetching and the loading timeout to Waku's router. Mounted once, in the root and beside the error
 * boundary, so that it outlives any page. It holds no state of its own: a prefetched payload brings its own root.
 */
export function NavigationRuntime() {
  const router = useRouter();
  const fetchRsc = useFetchRsc();
  const cache = useRouterCache();
  const register = useRegisterRscEnhancer();
  const elements = use(useElementsPromise());
  const { path, query } = router;

  useLayoutEffect(() => {
    connectRouter({
      router,
      fetchRsc,
      route: { path, query },
      isFailed: readRoute(elements)?.path !== path,
      isAtHand: (route) => cache.canReuseStaticRoute(route, elements),
    });
  });
  useLayoutEffect(() => register(enhanceRequest, enhancerOrder), [register]);
  useEffect(() => noteCommit(elements), [elements]);
  useEffect(listenForResume, []);
  useEffect(recoverModules, []);
  return <OfflineBanner />;
}
