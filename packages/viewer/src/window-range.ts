/**
 * Which lines of a long list are drawn. All lines have the same height, so a line's position is a product. Browsers cap
 * an element's height (Firefox at about 17 million pixels, Chromium at 33), and a million lines reach that. A taller
 * list is scrolled at a larger scale; the keys still move line by line.
 */
const tallestList = 15_000_000;

export type WindowRange = {
  /** The lines drawn, `[from, to)`. */
  readonly from: number;
  readonly to: number;
  /** Where line `from` is drawn, in pixels from the top of the list. */
  readonly offset: number;
  /** The height of the whole list. */
  readonly height: number;
};

export type ListSize = { readonly count: number; readonly lineHeight: number; readonly viewHeight: number };

/** How many lines are drawn above and below the visible ones, so that a scroll shows lines before it is handled. */
const margin = 8;

export function readWindowRange({ count, lineHeight, viewHeight }: ListSize, scrollTop: number): WindowRange {
  const full = count * lineHeight;
  const height = Math.min(full, tallestList);
  const scrollable = Math.max(1, height - viewHeight);
  const isScaled = full > tallestList;
  const top = isScaled ? (scrollTop / scrollable) * (full - viewHeight) : scrollTop;
  const first = Math.floor(top / lineHeight);
  const from = Math.max(0, Math.min(first, count) - margin);
  const to = Math.min(count, Math.ceil((top + viewHeight) / lineHeight) + margin);
  return { from, to, offset: isScaled ? scrollTop + (from * lineHeight - top) : from * lineHeight, height };
}

/** Where to scroll so that `line` is in view; the given position when it already is. */
export function scrollToLine(size: ListSize, scrollTop: number, line: number): number {
  const { count, lineHeight, viewHeight } = size;
  const full = count * lineHeight;
  const height = Math.min(full, tallestList);
  const scale = full > tallestList ? (height - viewHeight) / (full - viewHeight) : 1;
  const top = scrollTop / scale;
  const wanted =
    line * lineHeight < top
      ? line * lineHeight
      : (line + 1) * lineHeight > top + viewHeight
        ? (line + 1) * lineHeight - viewHeight
        : undefined;
  return wanted === undefined ? scrollTop : Math.max(0, wanted) * scale;
}
