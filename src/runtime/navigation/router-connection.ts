import type { useFetchRsc_UNSTABLE } from 'waku/minimal/client';
import type { useRouter } from 'waku/router/client';

import { toLocalHref, type Route } from './base-path.ts';
import { withIntent, type HistoryMode } from './request-intent.ts';

/**
 * What links, prefetches and retries need of Waku's router, for code that is not a component. `NavigationRuntime` keeps
 * it current. There is none before hydration; until then a link is a plain link.
 */
export type RouterConnection = {
  readonly router: Pick<ReturnType<typeof useRouter>, 'push' | 'replace' | 'reload'>;
  readonly fetchRsc: ReturnType<typeof useFetchRsc_UNSTABLE>;
  /** The route on the screen, as the router knows it. */
  readonly route: { readonly path: string; readonly query: string };
  /** A navigation to the route failed. The router still has the page before it. */
  readonly isFailed: boolean;
  /** The router has a visited static page at hand and would not request it again. */
  readonly isAtHand: (route: Route) => boolean;
};

let connection: RouterConnection | undefined;

export function connectRouter(next: RouterConnection): void {
  connection = next;
}

export function currentConnection(): RouterConnection | undefined {
  return connection;
}

export type NavigateOptions = {
  readonly history?: HistoryMode;
  /** Whether to scroll. By default it scrolls when path or hash change. */
  readonly scroll?: boolean;
};

/**
 * Goes to `href`, of any origin, relative to the current page. Resolves when the router has handled it, which is before
 * the page is painted. It never rejects: the router shows a failure in the error boundary.
 */
export async function navigate(href: string, { history = 'push', scroll }: NavigateOptions = {}): Promise<void> {
  const url = new URL(href, window.location.href);
  // The router adds the base itself.
  const to = toLocalHref(url);
  if (!connection || to === undefined) {
    if (history === 'push') window.location.assign(url);
    else window.location.replace(url);
    return;
  }
  const { router } = connection;
  const options = scroll === undefined ? {} : { scroll };
  const handled = withIntent({ type: 'navigate', href: url.href, history }, () =>
    history === 'reload' ? router.reload() : router[history](to, options),
  );
  await handled.catch(() => {});
}
