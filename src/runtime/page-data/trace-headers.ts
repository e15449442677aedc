import 'server-only';

import { randomBytes } from 'node:crypto';

import { parseBaggage, serializeBaggage } from '../reporting/baggage.ts';
import type { RequestContext } from '#src/server/http/request-context.ts';

/**
 * The trace of a visitor's page, passed on to the upstreams that the page requests. So a failure there can be found
 * from here.
 *
 * `sentry-trace` names the trace and leaves open whether any of it is sampled. W3C's `traceparent` has no such value:
 * with its flag unset an upstream would stop recording these requests, with it set it would record all of them, and
 * this server must not decide that. So `traceparent` is not sent.
 *
 * `baggage` is what arrived with the request, parsed and written again, with our own members before it. Ours are 200
 * characters at most, and after a stranger's 8000 there would be no room for them
 * (https://www.w3.org/TR/baggage/#limits leaves open which members are dropped). Members that arrived under `sentry-`
 * are left out: they say who described the trace and whether it is sampled, an upstream's SDK believes them, and
 * anybody can send them here.
 *
 * What arrived is text of the visitor and of the proxies in front. For an upstream that belongs to somebody else, use
 * `trace`.
 */
export type Propagation =
  /** The trace, and the baggage that arrived. */
  | 'everything'
  /** Only the trace, with this server's own members about it. */
  | 'trace'
  | 'nothing';

const ownPrefix = 'sentry-';

function listMembers({ traceId, baggage }: RequestContext, propagation: Propagation): Map<string, string> {
  const members = new Map([
    [`${ownPrefix}trace_id`, traceId],
    [`${ownPrefix}environment`, import.meta.env.MODE],
  ]);
  const release = import.meta.env.WAKU_BUILD_ID;
  if (release) members.set(`${ownPrefix}release`, release);
  if (propagation !== 'everything') return members;
  for (const [key, value] of parseBaggage(baggage)) {
    if (!key.startsWith(ownPrefix)) members.set(key, value);
  }
  return members;
}

/** @param headers those of the request to the upstream. A header that the caller has set stays. */
export function addTraceHeaders(headers: Headers, request: RequestContext, propagation: Propagation): void {
  // The caller names another trace: ours would be wrong, and our baggage describes ours.
  if (propagation === 'nothing' || headers.has('sentry-trace')) return;
  headers.set('sentry-trace', `${request.traceId}-${randomBytes(8).toString('hex')}`);
  if (headers.has('baggage')) return;
  const baggage = serializeBaggage(listMembers(request, propagation));
  if (baggage) headers.set('baggage', baggage);
}
