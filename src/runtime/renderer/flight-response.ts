import 'server-only';

import type { fsRouter } from 'waku';

import { findBody, toResponse } from '#src/server/http/body.ts';

type HandleRequest = ReturnType<typeof fsRouter>['handleRequest'];

/**
 * A navigation's payload as a response of its own. Waku would put the stream into one, and the body behind it would
 * have to be searched for.
 */
export function withFlightResponses(handleRequest: HandleRequest): HandleRequest {
  return async function respondWithFlight(input, utils) {
    const result = await handleRequest(input, utils);
    if (!(result instanceof ReadableStream)) return result;
    const body = findBody(result);
    if (!body) return result;
    // Once no promise is left to continue, a payload that waits for nothing is complete: one write, with its length.
    await new Promise<void>((resolve) => process.nextTick(resolve));
    return toResponse(body, { headers: { 'content-type': 'text/x-component; charset=utf-8' } });
  };
}
