import { errorCodes } from './error-codes.ts';
import { renderRefusal } from './refuse.ts';
import type { RequestKind } from './request-context.ts';

/** Seconds. What is turned away for the load comes back when a level can have been left; for the limit, sooner. */
const retryAfterSeconds = { load: 5, limit: 1 } as const;

/** Words for a person, the error shape for a program. No line in the log for each: the gate and the load have theirs. */
export function answerBusy(kind: RequestKind, reason: keyof typeof retryAfterSeconds): Response {
  const { status, message } = errorCodes.overloaded;
  const { headers, body } = renderRefusal('overloaded', 'json');
  const isDocument = kind === 'document';
  return new Response(isDocument ? `${message}\n` : body, {
    status,
    headers: {
      ...headers,
      ...(isDocument ? { 'content-type': 'text/plain; charset=utf-8' } : {}),
      'retry-after': String(retryAfterSeconds[reason]),
    },
  });
}
