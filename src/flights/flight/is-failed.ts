import type { StoredFlight } from './flight-columns.ts';

type Answer = Pick<StoredFlight, 'status' | 'outcome'> & {
  /** None is empty: a list, or the column's text. */
  readonly digests: { readonly length: number };
};

/** What makes an answer a failed one, wherever it is said. ../for-operator/match-flights.ts has the same in SQL. */
export function isFailed({ status, outcome, digests }: Answer): boolean {
  return digests.length > 0 || status >= 500 || outcome === 'failed';
}
