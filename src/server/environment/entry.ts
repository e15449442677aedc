import * as v from 'valibot';

import { escapeText } from '#boundary';

/** What the schema's entries are made of. Each message continues a sentence that begins with the variable's name. */

/** More of a value helps nobody, and a wrong variable can hold a whole file. */
const shownLength = 100;

/** A wrong value as it came, on one line. A password inside an address stays out of logs. */
export function show(text: unknown): string {
  const shown = escapeText(String(text).replace(/\/\/.*@/s, '//…@'));
  return shown.length > shownLength ? `${shown.slice(0, shownLength)}…` : shown;
}

export function mustBe(what: string): (issue: { readonly input: unknown }) => string {
  return ({ input }) => `is ${show(input)}; it must be ${what}`;
}

export const anyText = v.optional(v.string());

/** A number above `least` (not at it), and at most `most`. */
export function createNumber(least: number, most: number) {
  return v.pipe(
    v.string(),
    v.check(
      (given) => Number(given) > least && Number(given) <= most,
      mustBe(`a number above ${least}, and at most ${most}`),
    ),
    v.transform(Number),
  );
}

export const flag = v.optional(
  v.pipe(
    v.picklist(['0', '1'], mustBe('0 or 1')),
    v.transform((given) => given === '1'),
  ),
);
