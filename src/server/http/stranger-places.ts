import { createReadingPlaces, type ReadingPlace } from './reading-places.ts';
import { toNetwork } from './to-network.ts';

/** @param giveWay ends the reading, for somebody else @returns undefined when there is no place */
type EnterStranger = (
  sender: { readonly address: string | undefined },
  giveWay: () => void,
) => ReadingPlace | undefined;

/** Places for the bodies of those who show no key: the network with most of them gives way first. */
export function createStrangerPlaces(all: number): EnterStranger {
  const places = createReadingPlaces({ all });
  return ({ address }, giveWay) => places.enter(toNetwork(address ?? ''), giveWay);
}

/** For small ones: what a person writes, what a page tells when it is left, broken policies. */
export const enterStranger = createStrangerPlaces(64);
