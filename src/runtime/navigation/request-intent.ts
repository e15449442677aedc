import type { PrefetchTrigger } from '#src/server/http/flight-headers.ts';

/**
 * Tells the enhancer the purpose of the request that it sees. Waku's router gives an enhancer a path and a signal, but
 * not who asked. The router calls its enhancers before its first `await`, though. So the code that starts a request
 * sets an intent around the call, and the enhancer takes it during the call. A request without an intent is a back
 * or forward, a redirect that is being followed, or a call by other code.
 */
export type RequestIntent =
  | {
      readonly type: 'prefetch';
      readonly trigger: PrefetchTrigger;
      readonly onResponse: (response: Response) => Response;
    }
  | { readonly type: 'navigate'; readonly href: string; readonly history: HistoryMode }
  /** This request must not be sent. It only makes the router abort the navigation that it waits for. */
  | { readonly type: 'stay' };

export type HistoryMode = 'push' | 'replace' | 'reload';

let current: RequestIntent | undefined;

export function withIntent<T>(intent: RequestIntent, run: () => T): T {
  const outer = current;
  current = intent;
  try {
    return run();
  } finally {
    current = outer;
  }
}

/** The intent of the request being made. It counts for one request only. */
export function takeIntent(): RequestIntent | undefined {
  const intent = current;
  current = undefined;
  return intent;
}
