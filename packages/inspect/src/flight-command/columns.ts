/**
 * How many columns of a terminal a text takes. Chinese, Japanese and Korean characters and emoji take two, marks that combine
 * with the character before them none: Unicode's UAX #11, of which these are the ranges that are Wide or Fullwidth. The emoji
 * among them have a property of their own. Characters that a terminal obeys or does not show are escaped before
 * (packages/boundary/src/escape-text.ts), so joined emoji come apart. The command runs without any package, so this is no library.
 */
const wide =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115f\u2329\u232a\u2630-\u2637\u268a-\u268f\u2e80-\u2e99\u2e9b-\u2ef3\u2f00-\u2fd5\u2ff0-\u303e\u3041-\u3096\u3099-\u30ff\u3105-\u312f\u3131-\u318e\u3190-\u31e5\u31ef-\u321e\u3220-\u3247\u3250-\ua48c\ua490-\ua4c6\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe52\ufe54-\ufe66\ufe68-\ufe6b\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{16fe4}\u{16ff0}-\u{16ff6}\u{17000}-\u{18cd5}\u{18cff}-\u{18d1e}\u{18d80}-\u{18df2}\u{1aff0}-\u{1aff3}\u{1aff5}-\u{1affb}\u{1affd}\u{1affe}\u{1b000}-\u{1b122}\u{1b132}\u{1b150}-\u{1b152}\u{1b155}\u{1b164}-\u{1b167}\u{1b170}-\u{1b2fb}\u{1d300}-\u{1d356}\u{1d360}-\u{1d376}\u{1f200}-\u{1f202}\u{1f210}-\u{1f23b}\u{1f240}-\u{1f248}\u{1f250}\u{1f251}\u{1f260}-\u{1f265}\u{20000}-\u{2fffd}\u{30000}-\u{3fffd}])/u;
/** Of one character: not a half of a flag, which takes one column by itself. */
const half = /^\p{Regional_Indicator}$/u;
const combining = /^[\p{Mn}\p{Me}]+$/u;
/** Asks for the coloured form of what is else text: `☀` takes one column, `☀️` two. */
const asEmoji = '\ufe0f';
const plain = /^[\x20-\x7e\u00a1-\u00ff…×–—]*$/;

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Counts the columns of what a person sees as one character. */
function countOfCharacter(character: string): number {
  if (combining.test(character)) return 0;
  if (half.test(character)) return 1;
  return wide.test(character) || character.includes(asEmoji) ? 2 : 1;
}

export function countColumns(text: string): number {
  if (plain.test(text)) return text.length;
  let columns = 0;
  for (const { segment } of graphemes.segment(text)) columns += countOfCharacter(segment);
  return columns;
}

/** UTF-16 units of one character with its marks, in writing that people read. Of one with more, the rest is cut. */
const longestCharacter = 16;

/** Lines of whole words, none wider than `width`. */
export function* wrapColumns(text: string, width: number): Generator<string> {
  let line = '';
  for (const word of text.split(' ')) {
    const isFull = countColumns(line) + countColumns(word) + 1 > width && line !== '';
    if (isFull) {
      yield line;
      line = '';
    }
    line = line === '' ? fitColumns(word, width) : `${line} ${word}`;
  }
  if (line !== '') yield line;
}

/** What is wider than `width` ends with `…`, between two characters. */
export function fitColumns(text: string, width: number): string {
  if (text.length <= width && plain.test(text)) return text;
  // A row's text can be a megabyte, and what comes after this does not fit.
  const start = text.slice(0, width * longestCharacter);
  let columns = 0;
  let kept = '';
  for (const { segment } of graphemes.segment(start)) {
    columns += countOfCharacter(segment);
    if (columns > width) return `${kept}…`;
    if (columns < width) kept += segment;
  }
  return start.length < text.length ? `${kept}…` : text;
}
