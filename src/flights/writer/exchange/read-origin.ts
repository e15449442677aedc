import { isFromPath, readFromPath } from '../../flight/from-path.ts';
import { toPath } from '../../watch/look-at-request.ts';

/**
 * The page of an app from which a request came. `Referer` is its address; `Next-Url` is what Next.js makes of its own tree, which
 * is another path where the app rewrites addresses. So it counts only where the browser names no page.
 */
export function readOrigin(headers: Readonly<Record<string, string>>): string | null {
  const own = toPath(headers['next-url'] ?? '');
  return readFromPath({ get: (name) => headers[name] ?? null }) ?? (isFromPath(own) ? own : null);
}

/** Where an action of Next.js sends the browser: its answer brings that page, so that nothing from a prefetch is shown. */
export function readActionRedirect(headers: Readonly<Record<string, string>>): string | undefined {
  const address = headers['x-action-redirect']?.replace(/;\w+$/, '');
  return address?.startsWith('/') ? toPath(address) : undefined;
}
