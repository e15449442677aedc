import 'server-only';

import { toNetwork } from './to-network.ts';

/**
 * How often somebody may try to sign in. Nobody is ever locked out: what is refused here is refused for seconds, what
 * one network tried takes nothing from another, and a login link has a share of its own, so whoever keeps the password
 * busy from everywhere does not keep the operator from signing in with a link.
 */
type Rate = { readonly burst: number; readonly perSecond: number };

type Rates = { readonly each: Rate; readonly all: Rate };

const rates = {
  /**
   * A person mistypes a few times in a row. Guessing gets 10 a minute from a network and 1 a second from all of them
   * together, some 90 000 a day: none of them is a password of twelve characters that is on no list.
   */
  password: { each: { burst: 10, perSecond: 1 / 6 }, all: { burst: 60, perSecond: 1 } },
  /** Nobody guesses 256 bits. This bounds what looking them up costs. */
  'login-link': { each: { burst: 20, perSecond: 1 }, all: { burst: 200, perSecond: 20 } },
} as const satisfies Record<string, Rates>;

export type LimitedKind = keyof typeof rates;

/** About 200 bytes each. The one that tried longest ago goes first; it comes back with a full bucket. */
const networksKept = 10_000;

type Bucket = { tokens: number; filledAt: number };

function fill(bucket: Bucket, { burst, perSecond }: Rate, now: number): void {
  bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.filledAt) / 1000) * perSecond);
  bucket.filledAt = now;
}

/** Seconds until there is a token; 0 when there is one. */
function waitFor(bucket: Bucket, { perSecond }: Rate): number {
  return bucket.tokens >= 1 ? 0 : Math.ceil((1 - bucket.tokens) / perSecond);
}

/** @returns takes one attempt: 0, or the seconds until another one is taken */
export function createLoginLimits(
  now: () => number = () => performance.now(),
): (kind: LimitedKind, address: string) => number {
  const shared = new Map<LimitedKind, Bucket>();
  const own = new Map<string, Bucket>();

  function find<Key>(buckets: Map<Key, Bucket>, key: Key, rate: Rate): Bucket {
    const bucket = buckets.get(key) ?? { tokens: rate.burst, filledAt: now() };
    fill(bucket, rate, now());
    // Taken out and put back: the first key is then the one that was unused for longest.
    buckets.delete(key);
    buckets.set(key, bucket);
    return bucket;
  }

  return function take(kind, address) {
    const { each, all } = rates[kind];
    const mine = find(own, `${kind} ${toNetwork(address)}`, each);
    const oldest = own.keys().next().value;
    if (own.size > networksKept && oldest !== undefined) own.delete(oldest);
    const everybodys = find(shared, kind, all);
    const wait = waitFor(mine, each) || waitFor(everybodys, all);
    if (wait > 0) return wait;
    mine.tokens -= 1;
    everybodys.tokens -= 1;
    return 0;
  };
}
