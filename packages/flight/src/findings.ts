import { findCosts } from './cost-findings.ts';
import type { Finding, Understood } from './finding.ts';
import type { Flight } from './flight.ts';
import { findProblems } from './state-findings.ts';
import { findLatePromises } from './promise-findings.ts';
import { findWaits } from './wait-findings.ts';

const weights: readonly Finding['weight'][] = ['problem', 'wait', 'cost', 'note'];

/** Problems first, then waits by time, then costs by what they take after compression, then notes. */
export function sortFindings(findings: readonly Finding[]): Finding[] {
  return findings.toSorted((a, b) => weights.indexOf(a.weight) - weights.indexOf(b.weight) || amount(b) - amount(a));
}

/** The findings of a payload's parts: problems, waits by time, costs by what they take after compression, notes. */
export function listFindings(flight: Flight, understood: Understood): Finding[] {
  if (flight.bytes.length === 0) return [];
  return sortFindings([
    ...findProblems(flight, understood),
    ...findWaits(understood.holes, understood.facts.isPrefetch === true),
    ...findLatePromises(flight, understood.promises),
    ...findCosts(flight, understood),
  ]);
}

function amount({ ms, compressed }: Finding): number {
  return ms ?? compressed ?? 0;
}
