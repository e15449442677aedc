import 'server-only';

import { writeLog } from '#src/server/http/log.ts';
import { toNetwork } from '#src/server/http/to-network.ts';

import { requireOperator } from './require-operator.ts';

/**
 * Requests of the API without a token that is valid. A program with an old token asks for ever: so there is one line in the log for
 * each network and hour, with how many there were since the last line, and a sum on the page where tokens are made. Counted since
 * this process started.
 */
const lineEveryMs = 60 * 60_000;
/** Some 200 bytes each. The one that was seen longest ago is forgotten first; its next refusal has a line again. */
const networksKept = 1_000;

type Counted = { readonly loggedAt: number; readonly since: number };

const byNetwork = new Map<string, Counted>();
let sum: RefusedTokens = { count: 0, last: undefined };

export type RefusedTokens = {
  readonly count: number;
  /** Milliseconds since 1970. */
  readonly last: { readonly time: number; readonly address: string } | undefined;
};

export function noteRefusedToken(address: string): void {
  const now = Date.now();
  sum = { count: sum.count + 1, last: { time: now, address } };
  const network = toNetwork(address);
  const known = byNetwork.get(network);
  const isDue = !known || Math.abs(now - known.loggedAt) >= lineEveryMs;
  if (isDue) writeLog('warn', 'api-token-refused', { address, refused: (known?.since ?? 0) + 1 });
  byNetwork.delete(network);
  byNetwork.set(network, isDue ? { loggedAt: now, since: 0 } : { ...known, since: known.since + 1 });
  const oldest = byNetwork.keys().next().value;
  if (byNetwork.size > networksKept && oldest !== undefined) byNetwork.delete(oldest);
}

export function readRefusedTokens(): RefusedTokens {
  requireOperator();
  return sum;
}
