import 'server-only';

export type BucketLimit = {
  /** Tokens in a full bucket: what may come at once. */
  readonly size: number;
  /** What may come for long. */
  readonly perSecond: number;
};

export type BucketLimits = {
  /** One browser's share, or whoever posts fastest would use up everybody's. */
  readonly own: BucketLimit;
  readonly shared: BucketLimit;
};

/** Takes a token on behalf of an address. Returns 0, or the whole seconds until there is one. */
export type TakeToken = (address: string | undefined) => number;

/**
 * About 200 bytes each: 2 MB at most. The one that was seen longest ago goes first, and comes back with a full bucket.
 * Whoever has more addresses than this to post from meets the shared bucket.
 */
const addressesKept = 10_000;

/** Tokens for requests; monotonic, so that a change of the clock neither opens nor closes it. */
function createBucket({ size, perSecond }: BucketLimit): () => number {
  let tokens = size;
  let filledAt = performance.now();
  return function take() {
    const now = performance.now();
    tokens = Math.min(size, tokens + ((now - filledAt) / 1000) * perSecond);
    filledAt = now;
    if (tokens < 1) return Math.ceil((1 - tokens) / perSecond);
    tokens -= 1;
    return 0;
  };
}

/** A bucket for each address, and one for all: what the first refuses takes nothing from the second. */
export function createBuckets({ own, shared }: BucketLimits): TakeToken {
  const takeShared = createBucket(shared);
  const byAddress = new Map<string, () => number>();
  return function take(address) {
    if (address === undefined) return takeShared();
    const takeOwn = byAddress.get(address) ?? createBucket(own);
    byAddress.delete(address);
    byAddress.set(address, takeOwn);
    const oldest = byAddress.keys().next().value;
    if (byAddress.size > addressesKept && oldest !== undefined) byAddress.delete(oldest);
    return takeOwn() || takeShared();
  };
}
