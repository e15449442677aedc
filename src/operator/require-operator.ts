import 'server-only';

import { currentRequest, type OperatorAccess } from '#src/http/request-context.ts';

/**
 * The operator for whom the calling code runs. Every function that reads or changes recorded data begins with this
 * call. So a page without a guard, or a request that got past the middleware, still gets nothing.
 * @throws outside a request, and in a request of somebody who is not signed in
 */
export function requireOperator(): OperatorAccess {
  const operator = currentRequest()?.operator;
  if (!operator) throw new Error('Recorded data was about to be read for somebody who is not signed in');
  return operator;
}
