import 'server-only';

import type { StoredStorm } from '../flight/storm.ts';

/** What it would be for a month, if it went on as it was. */
export type StormMonth = {
  readonly requests: number;
  /** By what is known of them; undefined where nothing is. */
  readonly bytes: number | undefined;
  /** Undefined where no price is set, or a size is not known that has one. */
  readonly price: number | undefined;
};

/** Undefined: not set. */
export type Prices = { readonly ofMillion: number | undefined; readonly ofGigabyte: number | undefined };

const monthMs = 30 * 24 * 60 * 60_000;
/** The minute in which it was found: one of ten seconds is not said to last at that rate. */
const shortestMs = 60_000;

function bill({ ofMillion, ofGigabyte }: Prices, requests: number, bytes: number | undefined): number | undefined {
  if (ofMillion === undefined && ofGigabyte === undefined) return undefined;
  if (ofGigabyte !== undefined && bytes === undefined) return undefined;
  return ((ofMillion ?? 0) * requests) / 1e6 + ((ofGigabyte ?? 0) * (bytes ?? 0)) / 1e9;
}

export function projectMonth(
  storm: Pick<StoredStorm, 'requests' | 'sized' | 'bytes' | 'first_at' | 'last_at'>,
  prices: Prices,
): StormMonth {
  const times = monthMs / Math.max(shortestMs, storm.last_at - storm.first_at);
  const requests = Math.round(storm.requests * times);
  const bytes = storm.sized === 0 ? undefined : Math.round((storm.bytes / storm.sized) * requests);
  return { requests, bytes, price: bill(prices, requests, bytes) };
}
