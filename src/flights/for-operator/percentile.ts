import 'server-only';

/** The nearest rank: always one that was measured. 0 of nothing. */
export function readPercentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}
