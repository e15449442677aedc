/** The place of `row` in a sorted list; where it would stand when it is not in it. */
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

/** Lines the page keys move by: about what is seen at once. */
const pageLines = 12;

/** Where a key leads from line `from` of `count`; undefined for a key that does not move. */
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
