import { flightsPath } from '#src/http/addresses.ts';
import { runInRequest, type RequestContext } from '#src/http/request-context.ts';

/** For tests: runs a query of the recording as the operator, where nobody has to sign in. */
export function askAsOperator<T>(query: () => Promise<T>): Promise<T> {
  const request: RequestContext = {
    id: '',
    kind: 'document',
    method: 'GET',
    path: flightsPath,
    traceId: '',
    startedAt: 0,
    address: '',
    nonce: '',
    operator: { kind: 'login-off' },
    signal: new AbortController().signal,
    digests: [],
    breadcrumbs: [],
  };
  return runInRequest(request, query);
}
