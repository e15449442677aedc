import type { RequestContext } from '../request-context.ts';

/** A document that is asked for, but for what a test says of it. */
export function makeRequest(said: Partial<RequestContext> = {}): RequestContext {
  return {
    id: 'request',
    kind: 'document',
    method: 'GET',
    path: '/',
    traceId: '',
    startedAt: 0,
    signal: new AbortController().signal,
    address: '',
    nonce: '',
    operator: undefined,
    digests: [],
    breadcrumbs: [],
    ...said,
  };
}
