import 'server-only';

import { randomBytes } from 'node:crypto';

import { parseBaggage, serializeBaggage } from '../reporting/baggage.ts';
import type { RequestContext } from '#src/http/request-context.ts';

/**
 * The trace of a visitor's page, handed on to the upstreams that the page asks: what fails there can be found from here.
 *
 * `sentry-trace` names the trace and leaves open whether anything of it is sampled. W3C's `traceparent` has no such
 * value: with its flag unset an upstream would stop recording these requests, with it set it would record all of them,
 * and this server has no opinion. It is not sent.
 *
 * `baggage` is what arrived with the request, read and written anew, and our own members before it: they are 200
 * characters at most, and after a stranger's 8000 there would be no room for them
 * (https://www.w3.org/TR/baggage/#limits leaves open which members go). What arrived under `sentry-` is left out: those
 * members say who described the trace and whether it is sampled, an upstream's SDK believes them, and anybody can send
 * them here.
 *
 * What arrived is text of the visitor and of the proxies in front. Who asks somebody else's server says `trace`.
 */
export type Propagation =
  /** The trace, and the baggage that arrived. */
  | 'everything'
  /** The trace alone, with what this server says about it. */
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
  // The caller names another trace: ours would be the wrong one, and our baggage describes ours.
  if (propagation === 'nothing' || headers.has('sentry-trace')) return;
  headers.set('sentry-trace', `${request.traceId}-${randomBytes(8).toString('hex')}`);
  if (headers.has('baggage')) return;
  const baggage = serializeBaggage(listMembers(request, propagation));
  if (baggage) headers.set('baggage', baggage);
}
