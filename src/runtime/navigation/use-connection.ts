import { use, useLayoutEffect } from 'react';
import {
  useElementsPromise_UNSTABLE as useElementsPromise,
  useFetchRsc_UNSTABLE as useFetchRsc,
} from 'waku/minimal/client';
import {
  unstable_getRouteFromElements as readRoute,
  useRouterCache_UNSTABLE as useRouterCache,
} from 'waku/router/client-core';
import { useRouter } from 'waku/router/client';

import type { Elements } from './prefetcher.ts';
import { connectRouter } from './router-connection.ts';

/** Keeps the connection to Waku's router current. @returns the route on the screen, and what it is made of */
export function useConnection(): { readonly path: string; readonly elements: Elements } {
  const router = useRouter();
  const fetchRsc = useFetchRsc();
  const cache = useRouterCache();
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
  return { path, elements };
}
