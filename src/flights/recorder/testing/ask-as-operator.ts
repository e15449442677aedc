import { flightsPath } from '#src/server/http/addresses.ts';
import { runInRequest } from '#src/server/http/request-context.ts';
import { makeRequest } from '#src/server/http/testing/make-request.ts';

/** For tests: runs a query of the recording as the operator, where nobody has to sign in. */
export function askAsOperator<T>(query: () => Promise<T>): Promise<T> {
  const request = makeRequest({ id: '', path: flightsPath, operator: { kind: 'login-off' } });
  return runInRequest(request, query);
}
