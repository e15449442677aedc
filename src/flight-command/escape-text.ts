/**
 * Text of a payload in a terminal is hostile: an escape sequence may clear the screen, rename the window or type. Controls
 * (C0, DEL, C1), line separators, and what turns the direction of writing are shown as their code.
 */
const unsafe = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;

export function escapeText(text: string): string {
  return text.replace(unsafe, (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`);
}
