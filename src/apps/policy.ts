import { isReachableByOthers, type Reach } from '#src/server/environment/reachability.ts';
import { readFrom, type ReadSetting, type Settings } from '#src/server/environment/read-setting.ts';

/**
 * What is recorded, from `RECORD`. A payload holds what its visitor saw, so where other machines can reach the server
 * only failures are kept unless the operator asks for more. A sample is taken by trace, so that a document comes with all
 * of its navigations, prefetches and actions; failures are kept whatever the sample says.
 */
export type Policy = NonNullable<Settings['RECORD']>;

export type RecorderLimits = {
  /** Of the file, its indexes included. */
  readonly bytes: number;
  readonly ageMs: number;
};

/** @param reach where what is recorded can be reached: this server itself, unless it is an app behind a proxy */
export function readPolicy(
  read: ReadSetting,
  reach: Reach = { hostname: read('HOST'), baseUrl: read('BASE_URL') },
): Policy {
  return read('RECORD') ?? { mode: isReachableByOthers(reach) ? 'errors' : 'all' };
}

/** Longer than somebody records everything for, with room for clocks that differ. One that ends later was written under another clock. */
const longestAllMs = 11 * 60_000;

/** For how long everything is still recorded. @param until milliseconds since 1970; 0: it was not asked for */
export function readAllLeftMs(until: number, now = Date.now()): number {
  return until > now && until - now <= longestAllMs ? until - now : 0;
}

/**
 * What is kept of an app: everything for a while, where that was asked for; else by its own setting, else by `unset`.
 * @param record as `RECORD` is written
 */
export function readAppPolicy(record: string | undefined, unset: Policy, allUntil = 0, now = Date.now()): Policy {
  if (readAllLeftMs(allUntil, now) > 0) return { mode: 'all' };
  return readFrom({ RECORD: record })('RECORD') ?? unset;
}

/** As `RECORD` is written. */
export function formatPolicy(policy: Policy): string {
  return policy.mode === 'sample' ? `sample:${policy.share}` : policy.mode;
}

/** Whether `RECORD` can be written so. */
export function isRecordSetting(text: string): boolean {
  try {
    return readFrom({ RECORD: text })('RECORD') !== undefined;
  } catch {
    return false;
  }
}

export function readLimits(read: ReadSetting): RecorderLimits {
  return { bytes: read('RECORD_MIB'), ageMs: read('RECORD_DAYS') };
}

/** Decides by the last 32 bits of a trace id. They are random in every client's ids, while the first may be a time. */
function isSampled(traceId: string, share: number): boolean {
  return Number.parseInt(traceId.slice(-8), 16) / 2 ** 32 < share;
}

/** Whether a flight that did not fail is kept. */
export function keepsSuccess(policy: Policy, traceId: string): boolean {
  switch (policy.mode) {
    case 'all':
      return true;
    case 'errors':
    case 'off':
      return false;
    case 'sample':
      return isSampled(traceId, policy.share);
  }
}
