/** Those that Google calls core, and rates a site by. */
export const coreVitals = ['lcp', 'inp', 'cls'] as const;
export type CoreVital = (typeof coreVitals)[number];
export type VitalName = CoreVital | 'fcp' | 'ttfb';

/** Where the thresholds come from. */
export const thresholdsSource = 'https://web.dev/articles/defining-core-web-vitals-thresholds';

/** Up to the first it is good, beyond the second poor: https://web.dev/articles/vitals, and of each its own article there. */
export const thresholds = {
  lcp: [2_500, 4_000],
  inp: [200, 500],
  cls: [0.1, 0.25],
  fcp: [1_800, 3_000],
  ttfb: [800, 1_800],
} as const satisfies Record<VitalName, readonly [number, number]>;

export type Rating = 'good' | 'needs work' | 'poor';

export function rateVital(name: VitalName, value: number): Rating {
  const [good, poor] = thresholds[name];
  if (value <= good) return 'good';
  return value <= poor ? 'needs work' : 'poor';
}
