import 'server-only';

import { homePath, loginPath, logoutPath, mountPath } from '#src/server/http/addresses.ts';
import { isMounted } from '#src/server/http/mounted.ts';

/** More than any path of this app has. A longer one is replaced by the home page's. */
const longest = 1000;
const own = 'http://own.invalid';

/**
 * Where to go after signing in. The path comes from the address bar, so anybody may have written it. It becomes the home page's
 * unless a browser's own parser reads it as a path of ours. The parser's spelling is returned, not the given
 * one.
 */
export function toNextPath(given: string | null | undefined, mount = mountPath): string {
  if (!given || given.length > longest) return homePath;
  // Browsers drop tabs and line ends, and read `\` as `/`, before they look for a host.
  if (!/^\/[!-[\]-~]*$/.test(given)) return homePath;
  const url = URL.parse(given, own);
  if (!url || url.origin !== own || url.pathname.startsWith('//') || !isMounted(url.pathname, mount)) return homePath;
  if ([loginPath, logoutPath].some((path) => `${url.pathname}/`.startsWith(`${path}/`))) return homePath;
  return url.pathname + url.search;
}
