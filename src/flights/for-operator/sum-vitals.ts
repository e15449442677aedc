import 'server-only';

import { coreVitals, type CoreVital } from '../vitals/rate-vital.ts';
import type { Vitals } from '../vitals/vitals.ts';
import { readPercentile } from './percentile.ts';

/** Of several documents: the value within which 75 of 100 were, and how many told it. */
type VitalFigure = { readonly p75: number; readonly pages: number };
/** Undefined: no browser told it. */
export type VitalFigures = Readonly<Record<CoreVital, VitalFigure | undefined>>;

function readValue(vitals: Vitals, name: CoreVital): number | undefined {
  switch (name) {
    case 'lcp':
    case 'inp':
      return vitals[name]?.ms;
    case 'cls':
      return vitals.cls?.score;
  }
}

function sum(told: readonly Vitals[], name: CoreVital): VitalFigure | undefined {
  const values = told.flatMap((vitals) => readValue(vitals, name) ?? []).toSorted((a, b) => a - b);
  return values.length === 0 ? undefined : { p75: readPercentile(values, 0.75), pages: values.length };
}

/** @returns undefined where no browser told anything */
export function sumVitals(told: readonly Vitals[]): VitalFigures | undefined {
  const [lcp, inp, cls] = coreVitals.map((name) => sum(told, name));
  return lcp || inp || cls ? { lcp, inp, cls } : undefined;
}
