import { isBeyondLoopback, type ServerSettings } from '#src/http/server-settings.ts';

/**
 * What is recorded, from `RECORD`. A payload holds what its visitor saw, so where other machines can reach the server
 * only failures are kept unless the operator asks for more. A sample is taken by trace, so that a document comes with all
 * of its navigations, prefetches and actions; failures are kept whatever the sample says.
 */
export type Policy =
  | { readonly mode: 'all' }
  | { readonly mode: 'errors' }
  | { readonly mode: 'sample'; readonly share: number }
  | { readonly mode: 'off' };

export type RecorderLimits = {
  /** Of the file, its indexes included. */
  readonly bytes: number;
  readonly ageMs: number;
};

type Environment = Readonly<Record<string, string | undefined>>;

/** Some 100,000 payloads of 15 kB, compressed; a tenth of the disk of the smallest machine one rents. */
const defaultMebibytes = 256;
/** A digest is usually looked up within days. */
const defaultDays = 7;
const mebibyte = 1024 * 1024;
const dayMs = 24 * 3600 * 1000;

/** @throws with one line for the operator when `RECORD` is none of the words it may be */
export function readPolicy(env: Environment, settings: ServerSettings): Policy {
  const text = env['RECORD'] || (isBeyondLoopback(settings) ? 'errors' : 'all');
  if (text === 'all' || text === 'errors' || text === 'off') return { mode: text };
  const share = /^sample:(0|1|0?\.\d+|[01]\.\d+)$/.exec(text)?.[1];
  if (share === undefined || Number(share) > 1) {
    throw new Error(`RECORD is ${text}; it must be all, errors, off, or sample:<share>, like sample:0.1`);
  }
  return { mode: 'sample', share: Number(share) };
}

function readNumber(name: string, text: string | undefined, fallback: number): number {
  if (!text) return fallback;
  const number = Number(text);
  if (!Number.isFinite(number) || number <= 0) throw new Error(`${name} is ${text}; it must be a number above 0`);
  return number;
}

/** `RECORD_MIB` and `RECORD_DAYS`. @throws with one line for the operator */
export function readLimits(env: Environment): RecorderLimits {
  return {
    bytes: Math.round(readNumber('RECORD_MIB', env['RECORD_MIB'], defaultMebibytes) * mebibyte),
    ageMs: readNumber('RECORD_DAYS', env['RECORD_DAYS'], defaultDays) * dayMs,
  };
}

/** By the last 32 bits of a trace id. They are random in every client's ids, while the first may be a time. */
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
