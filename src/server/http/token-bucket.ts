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
  /** Tokens that `own` may owe, after something that was larger than it seemed: a whole bucket, or 0 where many have it together. */
  readonly mostDebt?: number;
  /**
   * Which of them protect what all servers share, a database: each server then gives its part of them (`divideLimits`). `shared`
   * alone where `own` is one sender's: somebody who spreads over servers gets more of their own then, and never more than all
   * may have together. Without it none is divided.
   */
  readonly divided?: 'shared' | 'both';
};

/**
 * Takes a token on behalf of an address. Returns 0, or the whole seconds until there is one.
 * @param more that are only known to be needed after the first was taken: they are taken in any case, and may leave a debt. It is the
 * sender's own: what all share only becomes empty.
 */
export type TakeToken = (address: string | undefined, more?: number) => number;

/** An error of a browser has a tenth of that. What is larger costs the processor in proportion: scrubbing, grouping, search. */
const bytesPerToken = 32 * 1024;

/** What a body costs beside the token of its request. */
export function sizeInTokens(bytes: number): number {
  return Math.floor(bytes / bytesPerToken);
}

/**
 * About 200 bytes each: 2 MB at most. The least recently seen is forgotten first, and begins again with a full bucket.
 * Senders with more networks than this are limited by the shared bucket.
 */
const networksKept = 10_000;

let servers = 1;

/** How many servers share the database now. */
export function divideLimits(among: number): void {
  servers = Math.max(1, among);
}

/** Tokens for requests; monotonic, so that a change of the clock neither opens nor closes it. */
function createBucket(limit: BucketLimit, isDivided: boolean, mostDebt: number): (more?: number) => number {
  let tokens = limit.size;
  let filledAt = performance.now();
  return function take(more) {
    const now = performance.now();
    const parts = isDivided ? servers : 1;
    // One token at least: with more servers than tokens nothing would get through.
    const size = Math.max(1, limit.size / parts);
    const perSecond = limit.perSecond / parts;
    tokens = Math.min(size, tokens + ((now - filledAt) / 1000) * perSecond);
    filledAt = now;
    if (more !== undefined) {
      tokens = Math.max(tokens - more, Math.min(tokens, -mostDebt));
      return 0;
    }
    if (tokens < 1) return Math.ceil((1 - tokens) / perSecond);
    tokens -= 1;
    return 0;
  };
}

/** A bucket for each network (see to-network.ts), and one for all: what the first refuses takes nothing from the second. */
export function createBuckets({ own, shared, divided, mostDebt = own.size }: BucketLimits): TakeToken {
  const takeShared = createBucket(shared, divided !== undefined, 0);
  const byNetwork = new Map<string, (more?: number) => number>();
  return function take(address, more) {
    if (address === undefined) return takeShared(more);
    const network = toNetwork(address);
    const takeOwn = byNetwork.get(network) ?? createBucket(own, divided === 'both', mostDebt);
    byNetwork.delete(network);
    byNetwork.set(network, takeOwn);
    const oldest = byNetwork.keys().next().value;
    if (byNetwork.size > networksKept && oldest !== undefined) byNetwork.delete(oldest);
    return takeOwn(more) || takeShared(more);
  };
}
