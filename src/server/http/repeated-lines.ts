import { writeLog } from './log.ts';

/**
 * Somebody who guesses keys would fill the log: 1,500 lines a second came from one address, and 4,000 of other refusals, 2 MB. Of what
 * repeats, the first lines are written, and then a count.
 */
export const guesses = { lines: 5, windowMs: 10_000 } as const;
/** Of other refusals. Each may have a reason of its own, so they are many: one client causes 3 GB a day of them at most. */
export const refusals = { lines: 50_000, windowMs: 600_000 } as const;

type Allowed = { readonly lines: number; readonly windowMs: number };

/** As many reasons and networks are told apart at the same time. */
const mostKept = 1_000;

type Repeated = { readonly code: string; readonly allowed: Allowed; count: number };

const repeated = new Map<string, Repeated>();

function tellCount(key: string): void {
  const known = repeated.get(key);
  repeated.delete(key);
  if (!known) return;
  const { code, allowed, count } = known;
  const more = count - allowed.lines;
  if (more > 0) writeLog('warn', 'requests-refused', { code, more, seconds: allowed.windowMs / 1_000 });
}

/** @param network of whoever sent it: `to-network.ts` @returns whether it has a line of its own */
export function hasOwnLine(code: string, network: string, allowed: Allowed): boolean {
  // Together, once there are too many to tell apart.
  const named = `${code} ${network}`;
  const key = repeated.has(named) || repeated.size < mostKept ? named : code;
  const known = repeated.get(key);
  if (known) {
    known.count += 1;
    return known.count <= known.allowed.lines;
  }
  repeated.set(key, { code, allowed, count: 1 });
  setTimeout(tellCount, allowed.windowMs, key).unref();
  return true;
}
