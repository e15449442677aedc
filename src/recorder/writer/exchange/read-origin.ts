import { isFromPath, readFromPath } from '../../from-path.ts';
import { toPath } from '../../watch/look-at-request.ts';

/**
 * The page of an app from which a request came. `Referer` is its address; `Next-Url` is what Next.js makes of its own tree, which
 * is another path where the app rewrites addresses. So it counts only where the browser names no page.
 */
export function readOrigin(headers: Readonly<Record<string, string>>): string | null {
  const own = toPath(headers['next-url'] ?? '');
  return readFromPath({ get: (name) => headers[name] ?? null }) ?? (isFromPath(own) ? own : null);
}
