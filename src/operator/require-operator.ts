import 'server-only';

import { currentRequest, type OperatorAccess } from '#src/http/request-context.ts';

/**
 * On whose behalf the code that calls this runs. Every function that reads or changes recorded data begins with it, so
 * a page that forgets its guard, or a request that some way got past the middleware, still gets nothing.
 * @throws outside a request, and in one that nobody has signed in for
 */
export function requireOperator(): OperatorAccess {
  const operator = currentRequest()?.operator;
  if (!operator) throw new Error('Recorded data was about to be read for somebody who is not signed in');
  return operator;
}
