import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';

import type { RouteTotals } from '#src/flights/for-operator/summaries.ts';

import { parseFlightQuery } from './flight-query.ts';
import { RouteVitals } from './route-vitals.tsx';

const sizes = { bytes: 40_000, responseBytes: undefined, transferredBytes: undefined };
const total: RouteTotals = {
  route: '/cart',
  kind: 'document',
  flights: 5,
  withFlight: 4,
  failures: 0,
  p50Ms: 10,
  p95Ms: 20,
  p99Ms: 30,
  vitals: undefined,
  ...sizes,
};

/** What a reader gets, with a space where a tag was. */
function render(...totals: readonly RouteTotals[]): string {
  const html = renderToStaticMarkup(<RouteVitals totals={totals} query={parseFlightQuery('')} />);
  return html.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
}

it('has each figure with its rating and the pages that it is from, beside what was sent', () => {
  const vitals = { lcp: { p75: 4_100, pages: 3 }, inp: undefined, cls: { p75: 0.1234, pages: 1 } };
  const text = render({ ...total, vitals }, { ...total, route: '/about' }, { ...total, kind: 'navigation' });
  expect(text).toContain('/cart 4.1 s poor of 3 unknown 0.123 needs work of 1 5 10 kB 20 ms');
  expect(text).toContain('/about unknown unknown unknown 5 10 kB 20 ms');
  expect(text.match(/\/cart/g)).toHaveLength(1);
  expect(text).toContain('up to 2.5 s, 200 ms and 0.1 good, and more than 4 s, 500 ms and 0.25 poor');
});

it('says that they are unknown where no browser told any, and nothing where there are no pages', () => {
  expect(render(total)).toContain('no browser reported any for these pages');
  expect(render({ ...total, kind: 'action' })).toBe('');
});
