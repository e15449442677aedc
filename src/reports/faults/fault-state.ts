import 'server-only';

/**
 * What the operator made of a fault. `open` and `muted` have no details. Times are milliseconds since 1970 by our clock, and an
 * occurrence counts by the time of its receipt.
 */
export type FaultState =
  | { readonly type: 'open' }
  /** `release`: fixed in exactly that release and all that come after it. `next-release`: in the first that is not known yet. */
  | {
      readonly type: 'resolved';
      readonly in:
        | { readonly type: 'now' }
        | { readonly type: 'release'; readonly release: string }
        | { readonly type: 'next-release' };
    }
  | {
      readonly type: 'snoozed';
      readonly until:
        | { readonly type: 'time'; readonly time: number }
        /** Until it occurred so often within so many hours. */
        | { readonly type: 'volume'; readonly count: number; readonly hours: number };
    }
  | { readonly type: 'muted' };

/** For the columns `state` and `state_json` of `fault`. */
export function writeFaultState({ type, ...details }: FaultState): { state: FaultState['type']; state_json: string } {
  return { state: type, state_json: JSON.stringify(details) };
}

/** @throws for a row that this app did not write */
export function readFaultState(row: { readonly state: FaultState['type']; readonly state_json: string }): FaultState {
  throw new Error(`Not built yet: ${row.state} ${row.state_json}`);
}
