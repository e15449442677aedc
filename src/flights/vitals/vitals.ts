import * as v from 'valibot';

/**
 * Google's Web Vitals of one document, as its browser told them (packages/report/src/browser/vitals.ts): untrusted. Every part may be
 * missing: browsers do not measure all of them, and who clicks nothing waits for nothing. Times are milliseconds since the navigation
 * began, unless they are lengths.
 */

/** Nobody waits longer for a page than an hour; it is also the most that the list of flights can be asked for. */
const longestMs = 3_600_000;
/** A score adds up shifts of 1 at most within 5 s, of which a screen shows 60 a second. */
const largestScore = 300;
/** Characters; the module cuts to as many. */
const textLimit = 200;

/** Whole characters: half an emoji is none that a database takes. */
export function cutText(text: string): string {
  return text.slice(0, textLimit).replaceAll('\0', '').toWellFormed();
}

const ms = v.pipe(v.number(), v.minValue(0), v.maxValue(longestMs));
const text = v.optional(v.pipe(v.string(), v.transform(cutText)));

const schema = v.object({
  /** The largest element was painted, by its selector; of a picture the address, and how long it was not asked for, came, and waited. */
  lcp: v.optional(v.object({ ms, element: text, address: text, loadDelayMs: ms, loadMs: ms, renderDelayMs: ms })),
  /** The slowest answer to somebody's act: until its code began, while that ran, until the next frame. */
  inp: v.optional(
    v.object({
      ms,
      element: text,
      by: v.optional(v.picklist(['pointer', 'keyboard'])),
      waitedMs: ms,
      workedMs: ms,
      paintedMs: ms,
    }),
  ),
  /** How far elements were moved, and the largest of these moves. */
  cls: v.optional(
    v.object({
      score: v.pipe(v.number(), v.minValue(0), v.maxValue(largestScore)),
      element: text,
      atMs: v.optional(ms),
    }),
  ),
  fcp: v.optional(ms),
  /** The first byte came, and when the document had been asked for. */
  ttfb: v.optional(v.object({ ms, askedMs: ms })),
});

export type Vitals = v.InferOutput<typeof schema>;

/** @returns undefined where it is not what a page tells */
export function readVitals(told: unknown): Vitals | undefined {
  const result = v.safeParse(schema, told);
  return result.success ? result.output : undefined;
}

/** What the column of a flight holds. */
export function parseVitals(json: string | null | undefined): Vitals | undefined {
  if (json === null || json === undefined) return undefined;
  const parsed: unknown = JSON.parse(json);
  return readVitals(parsed);
}
