import 'server-only';

import { findHoles, readValuePath, type ChunkTime, type Flight, type Hole, type Holes, type Place } from '#flight';

import { isPage } from './is-page.ts';

/**
 * How long an experiment waited, and for what, by names that stay the same from save to save:
 *
 * - a Suspense boundary: how long it showed its fallback;
 * - a promise in the props of a client component: since the row that gave it came. What waits for it is in that component's code;
 * - the page: what else came later outside of all boundaries.
 *
 * What comes through streams and async iterables has no time of its own.
 */
export type Wait = {
  readonly name: string;
  readonly ms: number;
  /**
   * - waits: the payload says so;
   * - may-wait: it stands within a client component, which may have a boundary of its own;
   * - comes: whether anything waits for it is in the client's code.
   */
  readonly how: 'waits' | 'may-wait' | 'comes';
};

/** The keys on the way to a place. */
function readKeys(flight: Flight, { row, start }: Place): readonly string[] {
  const path = start === undefined ? undefined : readValuePath(flight, row, start);
  return path?.steps.flatMap(({ key }) => key ?? []) ?? [];
}

/** @returns the prop that a promise was given as; undefined of a part of the page */
function findProp(isPromise: boolean, keys: readonly string[]): string | undefined {
  const key = keys.at(-1);
  return isPromise && key !== undefined && key !== 'children' && !isPage(key) ? key : undefined;
}

/** What came at `at`, in the value at `place`, which had come at `since`. */
type Late = {
  place: Place;
  isPromise: boolean;
  how: Wait['how'];
  since: number | undefined;
  at: number | undefined;
};

function readHow({ around }: Hole): Wait['how'] {
  return around.kind === 'client' ? 'may-wait' : 'waits';
}

function listOutside({ holes, promises }: Holes): readonly Late[] {
  const page = holes.filter(({ boundary }) => boundary === undefined);
  return [
    ...page.flatMap((hole) =>
      hole.rows.map(({ place, how, promisedAt, at }) => ({
        place,
        isPromise: how === 'promise',
        how: readHow(hole),
        since: promisedAt ?? hole.from,
        at,
      })),
    ),
    ...promises.map(({ place, givenAt, settledAt }) => ({
      place,
      isPromise: true,
      how: 'comes' as const,
      since: givenAt,
      at: settledAt,
    })),
  ];
}

/** The longest wait of each name: two promises with one name are told as one. */
function readOutside(flight: Flight, found: Holes): readonly Wait[] {
  const longest = new Map<string, Wait>();
  for (const { place, isPromise, how, since, at } of listOutside(found)) {
    if (at === undefined || since === undefined) continue;
    const prop = findProp(isPromise, readKeys(flight, place));
    const name = prop === undefined ? 'the page' : `the promise ${JSON.stringify(prop.slice(0, 40))}`;
    const known = longest.get(name);
    const wait: Wait = { name, ms: at - since, how: prop === undefined ? how : 'comes' };
    if (!known || known.ms < wait.ms) longest.set(name, wait);
  }
  return [...longest.values()];
}

/** @param flight the experiment alone: what is around it waits for itself */
export function readWaits(flight: Flight, chunks: readonly ChunkTime[]): readonly Wait[] {
  const found = findHoles(flight, chunks);
  const boundaries = found.holes.flatMap((hole) =>
    hole.boundary === undefined || hole.waitedMs === undefined
      ? []
      : [{ name: hole.name, ms: hole.waitedMs, how: readHow(hole) }],
  );
  return [...boundaries, ...readOutside(flight, found)];
}
