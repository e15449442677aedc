import type { useRegisterRscEnhancer_UNSTABLE } from 'waku/minimal/client';

import { takeIntent, withIntent } from '#src/runtime/navigation/request-intent.ts';

import { readLate, takeLate } from './late.ts';

export type Enhancer = Parameters<ReturnType<typeof useRegisterRscEnhancer_UNSTABLE>>[0];

let isMounted = false;

/** What is loaded later has registered its own enhancers, or has taken them away. */
export function noteMounted(is: boolean): void {
  isMounted = is;
}

/**
 * A request that comes before the rest of the runtime waits for it, and then passes through its enhancers: without them a
 * navigation could stall for ever, and an action that fails would have no digest. The intent (request-intent.ts) counts only
 * during the call, so it is kept.
 */
export const holdRequests: Enhancer = (next) => (rscPath, rscParams, options) => {
  if (isMounted) return next(rscPath, rscParams, options);
  const intent = takeIntent();
  function send() {
    const request = readLate()?.enhance(next) ?? next;
    return intent
      ? withIntent(intent, () => request(rscPath, rscParams, options))
      : request(rscPath, rscParams, options);
  }
  return readLate() ? send() : takeLate().then(send);
};
