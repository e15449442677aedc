import { unstable_pathnameToRoutePath as toRoutePath } from 'waku/router/client-core';

/** Where the app is mounted, with slashes at both ends. Waku's own routes do not contain it. */
export const basePath = import.meta.env.WAKU_CONFIG_BASE_PATH ?? '/';

export type Route = { readonly path: string; readonly query: string; readonly hash: string };

/** Path, query and hash below the base; undefined when `url` is not an address of this app. */
export function toLocalHref(url: URL): string | undefined {
  if (url.origin !== window.location.origin || !url.pathname.startsWith(basePath)) return undefined;
  return url.pathname.slice(basePath.length - 1) + url.search + url.hash;
}

/** The route under which the router knows `url`; undefined when it is not an address of this app. */
export function toRoute(url: URL): Route | undefined {
  if (toLocalHref(url) === undefined) return undefined;
  const path = toRoutePath(url.pathname.slice(basePath.length - 1));
  return { path, query: url.searchParams.toString(), hash: url.hash };
}
