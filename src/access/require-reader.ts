import 'server-only';

import { currentRequest, type OperatorAccess } from '#src/server/http/request-context.ts';

import { requireOperator } from './require-operator.ts';

/**
 * The operator, or somebody who may only read: with a token of the API, or with a command. A query begins with this call when the API
 * answers with what it reads (src/api). Everything else is closed to a token, because `requireOperator` is what is usual. Of which
 * apps a token may read, the API decides before it asks (src/api/scope.ts).
 * @throws outside a request, and in a request of somebody who is neither
 */
export function requireReader(): OperatorAccess {
  const operator = currentRequest()?.operator;
  return operator?.kind === 'reader' ? operator : requireOperator();
}
