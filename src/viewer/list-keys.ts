/** The index of `row` in a sorted list, or the index at which it would be inserted. */
export function findPlace(rows: ArrayLike<number>, row: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle] ?? 0) < row) low = middle + 1;
    else high = middle;
  }
  return low;
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
