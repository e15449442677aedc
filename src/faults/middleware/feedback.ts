import 'server-only';

import type { Context, MiddlewareHandler } from 'hono';

import { readContact } from '#src/server/http/contact.ts';
import { describeError } from '#boundary';
import { writeLog } from '#src/server/http/log.ts';
import { refuse } from '#src/server/http/refuse.ts';
import { currentRequest } from '#src/server/http/request-context.ts';
import { findOperator } from '#src/access/find-operator.ts';
import { keepPageFeedback } from '#src/faults/feedback/keep-page-feedback.ts';

import { createFeedbackTaker } from './take-feedback.ts';

/**
 * Where the form of the error page goes. GET answers what a page that was made for everybody cannot know: whom to give a digest to,
 * and whether this browser is the operator's.
 */

async function isOperator({ req }: Context): Promise<boolean> {
  try {
    return (await findOperator(req.header('cookie') ?? null)) !== undefined;
  } catch (error) {
    // Not rethrown: each error page that asks would make another error.
    writeLog('error', 'session-not-read', { reason: describeError(error) });
    return false;
  }
}

async function tell(c: Context): Promise<Response> {
  const answer = { isOperator: await isOperator(c), contact: readContact() };
  return c.json(answer, 200, { 'cache-control': 'private, no-store', vary: 'Cookie' });
}

/** Stands above `access`: the visitor of an error page is a stranger. Lets other paths pass. */
export function feedback(path: string): MiddlewareHandler {
  const takeFeedback = createFeedbackTaker(keepPageFeedback);
  return function feedbackMiddleware(c, next) {
    if (c.req.path !== path) return next();
    switch (c.req.method) {
      case 'POST':
        return takeFeedback(c.req.raw, currentRequest()?.address);
      case 'GET':
        return tell(c);
      default:
        return Promise.resolve(refuse('wrong-method', 'json', `${c.req.method} of feedback`, { allow: 'GET, POST' }));
    }
  };
}
