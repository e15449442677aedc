import 'server-only';

import { runtimeSettings } from '#src/runtime/settings.ts';

import type { FlightTable } from './flights-tables.ts';

/**
 * What became of a prefetch. `used`: a navigation showed it. `expired`: it became too old first. `unused`: its document
 * was closed before that. `waiting`: neither yet, as far as the browser has told. `unknown`: it was counted with others,
 * so that a browser's word on one of them has nothing to be written to.
 */
export type PrefetchFate = 'used' | 'unused' | 'expired' | 'waiting' | 'unknown';

type Facts = Pick<
  FlightTable,
  'rendering' | 'started_at' | 'first_byte_ms' | 'duration_ms' | 'used_at' | 'closed_at' | 'last_at'
>;

/** When the browser stops showing it: the lifetime runs from the response. */
function findExpiry(flight: Facts): number {
  const lifetime =
    flight.rendering === 'prerendered'
      ? runtimeSettings.prefetchStaticLifetimeMs
      : runtimeSettings.prefetchDynamicLifetimeMs;
  return flight.started_at + (flight.first_byte_ms ?? flight.duration_ms) + lifetime;
}

export function judgePrefetch(flight: Facts, now: number): PrefetchFate {
  if (flight.last_at !== null) return 'unknown';
  if (flight.used_at !== null) return 'used';
  const expiry = findExpiry(flight);
  if (flight.closed_at !== null && flight.closed_at < expiry) return 'unused';
  return now < expiry ? 'waiting' : 'expired';
}
