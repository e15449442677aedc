import { readNextTree } from './next-tree.ts';

/** Headers by their names in lower case. */
type Headers = Readonly<Record<string, string>>;

/**
 * Over HTTP/2, as behind most proxies with TLS, Chromium says how urgent a request is: a click's has `u=1`, and what Next.js 15 and
 * later fetch ahead has no `u`, because they ask for it with a low priority.
 */
function isUnhurried({ priority }: Headers): boolean {
  return priority !== undefined && !/\bu=/.test(priority);
}

/** What a request of Next.js's client for a payload is, as far as its headers say it. */
export function nameNextRequest(headers: Headers): 'navigation' | 'prefetch' | 'navigation-or-prefetch' {
  if ('next-router-prefetch' in headers || 'next-router-segment-prefetch' in headers) return 'prefetch';
  switch (readNextTree(headers['next-router-state-tree'])?.purpose) {
    case 'ahead':
      return 'prefetch';
    case 'either':
      return isUnhurried(headers) ? 'prefetch' : 'navigation-or-prefetch';
    default:
      return 'navigation';
  }
}
