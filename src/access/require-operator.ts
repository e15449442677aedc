import 'server-only';

import { currentRequest, type OperatorAccess, type ReaderAccess } from '#src/server/http/request-context.ts';

/**
 * The operator for whom the calling code runs. Every function that reads or changes recorded data begins with this
 * call, or with `requireReader`. So a page without a guard, or a request that got past the middleware, still gets nothing.
 * @throws outside a request, and in a request of somebody who is not signed in, or who may only read
 */
export function requireOperator(): Exclude<OperatorAccess, ReaderAccess> {
  const operator = currentRequest()?.operator;
  if (!operator) throw new Error('Recorded data was about to be read for somebody who is not signed in');
  if (operator.kind === 'reader') throw new Error('This is for the operator, and not for somebody who may only read');
  return operator;
}
