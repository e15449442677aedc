import 'server-only';

import type { fsRouter } from 'waku';
import { unstable_getErrorInfo as getErrorInfo } from 'waku/minimal/server';

import { refuseUnreadable } from '#src/http/refuse.ts';
import { createPlainFailure } from '#src/runtime/errors/plain-failure.ts';
import { reportError } from '#src/runtime/errors/report-error.ts';

/**
 * What is thrown past everything that answers errors. Before Waku has decoded a request, it is the request that could
 * not be read: a refusal. From then on it is this server that failed, its error page included, and saying "malformed"
 * would blame the visitor and hide the failure from the operator. So the line between the two is drawn here, where the
 * decoded request arrives, and a failure is answered before Waku would print it and make it an anonymous 500.
 */
type HandleRequest = ReturnType<typeof fsRouter>['handleRequest'];

/** On the request itself: a module's weak collection keeps a page alive past V8's short collections. */
const decodedMark = Symbol('decoded');

export function answerFailure(error: unknown): Promise<Response> {
  return createPlainFailure(reportError(error, 'document'));
}

/** The outermost of the handlers. Waku's redirects and not-founds are not failures, and pass. */
export function withPlainFailures(handleRequest: HandleRequest): HandleRequest {
  return async function handleDecoded(input, utils) {
    Reflect.set(input.req, decodedMark, true);
    try {
      return await handleRequest(input, utils);
    } catch (error) {
      if (getErrorInfo(error)) throw error;
      return await answerFailure(error);
    }
  };
}

/** For what Waku throws instead of answering `request`. */
export async function answerThrown(error: unknown, request: Request): Promise<Response> {
  const status = getErrorInfo(error)?.status ?? 0;
  const isDecoded = Reflect.get(request, decodedMark) === true;
  const isRefusal = !isDecoded || (status >= 400 && status < 500);
  return isRefusal ? refuseUnreadable(error) : answerFailure(error);
}
