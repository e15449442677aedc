import { describe, expect, it } from 'vitest';

import type { StoredFlight } from '../../flight-columns.ts';
import { readFixture, toExchange } from '../../watch/testing/read-fixture.ts';
import { createVisits } from './guess-visits.ts';

type Step = {
  readonly kind: StoredFlight['kind'];
  readonly path: string;
  readonly from?: string;
  readonly at?: number;
  readonly peer?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

const minute = 60_000;
const base = toExchange(readFixture('next-16/document-static.json')).facts;
const agent = { 'user-agent': 'one', host: 'app.example' };

function createPlacer() {
  const visits = createVisits();
  return ({ kind, path, from, at = 0, peer = '192.0.2.1', headers = {} }: Step) => {
    const referer = from === undefined ? {} : { referer: `http://app.example${from}` };
    const requestHeaders = { ...agent, ...referer, ...headers };
    return visits.place({ ...base, requestHeaders, peer, startedAt: 1_000_000 + at }, kind, path);
  };
}

describe('a visit', () => {
  it('is of one address with one browser, without half an hour between two requests', () => {
    const place = createPlacer();
    const { visit } = place({ kind: 'document', path: '/' });
    expect(visit).toMatch(/^[0-9a-f]{32}$/);
    expect(place({ kind: 'navigation', path: '/a', at: 29 * minute }).visit).toBe(visit);
    expect(place({ kind: 'navigation', path: '/b', at: 58 * minute }).visit).toBe(visit);
    expect(place({ kind: 'document', path: '/', at: 89 * minute }).visit).not.toBe(visit);
    const others = [
      { peer: '192.0.2.2' },
      { headers: { 'user-agent': 'two' } },
      { headers: { 'x-forwarded-for': '::1' } },
    ];
    const visitsOfOthers = others.map((other) => place({ kind: 'document', path: '/', ...other }).visit);
    expect(new Set([visit, ...visitsOfOthers]).size).toBe(4);
  });

  it('has a trace for each document, with what names its page', () => {
    const place = createPlacer();
    const first = place({ kind: 'document', path: '/' }).traceId;
    const second = place({ kind: 'document', path: '/shop', at: 1 }).traceId;
    expect(second).not.toBe(first);
    expect(place({ kind: 'prefetch', path: '/a', from: '/', at: 2 }).traceId).toBe(first);
    expect(place({ kind: 'navigation', path: '/b', from: '/', at: 3 }).traceId).toBe(first);
    expect(place({ kind: 'prefetch', path: '/c', from: '/b', at: 4 }).traceId).toBe(first);
    expect(place({ kind: 'action', path: '/shop', from: '/shop', at: 5 }).traceId).toBe(second);
    // Nothing says of which.
    expect(place({ kind: 'navigation', path: '/d', at: 6 }).traceId).toBe(second);
  });

  it.each([
    { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` },
    { 'sentry-trace': `${'a'.repeat(32)}-${'b'.repeat(16)}` },
    { baggage: `other=1, sentry-trace_id=${'a'.repeat(32)},x=2` },
  ])('goes by the trace that the request names: %o', (headers) => {
    const place = createPlacer();
    const { visit, traceId } = place({ kind: 'document', path: '/', headers });
    expect(traceId).toBe('a'.repeat(32));
    const elsewhere = place({ kind: 'navigation', path: '/a', headers, peer: '198.51.100.7' });
    expect(elsewhere).toMatchObject({ visit, traceId });
    expect(place({ kind: 'document', path: '/', headers: { traceparent: 'forged' }, at: 9 }).traceId).not.toBe(
      'forged',
    );
  });
});

it('the page that asked is known where something names it', () => {
  const place = createPlacer();
  expect(place({ kind: 'document', path: '/' }).fromPath).toBeNull();
  expect(place({ kind: 'prefetch', path: '/a', from: '/list?page=2' }).fromPath).toBe('/list');
  expect(place({ kind: 'prefetch', path: '/a', headers: { 'next-url': '/list' } }).fromPath).toBe('/list');
  // The app rewrites `/shown` to `/inside`.
  expect(place({ kind: 'prefetch', path: '/a', from: '/shown', headers: { 'next-url': '/inside' } }).fromPath).toBe(
    '/shown',
  );
  expect(place({ kind: 'navigation', path: '/a', from: '/' }).fromPath).toBe('/');
  // Its router changed the address before it asked.
  expect(place({ kind: 'navigation', path: '/a', from: '/a' }).fromPath).toBeNull();
  expect(place({ kind: 'action', path: '/a', from: '/a' }).fromPath).toBe('/a');
});

describe('a prefetch was used', () => {
  const missing = { 'next-router-state-tree': encodeURIComponent('["",{"children":["a",{},null,"refetch"]}]') };
  const whole = { 'next-router-state-tree': encodeURIComponent('["",{"children":["__PAGE__",{}]}]') };

  function follow(...steps: readonly Step[]): readonly (readonly string[])[] {
    const place = createPlacer();
    return steps.map((step, index) => place({ at: index * 1_000, ...step }).shown);
  }

  const document = { kind: 'document', path: '/' } as const;
  const prefetch = { kind: 'prefetch', path: '/a', from: '/' } as const;
  const navigation = { kind: 'navigation', path: '/a', from: '/' } as const;

  it('when a navigation asks for the rest of its page', () => {
    expect(follow(document, prefetch, { ...navigation, headers: missing }).at(-1)).toEqual(['/a']);
  });

  it('but not when it asks for all of it, for another, too late, or again', () => {
    expect(follow(document, prefetch, { ...navigation, headers: whole }).at(-1)).toEqual([]);
    expect(follow(document, prefetch, { ...navigation, path: '/b', headers: missing }).at(-1)).toEqual([]);
    expect(follow(document, { ...navigation, headers: missing }).at(-1)).toEqual([]);
    const late = { ...navigation, headers: missing, at: 6 * minute };
    expect(follow(document, prefetch, late).at(-1)).toEqual([]);
    // The page itself asks again for what it shows.
    expect(follow(document, prefetch, { ...navigation, from: '/a', headers: missing }).at(-1)).toEqual(['/a']);
    const shown = { ...navigation, headers: missing };
    expect(follow(document, prefetch, shown, { ...shown, from: '/a' }).at(-1)).toEqual([]);
    expect(follow(document, prefetch, shown, { ...shown, from: '/b' }).at(-1)).toEqual([]);
  });

  it('when something comes from its page, which was not loaded', () => {
    expect(follow(document, prefetch, { kind: 'prefetch', path: '/b', from: '/a' }).at(-1)).toEqual(['/a']);
    const next = { kind: 'prefetch', path: '/b', headers: { 'next-url': '/a' } } as const;
    expect(follow(document, prefetch, next).at(-1)).toEqual(['/a']);
  });

  it('but not when that page was loaded, or is of another site', () => {
    const after = { kind: 'prefetch', path: '/b', from: '/a' } as const;
    expect(follow(document, prefetch, { kind: 'document', path: '/a' }, after).at(-1)).toEqual([]);
    expect(follow({ kind: 'document', path: '/a' }, document, prefetch, after).at(-1)).toEqual([]);
    const other = { kind: 'prefetch', path: '/b', headers: { referer: 'http://other.example/a' } } as const;
    expect(follow(document, prefetch, other).at(-1)).toEqual([]);
    const stranger = { ...after, peer: '192.0.2.9' };
    expect(follow(document, prefetch, stranger).at(-1)).toEqual([]);
  });
});
