import { formatCount } from '#flight';
import { escapeText } from '#boundary';

import { fitColumns, wrapColumns } from './columns.ts';

/** For people: at most 80 columns wide, every line of it plain text whatever the payload holds. */
export type Paint = (style: 'title' | 'problem' | 'faint', text: string) => string;

export const columns = 80;

/** Lines of each table but the rows; the JSON has all. */
export const maxLines = 10;

/** One line that fits: what is longer ends with `…`. */
export function fit(text: string, width = columns): string {
  return fitColumns(escapeText(text), width);
}

export function heading(paint: Paint, text: string): string {
  return `\n${paint('title', text)}\n`;
}

/** Words within the width, each line after `indent` spaces. */
export function wrap(text: string, indent: number): Generator<string> {
  return wrapColumns(escapeText(text), columns - indent);
}

export function* printMore(count: number): Generator<string> {
  if (count > maxLines) yield `             and ${formatCount(count - maxLines)} more\n`;
}
