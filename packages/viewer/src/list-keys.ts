import { countBefore } from '#flight';

/** The index of `row` in a sorted list, or the index at which it would be inserted. */
export function findPlace(rows: ArrayLike<number>, row: number): number {
  return countBefore(rows.length, (index) => (rows[index] ?? 0) < row);
}

/** How many lines the page keys move: about one screen. */
const pageLines = 12;

/** The line to which a key moves from line `from` of `count`; undefined for a key that does not move. */
export function moveTo(key: string, from: number, count: number): number | undefined {
  const moves: Record<string, number> = {
    ArrowDown: from + 1,
    ArrowUp: from - 1,
    PageDown: from + pageLines,
    PageUp: from - pageLines,
    Home: 0,
    End: count - 1,
  };
  const wanted = moves[key];
  return wanted === undefined || count === 0 ? undefined : Math.max(0, Math.min(count - 1, wanted));
}
