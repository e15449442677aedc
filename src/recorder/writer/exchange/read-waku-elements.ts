import { decodeFlight, readEntries, readRowValue } from '#flight';

/** Waku's root is an object with the page's parts by their names, beside fields of its own. */
const partsLimit = 100;
const isPart = /^(?:root$|(?:layout|page|route|slice):.{0,290}$)/;

export function readWakuElements(payload: Uint8Array): string[] {
  const flight = decodeFlight(payload);
  const root = flight.root === undefined ? undefined : readRowValue(flight, flight.root);
  if (!root) return [];
  return readEntries(flight, root, 0, partsLimit)
    .map(({ key }) => key)
    .filter((key) => isPart.test(key));
}
