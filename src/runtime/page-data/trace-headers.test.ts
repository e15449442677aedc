import { describe, expect, test } from 'vitest';

import type { RequestContext } from '#src/server/http/request-context.ts';
import { makeRequest } from '#src/server/http/testing/make-request.ts';
import { addTraceHeaders, type Propagation } from './trace-headers.ts';

const own = `sentry-trace_id=${'a'.repeat(32)},sentry-environment=test`;

function createContext(baggage: string): RequestContext {
  return makeRequest({ traceId: 'a'.repeat(32), baggage });
}

/** The headers of a request to an upstream, for a page whose own request had the baggage `arrived`. */
function seen(arrived: string, propagation: Propagation = 'everything', init: Record<string, string> = {}) {
  const headers = new Headers(init);
  addTraceHeaders(headers, createContext(arrived), propagation);
  return { sentry: headers.get('sentry-trace') ?? undefined, baggage: headers.get('baggage') ?? undefined };
}

describe('the trace', () => {
  test('is described by this server alone: what arrives under its names is left out', () => {
    const forged = 'sentry-trace_id=beef,sentry-sampled=true,sentry-public_key=k,a=1';
    expect(seen(forged).baggage).toBe(`${own},a=1`);
  });

  test('is never followed by a header above the limit, nor by half a member', () => {
    const member = (n: number) => `m${String(n).padStart(3, '0')}=${'v'.repeat(95)}`;
    const arrived = Array.from({ length: 81 }, (_, n) => member(n)).join(',');
    expect(arrived.length).toBe(8180);
    const { baggage = '' } = seen(arrived);
    const members = baggage.split(',');
    expect(baggage.length).toBeLessThanOrEqual(8192);
    expect(baggage.length).toBeGreaterThan(8092);
    expect(members.slice(0, 2).join(',')).toBe(own);
    expect(members.slice(2)).toEqual(Array.from({ length: members.length - 2 }, (_, n) => member(n)));
  });

  test('goes without what arrived when that is too long to be read', () => {
    expect(seen(`a=${'x'.repeat(10_000)}`).baggage).toBe(own);
  });

  test('goes alone to somebody else’s server, or not at all', () => {
    expect(seen('tenant=7', 'trace')).toEqual({ sentry: expect.any(String), baggage: own });
    expect(seen('tenant=7', 'nothing')).toEqual({ sentry: undefined, baggage: undefined });
  });

  test('is the caller’s where the caller names one', () => {
    const theirs = `${'b'.repeat(32)}-${'c'.repeat(16)}-1`;
    expect(seen('tenant=7', 'everything', { 'Sentry-Trace': theirs })).toEqual({
      sentry: theirs,
      baggage: undefined,
    });
    expect(seen('tenant=7', 'everything', { Baggage: 'mine=1' })).toEqual({
      sentry: expect.stringMatching(/^a{32}-/),
      baggage: 'mine=1',
    });
  });
});
