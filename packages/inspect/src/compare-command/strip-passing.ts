/**
 * What a text has that is of one build or one moment: hashes in the names of files, ids of server functions, dates, ids. Two texts that
 * are the same without it are no change of the app.
 */
const passing: readonly (readonly [pattern: RegExp, instead: string])[] = [
  // A file's name with a hash of its content: main-4f9a0c1d.js, 0nx3~8.css, /_next/static/chunks/…
  [/(?<![\w~.-])[\w~.-]{6,}(?=\.(?:m?js|css|woff2?|png|jpe?g|gif|svg|webp|avif|ico|json|txt)\b)/g, '#'],
  // The version of a deployment, behind a file's name.
  [/([?&](?:dpl|v|ver|ts)=)[\w.-]+/g, '$1#'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '#'],
  // Hashes: git's are 40 digits, MD5 has 32. Ids of server functions have 40 or 42.
  [/\b[0-9a-f]{32,}\b/gi, '#'],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?/g, '#'],
  [/\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? \d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT/g, '#'],
  // Milliseconds since 1970, from 2001 to 2286.
  [/\b[1-9]\d{12}\b/g, '#'],
  // React's useId, of several versions.
  [/[:«_][rRS][\w-]*[:»_]/g, '#'],
];

export function stripPassing(text: string): string {
  return passing.reduce((stripped, [pattern, instead]) => stripped.replace(pattern, instead), text);
}

/** A finding's title without what is another in the next answer: numbers, rows, digests, times. */
export function stripFigures(title: string): string {
  return stripPassing(title)
    .replace(/\brows? [0-9a-f.]+(?:, [0-9a-f]+\b)*(?: and [0-9a-f]+\b)?/gi, 'row #')
    .replace(/(?<=(?:never came|not sent): )[0-9a-f]+(?:, [0-9a-f]+\b)*(?: and [0-9a-f]+\b)?/g, '#')
    .replace(/\b[0-9A-Z]{5}-[0-9A-Z]{5}\b/g, '#')
    .replace(/(?<![\d.,])[\d.,]*\d(?: ?(?:[kMG]?i?B|m?s|%|bytes?)\b)?/g, '#');
}
