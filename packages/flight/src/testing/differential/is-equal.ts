import { isDeepStrictEqual } from 'node:util';

import type { Description } from './describe-react.ts';

/**
 * Whether two descriptions are equal but for places where React itself loses something: `isExcused` is asked about the
 * smallest pair that differs, and names React's fault.
 */
export function isEqual(
  ours: Description,
  theirs: Description,
  isExcused: (ours: Description, theirs: Description) => boolean,
): boolean {
  if (isDeepStrictEqual(ours, theirs) || isExcused(ours, theirs)) return true;
  if (typeof ours !== 'object' || typeof theirs !== 'object' || ours === null || theirs === null) return false;
  const ourParts = Object.entries(ours);
  const theirParts = new Map(Object.entries(theirs));
  if (ourParts.length !== theirParts.size) return false;
  return ourParts.every(([key, part]) => {
    const other = theirParts.get(key);
    return other !== undefined && isEqual(part, other, isExcused);
  });
}

/** Whether a description is an object with this tag. */
export function hasTag(description: Description, tag: string): description is { [tag: string]: Description } {
  return typeof description === 'object' && description !== null && !Array.isArray(description) && tag in description;
}
