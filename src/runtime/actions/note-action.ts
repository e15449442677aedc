import 'server-only';

import { unstable_getErrorInfo as getErrorInfo } from 'waku/minimal/server';

import { noteFact, noteRedirect } from '../reporting/breadcrumbs.ts';
import { currentRequest, type ActionOutcome, type RequestContext } from '#src/http/request-context.ts';

function noteFailure(request: RequestContext, began: number, error: unknown): void {
  const info = getErrorInfo(error);
  noteEnd(request, began, info?.location ? 'redirected' : info?.status === 404 ? 'not-found' : 'thrown');
  // Waku renders the page it leads to within this same request.
  if (info?.location) noteRedirect(info.status ?? 303, info.location, request);
}

/**
 * Runs an action, and notes for the report of an error how it ended and how long it took. Not an async function: each
 * would be a promise more on the way of every action.
 */
export function runNoted<Result>(run: () => Promise<Result> | Result): Promise<Result> {
  const request = currentRequest();
  if (!request) return Promise.resolve(run());
  const began = Date.now();
  let result: Promise<Result> | Result;
  try {
    result = run();
  } catch (error) {
    noteFailure(request, began, error);
    throw error;
  }
  if (!(result instanceof Promise)) {
    noteEnd(request, began, 'returned');
    return Promise.resolve(result);
  }
  return result.then(
    (value) => {
      noteEnd(request, began, 'returned');
      return value;
    },
    (error: unknown) => {
      noteFailure(request, began, error);
      throw error;
    },
  );
}

function noteEnd(request: RequestContext, began: number, outcome: ActionOutcome): void {
  const time = Date.now();
  noteFact({ type: 'action', time, id: request.action?.id ?? '', ms: time - began, outcome }, request);
}
