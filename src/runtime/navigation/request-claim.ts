/**
 * Tells a request's purpose to the enhancer that sees it. Waku's router gives an enhancer a path and a signal, not who
 * asked; but it calls its enhancers before its first `await`. So whoever starts a request says so around the call, and
 * the enhancer takes the claim within it. A request without a claim is a back or forward, a redirect that is being
 * followed, or somebody else's call.
 */
export type RequestClaim =
  | { readonly type: 'prefetch'; readonly onResponse: (response: Response) => Response }
  | { readonly type: 'navigate'; readonly href: string; readonly history: HistoryMode }
  /** Not to be sent: the router only needs an occasion to give up the navigation it is waiting for. */
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

/** The claim of the request being made; it counts for one request only. */
export function takeClaim(): RequestClaim | undefined {
  const claim = current;
  current = undefined;
  return claim;
}
