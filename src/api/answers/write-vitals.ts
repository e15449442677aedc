import { parseVitals } from '#src/flights/vitals/vitals.ts';

import type { VitalsItem } from '../schemas/vitals.ts';

/** @param json as the flight has it */
export function writeVitals(json: string | undefined): VitalsItem | null {
  const vitals = parseVitals(json);
  if (!vitals) return null;
  const { lcp, inp, cls, fcp, ttfb } = vitals;
  return {
    lcp: lcp ? { ...lcp, element: lcp.element ?? null, address: lcp.address ?? null } : null,
    inp: inp ? { ...inp, element: inp.element ?? null, by: inp.by ?? null } : null,
    cls: cls ? { ...cls, element: cls.element ?? null, atMs: cls.atMs ?? null } : null,
    fcpMs: fcp ?? null,
    ttfbMs: ttfb?.ms ?? null,
  };
}
