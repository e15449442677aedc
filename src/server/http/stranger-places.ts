import { createReadingPlaces, type ReadingPlace } from './reading-places.ts';
import { toNetwork } from './to-network.ts';

/** Places for the small bodies of those who show no key: what a person writes, what a page tells when it is left, broken policies. */
const places = createReadingPlaces({ all: 64 });

/** @param giveWay ends the reading, for somebody else @returns undefined when there is no place */
export function enterStranger(address: string | undefined, giveWay: () => void): ReadingPlace | undefined {
  return places.enter(toNetwork(address ?? ''), giveWay);
}
