/** What an entry is found by. */
export type Searched = { readonly text: string; readonly token: string };

const quotes = /["“”]/g;

/** Whether the text has all parts, one after the other. */
function hasInOrder(text: string, parts: readonly string[]): boolean {
  let at = 0;
  for (const part of parts) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return true;
}

/**
 * Reads what somebody looks for, as it stands in a payload or a guide: quotes do not count, and `…` is any text. A token is looked for
 * as it is written: `$S` is not `$s`. Words are found in any case.
 * @returns undefined where nothing is looked for
 */
export function readQuery(query: string): ((entry: Searched) => boolean) | undefined {
  const parts = query
    .replace(quotes, '')
    .split('…')
    .map((part) => part.trim());
  const length = parts.join('').length;
  if (length === 0) return undefined;
  const words = parts.map((part) => part.toLowerCase());
  return ({ text, token }) =>
    hasInOrder(token, parts) || (length > 1 && hasInOrder(text.replace(quotes, '').toLowerCase(), words));
}
