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

/** Two thousand errors are looked for among two thousand flights: so it takes numbers out of the flights first, and looks at those. */
function createFinder(carriers: readonly CarrierPlace[]): (time: number) => readonly CarrierPlace[] {
  const inOrder = carriers.toSorted((a, b) => a.startedAt - b.startedAt);
  const starts = Float64Array.from(inOrder, ({ startedAt }) => startedAt);
  const ends = Float64Array.from(inOrder, ({ startedAt, durationMs }) => startedAt + durationMs);
  const numbers = new Map<string, number>();
  const pages = Int32Array.from(inOrder, ({ path }) => {
    const number = numbers.get(path) ?? numbers.size;
    numbers.set(path, number);
    return number;
  });

  function startOf(index: number): number {
    return starts[index] ?? Number.NaN;
  }

  function findNearest(time: number): number | undefined {
    let nearest: number | undefined;
    for (let index = 0; index < starts.length && startOf(index) <= time + clockMs; index += 1) {
      if ((ends[index] ?? 0) < time - clockMs) continue;
      const isNearer = nearest === undefined || Math.abs(startOf(index) - time) <= Math.abs(startOf(nearest) - time);
      if (isNearer) nearest = index;
    }
    return nearest;
  }

  return function findPlaces(time) {
    const nearest = findNearest(time);
    if (nearest === undefined) return [];
    const seen = new Set<number>();
    const places: CarrierPlace[] = [];
    let index = nearest;
    while (index > 0 && startOf(nearest) - startOf(index - 1) <= nearMs) index -= 1;
    const last = Math.min(startOf(nearest) + nearMs, time + clockMs);
    for (; startOf(index) <= last; index += 1) {
      const [page, place] = [pages[index] ?? 0, inOrder[index]];
      if (!place || (ends[index] ?? 0) < time - clockMs || seen.has(page)) continue;
      if (places.length === placesKept) return [];
      seen.add(page);
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
