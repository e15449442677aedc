import 'server-only';

import { unstable_getErrorInfo as getErrorInfo } from 'waku/minimal/server';

import { noteFact, noteRedirect } from '../reporting/breadcrumbs.ts';
import { currentRequest, type ActionOutcome, type RequestContext } from '../request-context.ts';

/** Runs an action, and notes for the report of an error how it ended and how long it took. */
export async function runNoted<Result>(run: () => Promise<Result> | Result): Promise<Result> {
  const request = currentRequest();
  if (!request) return await run();
  const began = Date.now();
  try {
    const result = await run();
    noteEnd(request, began, 'returned');
    return result;
  } catch (error) {
    const info = getErrorInfo(error);
    noteEnd(request, began, info?.location ? 'redirected' : info?.status === 404 ? 'not-found' : 'thrown');
    // Waku renders the page it leads to within this same request.
    if (info?.location) noteRedirect(info.status ?? 303, info.location, request);
    throw error;
  }
}

function noteEnd(request: RequestContext, began: number, outcome: ActionOutcome): void {
  const time = Date.now();
  noteFact({ type: 'action', time, id: request.action?.id ?? '', ms: time - began, outcome }, request);
}
