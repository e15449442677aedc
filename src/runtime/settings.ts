import { breadcrumbsKept } from '#report/browser/breadcrumbs.ts';

/**
 * The runtime's fixed values. They are the product's contract: the page `/runtime` and the README's table show exactly
 * these, and a test fails when the README and this module differ.
 */
export const runtimeSettings = {
  /** How long a prefetched dynamic page may be used, counted from its response. */
  prefetchDynamicLifetimeMs: 30_000,
  /** How long a prefetched static page may be used, counted from its response. */
  prefetchStaticLifetimeMs: 300_000,
  concurrentPrefetches: 5,
  /** A navigation without progress for this long becomes a document navigation. */
  routeLoadingTimeoutMs: 3_800,
  /** Retries after the first attempt, for page data fetched while rendering on the server. */
  pageDataRetries: 3,
  breadcrumbsKept,
  /** Characters of the encoded `baggage` header. */
  baggageMaxLength: 8_192,
} as const;
