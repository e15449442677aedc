/**
 * Places for bodies that are large enough to be few. While one is being read, it gives way to a new one of whoever has fewer: a body
 * that is sent in one go is read long before, so it is a slow one that loses. While it is worked on, it keeps its place.
 */
export type LargeBodies = {
  /**
   * @param giveWay ends the reading
   * @returns undefined when all that are there are being worked on
   */
  readonly enter: (app: string, giveWay: () => void) => LargePlace | undefined;
};

export type LargePlace = {
  /** It has been read. */
  readonly keep: () => void;
  readonly leave: () => void;
};

type Reader = { readonly app: string; readonly giveWay: () => void };

export function createLargeBodies(limit: number): LargeBodies {
  // Each the oldest first.
  const reading = new Set<Reader>();
  const worked = new Set<Reader>();

  /** Of the app that has most. */
  function findOldestOfMost(): Reader | undefined {
    const byApp = Map.groupBy(reading, ({ app }) => app);
    return [...byApp.values()].toSorted((a, b) => b.length - a.length)[0]?.[0];
  }

  return {
    enter(app, giveWay) {
      if (reading.size + worked.size >= limit) {
        const oldest = findOldestOfMost();
        if (!oldest) return undefined;
        reading.delete(oldest);
        oldest.giveWay();
      }
      const reader = { app, giveWay };
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
