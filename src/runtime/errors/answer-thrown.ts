import 'server-only';

import type { fsRouter } from 'waku';

import { refuse } from '#src/server/http/refuse.ts';

import { readControl } from '../control-errors.ts';
import { createPlainFailure } from './plain-failure.ts';
import { reportError } from './report-error.ts';

/**
 * What is thrown past everything that answers errors. Before Waku has decoded a request, the request could not be read:
 * that is a refusal. After that this server failed, its error page included, and saying "malformed" would blame the visitor
 * and hide the failure from the operator. The line between the two is drawn here, where the decoded request arrives, and a
 * failure is answered before Waku would print it and make it an anonymous 500.
 */
type HandleRequest = ReturnType<typeof fsRouter>['handleRequest'];

/** On the request itself: a module's weak collection keeps a page alive past V8's short collections. */
const decodedMark = Symbol('decoded');

export function answerFailure(error: unknown): Promise<Response> {
  return createPlainFailure(reportError(error, 'document'));
}

/** Waku's redirects and not-founds are not failures, and pass. */
export function withPlainFailures(handleRequest: HandleRequest): HandleRequest {
  return async function handleDecoded(input, utils) {
    Reflect.set(input.req, decodedMark, true);
    try {
      return await handleRequest(input, utils);
    } catch (error) {
      if (readControl(error)) throw error;
      return await answerFailure(error);
    }
  };
}

/** For what Waku throws before it hands a request over: a path it cannot decode, arguments it cannot read. */
function refuseUnreadable(error: unknown, status: number): Response {
  const detail = error instanceof Error ? `${error.name}: ${error.message}` : 'unreadable';
  switch (status) {
    case 403:
      return refuse('wrong-origin', 'json', detail);
    case 405:
      return refuse('wrong-method', 'json', detail, { allow: 'GET, HEAD, POST' });
    default:
      return refuse('malformed-request', 'json', detail);
  }
}

/** For what Waku throws instead of answering `request`. */
export async function answerThrown(error: unknown, request: Request): Promise<Response> {
  const status = readControl(error)?.status ?? 0;
  const isDecoded = Reflect.get(request, decodedMark) === true;
  const isRefusal = !isDecoded || (status >= 400 && status < 500);
  return isRefusal ? refuseUnreadable(error, status) : answerFailure(error);
}
