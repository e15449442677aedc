import * as v from 'valibot';

const ms = v.pipe(v.number(), v.description('Milliseconds since the navigation began, unless it is a length.'));
const text = v.nullable(v.string());

/** Of one document. */
export const vitals = v.object({
  lcp: v.pipe(
    v.nullable(v.object({ ms, element: text, address: text, loadDelayMs: ms, loadMs: ms, renderDelayMs: ms })),
    v.description('Largest Contentful Paint, with the element, and of a picture its address and how long it took.'),
  ),
  inp: v.pipe(
    v.nullable(
      v.object({
        ms,
        element: text,
        by: v.nullable(v.picklist(['pointer', 'keyboard'])),
        waitedMs: ms,
        workedMs: ms,
        paintedMs: ms,
      }),
    ),
    v.description('Interaction to Next Paint: null where nobody did anything.'),
  ),
  cls: v.pipe(
    v.nullable(v.object({ score: v.number(), element: text, atMs: v.nullable(ms) })),
    v.description('Cumulative Layout Shift, with the element of the largest move.'),
  ),
  fcpMs: v.nullable(ms),
  ttfbMs: v.nullable(ms),
});

const figure = v.nullable(
  v.object({
    p75: v.pipe(v.number(), v.description('Milliseconds, or the score of CLS, within which 75 of 100 pages were.')),
    pages: v.pipe(v.number(), v.integer(), v.description('How many it is from.')),
  }),
);

/** Of a route's documents. */
export const vitalFigures = v.object({ lcp: figure, inp: figure, cls: figure });

export type VitalsItem = v.InferOutput<typeof vitals>;
