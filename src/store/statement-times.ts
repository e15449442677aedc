import type { LogEvent } from 'kysely';

import { createHistogram } from '#src/server/http/histogram.ts';

/** For `/metrics`: how long statements take that are given to the database, waiting for its one connection not counted. */
export const readSeconds = createHistogram();
export const writeSeconds = createHistogram();

/** Kysely's `log`. It says how long a statement took, whether it failed or not. */
export function timeStatement({ query, queryDurationMillis }: LogEvent): void {
  const times = query.query.kind === 'SelectQueryNode' ? readSeconds : writeSeconds;
  times.observe(queryDurationMillis / 1_000);
}
