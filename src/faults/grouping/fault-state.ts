import 'server-only';

import { asInteger, asRecord, asText, parseJson } from '../receive/untrusted-json.ts';

/**
 * What the operator made of a fault. `open` and `muted` have no details. Times are milliseconds since 1970 by our clock, and an
 * error counts by the time of its receipt.
 */
export type FaultState =
  | { readonly type: 'open' }
  /** `release`: fixed in exactly that release and all that come after it. `next-release`: in the first that is not known yet. */
  | { readonly type: 'resolved'; readonly in: ResolvedIn }
  | { readonly type: 'snoozed'; readonly until: SnoozedUntil }
  | { readonly type: 'muted' };

export type ResolvedIn =
  | { readonly type: 'now' }
  | { readonly type: 'release'; readonly release: string }
  | { readonly type: 'next-release' };

export type SnoozedUntil =
  | { readonly type: 'time'; readonly time: number }
  /** Until it occurred so often within so many hours. */
  | {
      readonly type: 'volume';
      readonly count: number;
      readonly hours: number;
      /** Errors in the hour in which it was snoozed, before that: counts are kept by the hour. */
      readonly before: number;
    };

/** For the columns `state` and `state_json` of `fault`. */
export function writeFaultState({ type, ...details }: FaultState): { state: FaultState['type']; state_json: string } {
  return { state: type, state_json: JSON.stringify(details) };
}

function readResolvedIn(value: unknown): ResolvedIn {
  const record = asRecord(value);
  const release = asText(record?.['release'], 1_000);
  if (record?.['type'] === 'release' && release !== undefined) return { type: 'release', release };
  return record?.['type'] === 'next-release' ? { type: 'next-release' } : { type: 'now' };
}

function readSnoozedUntil(value: unknown): SnoozedUntil {
  const record = asRecord(value);
  function read(key: string): number {
    return asInteger(record?.[key]) ?? 0;
  }
  return record?.['type'] === 'volume'
    ? { type: 'volume', count: read('count'), hours: read('hours'), before: read('before') }
    : { type: 'time', time: read('time') };
}

/** Details that cannot be read are those that tell the operator earliest: resolved now, snoozed until 1970. */
export function readFaultState(row: { readonly state: FaultState['type']; readonly state_json: string }): FaultState {
  const details = asRecord(parseJson(row.state_json));
  switch (row.state) {
    case 'open':
    case 'muted':
      return { type: row.state };
    case 'resolved':
      return { type: 'resolved', in: readResolvedIn(details?.['in']) };
    case 'snoozed':
      return { type: 'snoozed', until: readSnoozedUntil(details?.['until']) };
  }
}
