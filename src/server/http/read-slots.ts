import { toNetwork } from './to-network.ts';

/**
 * Slots for bodies that are being read where strangers may send one. A body that is sent in one go is read at once, so the
 * oldest reader is a slow client. When the slots are full it is the one that loses its slot: a new client is never turned
 * away because of slow ones.
 */
export type ReadSlots = {
  /** @param giveWay called when a new reader takes the slot. @returns gives the slot back */
  readonly enter: (address: string, giveWay: () => void) => () => void;
};

export type ReadSlotLimits = {
  /** For a network, see to-network.ts. */
  readonly own: number;
  readonly all: number;
};

type Reader = { readonly network: string; readonly giveWay: () => void };

export function createReadSlots({ own, all }: ReadSlotLimits): ReadSlots {
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
