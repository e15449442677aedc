/**
 * Places times in a picture of which most time is empty. A pause is drawn no longer than `longestGap`, so that ten
 * flights of one second stay distinct in a visit of an hour.
 */
export type TimeAxis = {
  /** The length of the whole picture, after pauses were shortened. */
  readonly length: number;
  /** From 0 to `length`. Times before the first and after the last are placed at the ends. */
  readonly place: (time: number) => number;
};

export type Span = { readonly start: number; readonly end: number };

/** @param longestGap milliseconds */
export function createTimeAxis(spans: readonly Span[], longestGap: number): TimeAxis {
  const sorted = spans.toSorted((a, b) => a.start - b.start);
  const first = sorted[0]?.start ?? 0;
  /** The places where the picture's scale changes: a time and its place. */
  const marks: { time: number; at: number }[] = [{ time: first, at: 0 }];
  let reached = first;
  let at = 0;
  function advance(to: number, by: number): void {
    at += by;
    reached = to;
    marks.push({ time: to, at });
  }
  for (const { start, end } of sorted) {
    if (start > reached) advance(start, Math.min(start - reached, longestGap));
    if (end > reached) advance(end, end - reached);
  }

  function place(time: number): number {
    const index = marks.findIndex((mark) => mark.time >= time);
    if (index === -1) return at;
    const [before, after] = [marks[index - 1], marks[index]];
    if (!before || !after) return 0;
    const share = (time - before.time) / Math.max(1, after.time - before.time);
    return before.at + share * (after.at - before.at);
  }
  return { length: at, place };
}
