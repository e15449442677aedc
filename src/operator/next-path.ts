import 'server-only';

import { homePath, loginPath, logoutPath } from '#src/http/addresses.ts';

/** As much as a path of this app has; a longer one is not worth coming back to. */
const longest = 1000;
const own = 'http://own.invalid';

/**
 * Where to go after signing in. It comes from the address bar, so anybody may have written it: what is not a path of
 * this server, in the eyes of a browser's own parser, becomes `/`. The parser's spelling is returned, not the one that
 * was given.
 */
export function toNextPath(given: string | null | undefined): string {
  if (!given || given.length > longest) return homePath;
  // Browsers drop tabs and line ends, and read `\` as `/`, before they look for a host.
  if (!/^\/[!-[\]-~]*$/.test(given)) return homePath;
  const url = URL.parse(given, own);
  if (!url || url.origin !== own || url.pathname.startsWith('//')) return homePath;
  if ([loginPath, logoutPath].some((path) => `${url.pathname}/`.startsWith(`${path}/`))) return homePath;
  return url.pathname + url.search;
}
