import 'server-only';

import { currentRequest } from '#src/server/http/request-context.ts';

/** Resolves after `ms`, or at once when the client disconnects: then nobody waits for the result. */
export function wait(ms: number): Promise<void> {
  const signal = currentRequest()?.signal;
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
    if (signal?.aborted) resolve();
  });
}
