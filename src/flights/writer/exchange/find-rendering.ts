import type { AppFacts } from '#flight';

import type { StoredFlight } from '../../flight/flight-columns.ts';

/**
 * Whether an answer was made for this request, as far as it says so: Next.js in headers of its own, Waku in the payload, others
 * by forbidding caches to share it. An answer that may be shared says nothing about when it was made.
 */
export function findRendering(
  kind: StoredFlight['kind'],
  headers: Readonly<Record<string, string>>,
  app: Pick<AppFacts, 'isStatic'> | undefined,
): StoredFlight['rendering'] {
  if (kind === 'action') return 'dynamic';
  // A prerendered shell, with the rest rendered for this request.
  if (headers['x-nextjs-postponed'] === '1') return 'dynamic';
  const cache = headers['x-nextjs-cache'];
  if (cache === 'MISS') return 'static';
  if (cache === 'HIT' || cache === 'STALE' || headers['x-nextjs-prerender'] === '1') return 'prerendered';
  if (app?.isStatic !== undefined) return app.isStatic ? 'static' : 'dynamic';
  return /\b(?:private|no-store)\b/i.test(headers['cache-control'] ?? '') ? 'dynamic' : 'unknown';
}
