/**
 * Strangers' text in a terminal or a log viewer is hostile: an escape sequence clears the screen, renames the window or
 * types, a turn of the writing's direction shows a line that says something else, and a separator begins a new line. What
 * is acted on or is not seen is shown as its code: controls (C0, DEL, C1), formats (direction, joiners, marks of no width,
 * tags), separators of lines and paragraphs, and halves of characters.
 *
 * The code is JSON's, `\u001b`, one for each UTF-16 unit: in JSON the escaped text is still the same value, since none of
 * these stands outside of a string there. The layers that print import this one; it imports nothing.
 */
const actedOn = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

function toCode(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

export function escapeText(text: string): string {
  return text.replace(actedOn, (character) => character.split('').map(toCode).join(''));
}

/** `JSON.stringify` without line breaks, which leaves all but C0 and halves of characters as they are. */
export function toPlainJson(value: unknown): string {
  return escapeText(JSON.stringify(value));
}
