import { createReadingPlaces, type ReadingPlace } from '#src/server/http/reading-places.ts';

/**
 * Places for the bodies of those who have shown an app's key: up to a megabyte each, as slowly as the deadline allows. One app's key
 * never keeps another app's servers out.
 */
const places = createReadingPlaces({ all: 32 });

/** @param giveWay ends the reading, for somebody else @returns undefined when there is no place */
export function enterSender(app: string, giveWay: () => void): ReadingPlace | undefined {
  return places.enter(app, giveWay);
}
