import { toNetwork } from './to-network.ts';

type BucketLimit = {
  /** Tokens in a full bucket: what may come at once. */
  readonly size: number;
  /** What may come for long. */
  readonly perSecond: number;
};

export type BucketLimits = {
  /** One browser's share. Without it the fastest sender would use up the shared one. */
  readonly own: BucketLimit;
  readonly shared: BucketLimit;
};

/** Takes a token on behalf of an address. Returns 0, or the whole seconds until there is one. */
export type TakeToken = (address: string | undefined) => number;

/**
 * About 200 bytes each: 2 MB at most. The least recently seen is forgotten first, and begins again with a full bucket.
 * Senders with more networks than this are limited by the shared bucket.
 */
const networksKept = 10_000;

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

/** A bucket for each network (see to-network.ts), and one for all: what the first refuses takes nothing from the second. */
export function createBuckets({ own, shared }: BucketLimits): TakeToken {
  const takeShared = createBucket(shared);
  const byNetwork = new Map<string, () => number>();
  return function take(address) {
    if (address === undefined) return takeShared();
    const network = toNetwork(address);
    const takeOwn = byNetwork.get(network) ?? createBucket(own);
    byNetwork.delete(network);
    byNetwork.set(network, takeOwn);
    const oldest = byNetwork.keys().next().value;
    if (byNetwork.size > networksKept && oldest !== undefined) byNetwork.delete(oldest);
    return takeOwn() || takeShared();
  };
}
