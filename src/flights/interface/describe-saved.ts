import { countOf, formatBytes } from '#flight';

import type { StoredStorm } from '../flight/storm.ts';

/**
 * What links without prefetching would have saved, so far as it is known which requests were prefetches. Each framework says it in its
 * own way: `prefetch={false}` of Next.js, `"none"` of React Router.
 */
export function describeSaved({
  requests,
  sized,
  prefetches,
  prefetch_bytes: bytes,
  unsure,
}: Pick<StoredStorm, 'requests' | 'sized' | 'prefetches' | 'prefetch_bytes' | 'unsure'>): string {
  if (prefetches === 0 && unsure === 0) return 'None of it was a prefetch.';
  if (prefetches === 0) {
    return 'Nothing says which of it is a prefetch: what links without prefetching would save is unknown.';
  }
  const sent = sized === requests ? `, ${formatBytes(bytes)}` : '';
  const atLeast = unsure === 0 ? '' : 'at least ';
  return `Links without prefetching would have saved ${atLeast}${countOf(prefetches, 'request')} of it${sent}.`;
}
