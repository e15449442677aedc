import { describe, expect, it } from 'vitest';

import { createPlacer, minute } from './testing/place-steps.ts';

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

  it('belongs to the tab that is at a page, and not to one that was just opened and could have come there', () => {
    const place = createPlacer();
    const first = place({ kind: 'document', path: '/' }).traceId;
    const second = place({ kind: 'document', path: '/links', at: 3 }).traceId;
    place({ kind: 'prefetch', path: '/', from: '/links', at: 800 });
    expect(place({ kind: 'prefetch', path: '/a', from: '/', at: 831 }).traceId).toBe(first);
    expect(place({ kind: 'navigation', path: '/b', from: '/', at: 900 }).traceId).toBe(first);
    // Seconds later nobody has to be on the older page any more.
    expect(place({ kind: 'prefetch', path: '/c', from: '/', at: 9_000 }).traceId).toBe(second);
  });

  it('a step back belongs to the tab that has shown the page, where a click would have named another one', () => {
    for (const [framework, expected] of [
      ['react-router', 'first'],
      ['waku', 'first'],
      ['redwood', 'second'],
    ] as const) {
      const place = createPlacer();
      const look = { framework };
      const traces = {
        first: place({ kind: 'document', path: '/', look }).traceId,
        second: '',
      };
      place({ kind: 'navigation', path: '/a', from: '/', at: 100, look });
      traces.second = place({ kind: 'document', path: '/b', at: 10_000, look }).traceId;
      place({ kind: 'navigation', path: '/c', from: '/b', at: 11_000, look });
      expect(place({ kind: 'navigation', path: '/', from: '/', at: 20_000, look }).traceId).toBe(traces[expected]);
      expect(place({ kind: 'navigation', path: '/b', from: '/b', at: 30_000, look }).traceId).toBe(traces.second);
      // Nobody has shown it: the tab was loaded anew after it.
      expect(place({ kind: 'navigation', path: '/z', from: '/z', at: 40_000, look }).traceId).toBe(traces.second);
    }
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

it('visitors that were forgotten take no room from others', () => {
  const place = createPlacer();
  const ahead = { 'next-router-prefetch': '1' };
  for (let index = 0; index < 104_100; index += 1) {
    const kind = index < 102_000 ? 'prefetch' : 'document';
    place({ kind, path: '/a', headers: { ...ahead, 'user-agent': String(index) } });
  }
  const { visit } = place({ kind: 'document', path: '/' });
  place({ kind: 'prefetch', path: '/b', from: '/', headers: ahead });
  place({ kind: 'prefetch', path: '/c', headers: { ...ahead, 'user-agent': 'another' } });
  expect(place({ kind: 'navigation', path: '/d', from: '/' }).visit).toBe(visit);
});

it('the visitor with most prefetches is forgotten first', () => {
  const place = createPlacer();
  const ahead = { 'next-router-prefetch': '1' };
  const { visit } = place({ kind: 'document', path: '/' });
  for (let agent = 0; agent < 6; agent += 1) {
    const headers = { ...ahead, 'user-agent': `greedy ${agent}` };
    for (let index = 0; index < 20_000; index += 1) place({ kind: 'prefetch', path: `/${index}`, headers });
  }
  expect(place({ kind: 'navigation', path: '/d', from: '/' }).visit).toBe(visit);
});
