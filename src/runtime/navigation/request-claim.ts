import type { PrefetchTrigger } from '#src/http/flight-headers.ts';

/**
 * Tells the enhancer the purpose of the request that it sees. Waku's router gives an enhancer a path and a signal, but
 * not who asked. The router calls its enhancers before its first `await`, though. So the code that starts a request
 * sets a claim around the call, and the enhancer takes the claim during the call. A request without a claim is a back
 * or forward, a redirect that is being followed, or a call by other code.
 */
export type RequestClaim =
  | {
      readonly type: 'prefetch';
      readonly trigger: PrefetchTrigger;
      readonly onResponse: (response: Response) => Response;
    }
  | { readonly type: 'navigate'; readonly href: string; readonly history: HistoryMode }
  /** This request must not be sent. It only makes the router abort the navigation that it waits for. */
  | { readonly type: 'stay' };

export type HistoryMode = 'push' | 'replace' | 'reload';

let current: RequestClaim | undefined;

export function withClaim<T>(claim: RequestClaim, run: () => T): T {
  const outer = current;
  current = claim;
  try {
    return run();
  } finally {
    current = outer;
  }
}

/** The claim of the request being made. It counts for one request only. */
export function takeClaim(): RequestClaim | undefined {
  const claim = current;
  current = undefined;
  return claim;
}
