/**
 * Counts that `/metrics` reads when somebody asks for them. Until then they are plain numbers in memory: a count takes some 20
 * nanoseconds, so it may stand where a request passes.
 *
 * Each count has two words. Most come from a closed list in our code. Where one does not (an app's id), the number of different
 * first words is bounded, and what is beyond that is counted as `other`: nobody outside can make the output grow.
 */
export type Tally = {
  readonly add: (first: string, second: string, by?: number) => void;
  readonly read: () => readonly Counted[];
};

type Counted = { readonly first: string; readonly second: string; readonly value: number };

/** More first words than any closed list of ours has, and as many apps as one looks at in a dashboard. */
const firstWordsLimit = 100;
export const otherWord = 'other';

export function createTally(limit: number = firstWordsLimit): Tally {
  const counts = new Map<string, Map<string, number>>();

  function findRow(first: string): Map<string, number> {
    const known = counts.get(first);
    if (known) return known;
    if (counts.size >= limit && first !== otherWord) return findRow(otherWord);
    const row = new Map<string, number>();
    counts.set(first, row);
    return row;
  }

  return {
    add(first, second, by = 1) {
      const row = findRow(first);
      row.set(second, (row.get(second) ?? 0) + by);
    },
    read: () => [...counts].flatMap(([first, row]) => [...row].map(([second, value]) => ({ first, second, value }))),
  };
}
