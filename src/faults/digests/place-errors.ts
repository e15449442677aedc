import 'server-only';

import { type CarrierPlace, listCarriers } from '#src/flights/for-operator/flights-of-digests.ts';
import { wasUnderWay } from '#src/flights/for-operator/queries.ts';

/**
 * An error that an app only prints has no path. Where one flight that was under way at its time carried its digest, it was on that
 * flight's page; where those of several pages did, on one of them.
 */
type Unplaced = { readonly time: number; readonly path: string; readonly route: string };

export type Placed<Row> = Row & {
  /** Where it may have been, of which the path is not known. Empty where nothing is known of it. */
  readonly perhaps: readonly Pick<CarrierPlace, 'path' | 'route'>[];
};

/** So near to each other, flights of two pages may have had it. */
const nearMs = 2_000;
/** On more pages than a person looks through it may have been anywhere. */
const placesKept = 20;

/**
 * Finds where flights were that may have had an error of some time. Two thousand errors look among two thousand flights. So the flights are
 * in the order in which they began, and a look ends where no other flight can matter.
 */
function createFinder(carriers: readonly CarrierPlace[]): (time: number) => readonly CarrierPlace[] {
  const inOrder = carriers.toSorted((a, b) => a.startedAt - b.startedAt);
  const numbers = new Map<string, number>();
  /** The number of each flight's page. */
  const pages = Int32Array.from(inOrder, ({ path }) => {
    const number = numbers.get(path) ?? numbers.size;
    numbers.set(path, number);
    return number;
  });
  /** Of each flight and all before it the one that ended last. */
  const longest: CarrierPlace[] = [];
  for (const one of inOrder) {
    const other = longest.at(-1);
    longest.push(other && other.startedAt + other.durationMs > one.startedAt + one.durationMs ? other : one);
  }
  /** By page: in which look it was found last. */
  const found = new Int32Array(numbers.size);
  let looks = 0;

  function isUnderWay(one: CarrierPlace | undefined, time: number): one is CarrierPlace {
    return one !== undefined && wasUnderWay(one, time);
  }

  /** The first flight that began after this time. */
  function findNext(time: number): number {
    let [low, high] = [0, inOrder.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((inOrder[middle]?.startedAt ?? 0) > time) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  function findNearest(time: number): CarrierPlace | undefined {
    const next = findNext(time);
    let at = next - 1;
    while (at >= 0 && !isUnderWay(inOrder[at], time)) at = isUnderWay(longest[at], time) ? at - 1 : -1;
    const [before, after] = [inOrder[at], inOrder[next]];
    if (!isUnderWay(after, time)) return before;
    return before && time - before.startedAt < after.startedAt - time ? before : after;
  }

  return function findPlaces(time) {
    const nearest = findNearest(time);
    if (!nearest) return [];
    looks += 1;
    const places: CarrierPlace[] = [];
    const end = findNext(nearest.startedAt + nearMs);
    for (let at = findNext(nearest.startedAt - nearMs - 1); at < end && places.length < found.length; at += 1) {
      const [page, place] = [pages[at] ?? 0, inOrder[at]];
      if (found[page] === looks || !isUnderWay(place, time)) continue;
      if (places.length === placesKept) return [];
      found[page] = looks;
      places.push(place);
    }
    return places;
  };
}

export async function placeErrors<Row extends Unplaced>(
  rows: readonly Row[],
  app: string,
  digest: string,
): Promise<readonly Placed<Row>[]> {
  const carriers = rows.some(({ path }) => path === '') ? await listCarriers(app, digest) : [];
  const findPlaces = createFinder(carriers);
  return rows.map((row) => {
    if (row.path !== '') return { ...row, perhaps: [] };
    const [place, ...others] = findPlaces(row.time);
    if (!place) return { ...row, perhaps: [] };
    if (others.length > 0) return { ...row, perhaps: [place, ...others] };
    return { ...row, path: place.path, route: row.route || place.route, perhaps: [] };
  });
}
