import { toNetwork } from './to-network.ts';

/**
 * Whose forms are being read, where anybody may send one. A form that is there is read in no time, so whoever has been
 * reading for long is slow, and gives way: the one that comes new is never turned away for those that are slow.
 */
export type ReadingRoom = {
  /** @param giveWay called when another one needs the place */
  readonly enter: (address: string, giveWay: () => void) => () => void;
};

export type ReadingLimits = {
  /** For a network, see to-network.ts. */
  readonly own: number;
  readonly all: number;
};

type Reader = { readonly network: string; readonly giveWay: () => void };

export function createReadingRoom({ own, all }: ReadingLimits): ReadingRoom {
  // The oldest first.
  const readers = new Set<Reader>();

  function readersOf(network: string): Reader[] {
    return [...readers].filter((reader) => reader.network === network);
  }

  /** Of the network that has most. */
  function findOldestOfMost(): Reader | undefined {
    const byNetwork = Map.groupBy(readers, ({ network }) => network);
    let most: readonly Reader[] = [];
    for (const group of byNetwork.values()) if (group.length > most.length) most = group;
    return most[0];
  }

  function findSlow(network: string): Reader | undefined {
    const sameNetwork = readersOf(network);
    if (sameNetwork.length >= own) return sameNetwork[0];
    return readers.size >= all ? findOldestOfMost() : undefined;
  }

  return {
    enter(address, giveWay) {
      const network = toNetwork(address);
      const slow = findSlow(network);
      if (slow) {
        readers.delete(slow);
        slow.giveWay();
      }
      const reader = { network, giveWay };
      readers.add(reader);
      return () => void readers.delete(reader);
    },
  };
}
