import 'server-only';

import { aroundEach } from 'vitest';

import { runInRequest } from '#src/server/http/request-context.ts';
import { makeRequest } from '#src/server/http/testing/make-request.ts';

/** For tests: each runs in a request of the operator, where nobody has to sign in. */
export function useOperator(): void {
  aroundEach((run) => runInRequest(makeRequest({ operator: { kind: 'login-off' } }), run));
}
