/**
 * Places for bodies that somebody outside sends, as slowly as they like. A body that is sent in one go is read at once, so the oldest
 * reader is a slow client: when the places are full it is the one that gives way, of whoever has most. A new client is never turned away
 * because of slow ones. While a body is worked on, it keeps its place; and whoever has three times as many places as are free of work
 * gets no more, so the work of one keeps nobody else out.
 */
export type ReadingPlaces = {
  /**
   * @param who an app's id, or a network: who shares a place with whom
   * @param giveWay ends the reading
   * @returns undefined when there is none, for too many are being worked on
   */
  readonly enter: (who: string, giveWay: () => void) => ReadingPlace | undefined;
};

export type ReadingPlace = {
  /** It has been read. */
  readonly keep: () => void;
  /** May be called again. */
  readonly leave: () => void;
};

export type ReadingLimits = {
  readonly all: number;
  /** Of one of them, while they are read. */
  readonly own?: number;
};

type Reader = { readonly who: string; readonly giveWay: () => void };

/** How many times what is free one of them may have. */
const share = 3;

export function createReadingPlaces({ all, own = all }: ReadingLimits): ReadingPlaces {
  // Each the oldest first.
  const reading = new Set<Reader>();
  const worked = new Set<Reader>();

  function findSlow(who: string): Reader | undefined {
    const byWho = Map.groupBy(reading, (reader) => reader.who);
    const same = byWho.get(who) ?? [];
    if (same.length >= own) return same[0];
    if (reading.size + worked.size < all) return undefined;
    return [...byWho.values()].toSorted((a, b) => b.length - a.length)[0]?.[0];
  }

  function countOf(who: string): number {
    let count = 0;
    for (const readers of [reading, worked]) for (const reader of readers) if (reader.who === who) count += 1;
    return count;
  }

  return {
    enter(who, giveWay) {
      if (countOf(who) >= share * (all - worked.size)) return undefined;
      const slow = findSlow(who);
      if (slow) {
        reading.delete(slow);
        slow.giveWay();
      } else if (reading.size + worked.size >= all) return undefined;
      const reader = { who, giveWay };
      reading.add(reader);
      return {
        keep() {
          if (reading.delete(reader)) worked.add(reader);
        },
        leave() {
          reading.delete(reader);
          worked.delete(reader);
        },
      };
    },
  };
}
