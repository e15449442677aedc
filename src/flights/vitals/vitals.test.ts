import { expect, it } from 'vitest';

import { sumVitals } from '../for-operator/sum-vitals.ts';
import { coreVitals, rateVital } from './rate-vital.ts';
import { parseVitals, readVitals, type Vitals } from './vitals.ts';

const lengths = { loadDelayMs: 0, loadMs: 0, renderDelayMs: 0 };

function lcp(ms: number): Vitals {
  return { lcp: { ms, ...lengths } };
}

it('takes what a page tells, whichever part is missing, and brings it back from the recording', () => {
  const told: Vitals = {
    lcp: { ms: 1_400, element: '#hero', address: '/hero.png', loadDelayMs: 10, loadMs: 900, renderDelayMs: 40 },
    inp: { ms: 96, element: 'main>button', by: 'pointer', waitedMs: 2, workedMs: 80, paintedMs: 14 },
    cls: { score: 0.31, element: 'main>p', atMs: 1_500 },
    fcp: 700,
    ttfb: { ms: 450, askedMs: 12 },
  };
  expect(readVitals({ id: 'x', more: 1, ...told })).toEqual(told);
  expect(parseVitals(JSON.stringify(told))).toEqual(told);
  expect(readVitals({ cls: { score: 0 } })).toEqual({ cls: { score: 0 } });
  expect(parseVitals(null)).toBeUndefined();
});

it('takes nothing of what cannot be', () => {
  const longer = { ms: 3_600_001, ...lengths };
  for (const wrong of [null, 'x', { lcp: longer }, { lcp: { ms: 1 } }, { cls: { score: 301 } }, { fcp: -1 }]) {
    expect(readVitals(wrong)).toBeUndefined();
  }
  expect(readVitals({ cls: { score: 1, element: `a\0${'b'.repeat(300)}` } })?.cls?.element).toBe(`a${'b'.repeat(198)}`);
});

it('sums each over the pages that told it: three of four were as fast', () => {
  const told = [lcp(100), lcp(400), lcp(200), lcp(300), { cls: { score: 0.3 } }];
  expect(sumVitals(told)).toEqual({
    lcp: { p75: 300, pages: 4 },
    inp: undefined,
    cls: { p75: 0.3, pages: 1 },
  });
  expect(sumVitals([{ fcp: 3 }])).toBeUndefined();
});

it('rates by the thresholds that Google publishes, which belong to the better side', () => {
  expect([2_500, 2_501, 4_000, 4_001].map((ms) => rateVital('lcp', ms))).toEqual([
    'good',
    'needs work',
    'needs work',
    'poor',
  ]);
  expect(coreVitals.map((name) => rateVital(name, 0.2))).toEqual(['good', 'good', 'needs work']);
  expect(rateVital('inp', 501)).toBe('poor');
});
