import 'server-only';

import { isNotFound, readRedirect } from '../control-errors.ts';
import { noteFact, noteRedirect } from '../reporting/breadcrumbs.ts';
import { currentRequest, type ActionOutcome, type RequestContext } from '#src/server/http/request-context.ts';

function noteFailure(request: RequestContext, began: number, error: unknown): void {
  const redirect = readRedirect(error, 303);
  noteEnd(request, began, redirect ? 'redirected' : isNotFound(error) ? 'not-found' : 'thrown');
  // Waku renders the page it leads to within this same request.
  if (redirect) noteRedirect(redirect.status, redirect.location, request);
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
