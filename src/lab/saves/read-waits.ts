import 'server-only';

import { findHoles, readValuePath, type AwaitedRow, type ChunkTime, type Flight, type Hole } from '#flight';

import { isPage } from './is-page.ts';

/**
 * How long an experiment waited, and for what, by names that stay the same from save to save:
 *
 * - a Suspense boundary: how long it showed its fallback;
 * - a promise outside of all boundaries of the payload, such as a prop of a client component: since the row that promised it came. A
 *   boundary in the client component may show its fallback for as long, which the payload does not know;
 * - the page: what else came later outside of all boundaries.
 *
 * What comes through streams and async iterables, and each promise within a boundary, has no time of its own.
 */
export type Wait = { readonly name: string; readonly ms: number };

/** How the name of a promise begins; a boundary's begins with `Suspense`. */
export const promiseMark = 'the promise ';

/** The keys on the way to the place of a row that is waited for. */
function readKeys(flight: Flight, { place }: AwaitedRow): readonly string[] {
  const path = place.start === undefined ? undefined : readValuePath(flight, place.row, place.start);
  return path?.steps.flatMap(({ key }) => key ?? []) ?? [];
}

/** Rows that Waku's own parts of the page promise, such as the layout, are none of the experiment's. */
function isOfExperiment(flight: Flight, row: AwaitedRow, keys: readonly string[]): boolean {
  const [part = ''] = keys;
  return row.place.row !== flight.root || isPage(part) || !keys.length;
}

function nameWait({ how }: AwaitedRow, keys: readonly string[]): string {
  const key = keys.at(-1);
  const isProp = how === 'promise' && key !== undefined && key !== 'children' && !isPage(key);
  return isProp ? `${promiseMark}${JSON.stringify(key.slice(0, 40))}` : 'the page';
}

/** The longest wait of each name: two promises with one name are told as one. */
function readOutside(flight: Flight, { rows, from }: Hole): readonly Wait[] {
  const longest = new Map<string, number>();
  for (const row of rows) {
    const since = row.promisedAt ?? from;
    const keys = readKeys(flight, row);
    if (row.at === undefined || since === undefined || !isOfExperiment(flight, row, keys)) continue;
    const name = nameWait(row, keys);
    longest.set(name, Math.max(longest.get(name) ?? 0, row.at - since));
  }
  return [...longest].map(([name, ms]) => ({ name, ms }));
}

export function readWaits(flight: Flight, chunks: readonly ChunkTime[]): readonly Wait[] {
  return findHoles(flight, chunks).flatMap((hole) => {
    if (hole.boundary === undefined) return readOutside(flight, hole);
    return hole.waitedMs === undefined ? [] : [{ name: hole.name, ms: hole.waitedMs }];
  });
}
