'use client';

import { useMemo } from 'react';
import { unstable_addBase as addBase } from 'waku/minimal/client';
import { useRouter } from 'waku/router/client';

import { basePath, toLocalHref } from '#src/runtime/navigation/base-path.ts';
import type { Navigate } from '#src/runtime/navigation/use-navigate.ts';

type Router = ReturnType<typeof useRouter>;
type Options = Parameters<Navigate['push']>[1];

/** Waku's router goes to the app's own addresses alone. */
async function go(
  router: Pick<Router, 'push' | 'replace'>,
  history: 'push' | 'replace',
  href: string,
  options: Options,
) {
  const url = new URL(addBase(href, basePath), window.location.href);
  // The router adds the base itself.
  const to = toLocalHref(url);
  if (to !== undefined) await router[history](to, options).catch(() => {});
  else if (history === 'push') window.location.assign(url);
  else window.location.replace(url);
}

/** Waku's own router, for an app without the part `navigation`. Promises resolve when it has handled the navigation, or has failed. */
export function usePlainNavigate(): Navigate {
  const { push, replace, reload, back, forward } = useRouter();
  return useMemo(
    () => ({
      push: (href, options) => go({ push, replace }, 'push', href, options),
      replace: (href, options) => go({ push, replace }, 'replace', href, options),
      reload: () => reload().catch(() => {}),
      back,
      forward,
    }),
    [push, replace, reload, back, forward],
  );
}
