import { countBefore } from '#flight';

import { comparePaths } from './outline.ts';

/** The place of the first hit that does not stand before a line; the number of hits when all do. */
function findHit(hits: readonly string[], path: string): number {
  return countBefore(hits.length, (hit) => comparePaths(hits[hit] ?? '', path) < 0);
}

/** Which of the hits a line is, from 0; undefined when it is none. `hits`: paths in the order of the lines. */
export function readHitIndex(hits: readonly string[], path: string | undefined): number | undefined {
  if (path === undefined) return undefined;
  const index = findHit(hits, path);
  return hits[index] === path ? index : undefined;
}

/** The next hit after a line, or before it; after the last comes the first. Undefined when there are none. */
export function moveToHit(hits: readonly string[], path: string | undefined, direction: 1 | -1): string | undefined {
  if (path === undefined) return direction === 1 ? hits[0] : hits.at(-1);
  const index = findHit(hits, path);
  const isHit = hits[index] === path;
  const next = direction === 1 ? index + (isHit ? 1 : 0) : index - 1;
  return hits[(next + hits.length) % Math.max(hits.length, 1)];
}
