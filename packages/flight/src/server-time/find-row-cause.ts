/** What a row may have waited for, in milliseconds since the flight began. */
export type RowCause = { readonly name: string; readonly from: number; readonly until: number };

/** From an answer to the row that was made with it: rendering, a busy thread, and the way to whoever saw it. */
const renderedMs = 25;
/** A request that was short beside the wait does not explain it. */
const explainedShare = 0.5;

/**
 * What a row that was waited for perhaps waited for: what ended right before it came, and took most of the wait. By times alone, so it
 * may be another.
 */
export function findRowCause<Cause extends RowCause>(
  causes: readonly Cause[],
  from: number,
  until: number,
): Cause | undefined {
  return causes
    .filter((cause) => cause.until <= until + 1 && cause.until >= until - renderedMs)
    .filter((cause) => cause.until - Math.max(from, cause.from) >= (until - from) * explainedShare)
    .toSorted((a, b) => b.until - b.from - (a.until - a.from))[0];
}
