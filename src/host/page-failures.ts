import 'server-only';

import type { fsRouter } from 'waku';
import { unstable_getErrorInfo as getErrorInfo } from 'waku/minimal/server';

import { refuseUnreadable } from '#src/runtime/actions/refuse.ts';
import { digestHeader } from '#src/runtime/errors/digest.ts';
import { reportError } from '#src/runtime/errors/report-error.ts';

/**
 * What is thrown past everything that answers errors. Before Waku has decoded a request, it is the request that could
 * not be read: a refusal. From then on it is this server that failed, its error page included, and saying "malformed"
 * would blame the visitor and hide the failure from the operator. So the line between the two is drawn here, where the
 * decoded request arrives, and a failure is answered before Waku would print it and make it an anonymous 500.
 */
type HandleRequest = ReturnType<typeof fsRouter>['handleRequest'];

const decoded = new WeakSet<Request>();

/** Plain text on purpose: the page for failures may be what failed. */
export function answerFailure(error: unknown): Response {
  const digest = reportError(error, 'document');
  return new Response('The server failed to answer this request.\n', {
    status: 500,
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'private, no-store',
      ...(digest ? { [digestHeader]: digest } : {}),
    },
  });
}

/** The outermost of the handlers. Waku's redirects and not-founds are not failures, and pass. */
export function withPlainFailures(handleRequest: HandleRequest): HandleRequest {
  return async function handleDecoded(input, utils) {
    decoded.add(input.req);
    try {
      return await handleRequest(input, utils);
    } catch (error) {
      if (getErrorInfo(error)) throw error;
      return answerFailure(error);
    }
  };
}

/** For what Waku throws instead of answering `request`. */
export function answerThrown(error: unknown, request: Request): Response {
  const status = getErrorInfo(error)?.status ?? 0;
  const isRefusal = !decoded.has(request) || (status >= 400 && status < 500);
  return isRefusal ? refuseUnreadable(error) : answerFailure(error);
}
