import { writeLog } from './log.ts';

/**
 * Somebody who guesses keys would fill the log: 1,500 lines a second came from one address, and 4,000 of other refusals, 2 MB. Of what
 * repeats, the first lines are written, and then a count.
 */
export const linesOfGuesses = 5;
/** Of other refusals, each of which may have a reason of its own. */
export const linesOfRefusals = 100;
const windowMs = 10_000;
/** As many reasons and networks are told apart at the same time. */
const mostKept = 1_000;

type Repeated = { readonly code: string; readonly most: number; count: number };

const repeated = new Map<string, Repeated>();

function tellCount(key: string): void {
  const { code = '', most = 0, count = 0 } = repeated.get(key) ?? {};
  repeated.delete(key);
  const more = count - most;
  if (more > 0) writeLog('warn', 'requests-refused', { code, more, seconds: windowMs / 1_000 });
}

/** @param network of whoever sent it: `to-network.ts` @param most lines of their own @returns whether it has a line of its own */
export function hasOwnLine(code: string, network: string, most: number): boolean {
  // Together, once there are too many to tell apart.
  const named = `${code} ${network}`;
  const key = repeated.has(named) || repeated.size < mostKept ? named : code;
  const known = repeated.get(key);
  if (known) {
    known.count += 1;
    return known.count <= known.most;
  }
  repeated.set(key, { code, most, count: 1 });
  setTimeout(tellCount, windowMs, key).unref();
  return true;
}
