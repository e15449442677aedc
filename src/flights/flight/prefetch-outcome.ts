import { runtimeSettings } from '#src/runtime/settings.ts';

import type { StoredFlight } from './flight-columns.ts';

/**
 * What became of a prefetch in the browser. (How its response ended is the flight's `outcome`.)
 * `used`: a navigation showed it. `expired`: it became too old first. `unused`: its document was closed before that.
 * `waiting`: neither yet, as far as the browser has told. `unknown`: it was counted with other hits, so a browser's note
 * about one of them cannot be stored; or it is of another app, whose browsers tell nothing. Of those, some are known to be used,
 * or to be of no use any more, from the requests that follow (writer/exchange/guess-visits.ts).
 */
export type PrefetchOutcome = 'used' | 'unused' | 'expired' | 'waiting' | 'unknown';

/** How long Next.js shows what it prefetched, before it asks again: the longest of its default times. */
export const nextLifetimeMs = 5 * 60_000;

type Facts = Pick<
  StoredFlight,
  'source' | 'rendering' | 'started_at' | 'first_byte_ms' | 'duration_ms' | 'used_at' | 'closed_at' | 'last_at'
>;

/** When the browser stops showing it: the lifetime runs from the response. */
function findExpiry(flight: Facts): number {
  const lifetime =
    flight.rendering === 'prerendered'
      ? runtimeSettings.prefetchStaticLifetimeMs
      : runtimeSettings.prefetchDynamicLifetimeMs;
  return flight.started_at + (flight.first_byte_ms ?? flight.duration_ms) + lifetime;
}

export function findPrefetchOutcome(flight: Facts, now: number): PrefetchOutcome {
  if (flight.last_at !== null) return 'unknown';
  if (flight.used_at !== null) return 'used';
  if (flight.source !== 'runtime') {
    if (flight.closed_at === null) return 'unknown';
    return flight.closed_at - flight.started_at < nextLifetimeMs ? 'unused' : 'expired';
  }
  const expiry = findExpiry(flight);
  if (flight.closed_at !== null && flight.closed_at < expiry) return 'unused';
  return now < expiry ? 'waiting' : 'expired';
}
