import 'server-only';

import { type CarrierPlace, listCarriers } from '#src/flights/for-operator/flights-of-digests.ts';
import { clockMs } from '#src/flights/for-operator/queries.ts';

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
 * Two thousand errors are looked for among two thousand flights. So the flights are put in the order in which they began, with numbers for
 * what is compared, and each look ends where no other flight can matter.
 */
function createFinder(carriers: readonly CarrierPlace[]): (time: number) => readonly CarrierPlace[] {
  const inOrder = carriers.toSorted((a, b) => a.startedAt - b.startedAt);
  const starts = Float64Array.from(inOrder, ({ startedAt }) => startedAt);
  const ends = Float64Array.from(inOrder, ({ startedAt, durationMs }) => startedAt + durationMs);
  let last = Number.NEGATIVE_INFINITY;
  /** The latest end of a flight and of all before it. */
  const latestEnds = ends.map((end) => (last = Math.max(last, end)));
  const numbers = new Map<string, number>();
  const pages = Int32Array.from(inOrder, ({ path }) => {
    const number = numbers.get(path) ?? numbers.size;
    numbers.set(path, number);
    return number;
  });
  /** By page: in which look it was found last. */
  const found = new Int32Array(numbers.size);
  let looks = 0;

  /** The first flight that began after this time. */
  function findNext(time: number): number {
    let [low, high] = [0, starts.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((starts[middle] ?? 0) > time) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  function findNearest(time: number): number | undefined {
    const next = findNext(time);
    let before = next - 1;
    while (before >= 0 && (ends[before] ?? 0) < time - clockMs) {
      before = (latestEnds[before] ?? 0) < time - clockMs ? -1 : before - 1;
    }
    const isAfter = (starts[next] ?? Number.POSITIVE_INFINITY) <= time + clockMs;
    if (before < 0) return isAfter ? next : undefined;
    return isAfter && (starts[next] ?? 0) - time <= time - (starts[before] ?? 0) ? next : before;
  }

  return function findPlaces(time) {
    const nearest = findNearest(time);
    if (nearest === undefined) return [];
    looks += 1;
    const places: CarrierPlace[] = [];
    const start = starts[nearest] ?? 0;
    const end = findNext(Math.min(start + nearMs, time + clockMs));
    for (let index = findNext(start - nearMs - 1); index < end && places.length < found.length; index += 1) {
      const page = pages[index] ?? 0;
      if ((ends[index] ?? 0) < time - clockMs || found[page] === looks) continue;
      const place = inOrder[index];
      if (!place || places.length === placesKept) return [];
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
