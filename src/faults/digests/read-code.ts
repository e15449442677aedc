import 'server-only';

import { parseDigest } from '#report/digest.ts';

/**
 * What may be a digest in what somebody typed or pasted: the code alone, in any spelling, or the whole sentence of an error page.
 * The stored forms it may have, the likeliest first; which of them exists, the database knows.
 *
 * Ours have ten characters (packages/report/src/digest.ts). Next's are decimal numbers, sometimes with a suffix:
 * `2338734591@E394`. Others may be anything printable, without a space when they stand among other words.
 */

/** Longer than any error page's sentence with an address in it. */
export const longestPasted = 1_000;
/** Each costs a look into an index. */
const candidatesKept = 12;
/** As apps may have it: docs/sentry-sdks.md. */
const anyDigest = /^[!-~](?:[ -~]{0,62}[!-~])?$/;

const afterLabel = /digest["'“”‘’`]?\s*[:=]?\s*["'“”‘’`]?([!-~]{1,80})/gi;
const inAddress = /\/digest\/([^\s/?#"'<>]{1,200})/i;
const decimal = /(?<![\w.:/-])\d{5,10}(?:@[A-Z]\d{1,6})?(?![\w:-])/g;
/** As somebody reads it out: `3890 4217`. */
const inGroups = /^\d{1,6}(?:\s+\d{1,6}){1,9}$/;
const ours = /(?<![\w-])[0-9A-Za-z]{5}[-–—][0-9A-Za-z]{5}(?![\w-])/g;

/** A text with a percent sign that encodes nothing is meant as it is. */
function decodeTyped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A part of a page's address, as `digestPath` writes it: what has a slash twice. */
export function decodePart(part: string): string {
  const once = decodeTyped(part);
  return /%(?:2f|5c)/i.test(once) ? decodeTyped(once) : once;
}

/** Quotes, brackets and a sentence's end around a code are mostly no part of it. */
function trimMarks(text: string): string {
  return text.replace(/^[\s"'`“”‘’«»([{<]+/, '').replace(/[\s"'`“”‘’«»)\]}>.,;:!?]+$/, '');
}

function addEach(to: Set<string>, texts: readonly (string | undefined)[]): void {
  for (const text of texts) {
    const plain = text === undefined ? '' : trimMarks(text);
    const own = parseDigest(plain);
    // An app's own may begin or end with a mark: as it was written it goes first.
    for (const code of [text, plain, own]) {
      if (code !== undefined && anyDigest.test(code) && !code.includes(' ')) to.add(code);
    }
  }
}

/** Empty when nothing in `typed` can be one. */
export function readCodes(typed: string): string[] {
  const text = typed.slice(0, longestPasted).trim();
  const found = new Set<string>();
  const isOneWord = !/\s/.test(text);
  const named = inAddress.exec(text)?.[1];
  // Spaces in the middle of a digest of ours are read as its hyphen is.
  const own = parseDigest(text);
  if (own !== undefined) found.add(own);
  if (named !== undefined) addEach(found, [decodePart(named)]);
  if (isOneWord && named === undefined && !text.includes('://')) addEach(found, [text]);
  const digits = inGroups.test(text) ? text.replace(/\s+/g, '') : '';
  if (digits.length >= 5 && digits.length <= 10) found.add(digits);
  addEach(
    found,
    Array.from(text.matchAll(afterLabel), (match) => match[1]),
  );
  addEach(
    found,
    Array.from(text.matchAll(ours), ([match]) => match),
  );
  addEach(
    found,
    Array.from(text.matchAll(decimal), ([match]) => match),
  );
  return [...found].slice(0, candidatesKept);
}

/** The same, and first the whole text: a digest of an app's own may have spaces, as any words have. So it is only looked up. */
export function readAnyCode(typed: string): string[] {
  const whole = typed.trim();
  const codes = readCodes(whole);
  return anyDigest.test(whole) && !codes.includes(whole) ? [whole, ...codes] : codes;
}
