/**
 * Makes a stranger's text safe for a terminal or a log viewer. There an escape sequence can clear the screen, rename the
 * window or type a command; a bidirectional control can make a line look like another one; a separator begins a new line.
 * So each character that is acted on, or that nobody sees, is shown as its code: controls (C0, DEL, C1), formats
 * (direction, joiners, zero width, tags), line and paragraph separators, and lone surrogates.
 *
 * The code is JSON's, `\u001b`, one for each UTF-16 unit. In JSON the escaped text has the same value, because none of these
 * characters stands outside a string there. The browser uses this module too: it imports nothing.
 */
const actedOn = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

function toCode(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

export function escapeText(text: string): string {
  return text.replace(actedOn, (character) => character.split('').map(toCode).join(''));
}

/** `JSON.stringify` itself escapes C0 and lone surrogates alone. */
export function toPlainJson(value: unknown): string {
  return escapeText(JSON.stringify(value));
}
