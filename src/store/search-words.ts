/**
 * Words as SQLite's full-text search makes them (`unicode61 remove_diacritics 2`), for PostgreSQL: letters and digits that follow each
 * other, in lower case, `é` as `e`. PostgreSQL's own parser would take `src/cart.ts` for one word and `pay.test` for a host.
 */
const wordForm = /[\p{L}\p{N}\p{Co}]+/gu;
/** Marks on Latin letters alone: those of other scripts tell words apart. */
const accents = /([a-z])[\u0300-\u036F]+/g;

/** A `tsvector` counts words up to this one, and keeps 255 places of each. */
const placesCounted = 16_383;
const placesKept = 255;
/** In UTF-8 a character takes four bytes at most, and a word of a `tsvector` 2,046. */
const longestWord = 500;

function listWords(text: string): string[] {
  const plain = text.toLowerCase().normalize('NFD').replace(accents, '$1').normalize('NFC');
  return (plain.match(wordForm) ?? []).map((word) => word.slice(0, longestWord));
}

/** Quotes a word of letters and digits alone, so nothing in it needs an escape. */
function quote(word: string): string {
  return `'${word}'`;
}

/** A `tsvector` as text: each word with its places. */
export function writeWords(text: string): string {
  const places = new Map<string, number[]>();
  for (const [index, word] of listWords(text).entries()) {
    const known = places.get(word) ?? [];
    if (known.length < placesKept && index < placesCounted) known.push(index + 1);
    places.set(word, known);
  }
  return [...places].map(([word, at]) => `${quote(word)}${at.length === 0 ? '' : `:${at.join(',')}`}`).join(' ');
}

/**
 * What `writeMatch` made for SQLite, as a `tsquery`: each text in quotes is a phrase, a star after it leaves its last word unfinished.
 * Undefined where there is no word.
 */
export function writeQuery(match: string): string | undefined {
  const phrases = [...match.matchAll(/"([^"]*)"( \*)?/g)].flatMap(([, text = '', star]) => {
    const words = listWords(text).map(quote);
    return words.length === 0 ? [] : `(${words.join(' <-> ')}${star === undefined ? '' : ':*'})`;
  });
  return phrases.length === 0 ? undefined : phrases.join(' & ');
}
