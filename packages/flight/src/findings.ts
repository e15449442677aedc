import { findCosts } from './cost-findings.ts';
import type { Finding, Understood } from './finding.ts';
import type { Flight } from './flight.ts';
import { findProblems } from './state-findings.ts';
import { findWaits } from './wait-findings.ts';

const weights: readonly Finding['weight'][] = ['problem', 'wait', 'cost', 'note'];

/** The findings of a payload: problems, waits by time, costs by what they take after compression, notes. */
export function listFindings(flight: Flight, understood: Understood): Finding[] {
  if (flight.bytes.length === 0) return [];
  const found = [...findProblems(flight, understood), ...findWaits(understood.holes), ...findCosts(flight, understood)];
  return found.toSorted((a, b) => weights.indexOf(a.weight) - weights.indexOf(b.weight) || amount(b) - amount(a));
}

function amount({ ms, compressed }: Finding): number {
  return ms ?? compressed ?? 0;
}
