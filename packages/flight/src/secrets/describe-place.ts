import { findUsers } from '../attribution.ts';
import { createElementNames } from '../element-names.ts';
import type { Flight } from '../flight.ts';
import type { Place } from '../place.ts';
import { readHeader } from '../row-index.ts';
import { readValuePath, type ValueStep } from '../value-path.ts';

/**
 * Where in a page a value stands, the same for each visitor: the component that is given it, and the path from its prop on. Places in
 * lists and keys that are data are `[]`: a list of users has one path.
 */
export type ShapePlace = {
  /** Empty outside of elements: in what an action returns, for example. */
  readonly component: string;
  readonly path: string;
};

/** Rows are in rows: each names the first that uses it. */
const mostRows = 8;
/** An element's array is its mark, its type, its key, and its props. */
const propsItem = 3;
const nameOfKey = /^[A-Za-z_$][A-Za-z_$-]*\d{0,3}[A-Za-z_$-]*$/;
const longestKey = 40;
const longestPath = 200;

function nameStep({ key, container }: ValueStep): string | undefined {
  if (key === undefined) return container.kind === 'element' ? undefined : '[]';
  return key.length <= longestKey && nameOfKey.test(key) ? `.${key}` : '[]';
}

function joinPath(parts: readonly string[]): string {
  // The inner end says more than the outer one.
  return parts.join('').replace(/^\./, '').slice(-longestPath);
}

/** @param byte of the flight; in a row of text, any of its own */
export function describeShapePlace(flight: Flight, place: Required<Pick<Place, 'row' | 'start'>>): ShapePlace {
  const names = createElementNames(flight);
  const parts: string[] = [];
  let { row, start } = place;
  for (let depth = 0; depth < mostRows; depth++) {
    const found = readValuePath(flight, row, start);
    const steps = found?.steps ?? [];
    for (const [index, step] of steps.toReversed().entries()) {
      const { container } = step;
      if (container.kind === 'element' && step.index === propsItem) {
        return { component: names.typeOf(row, container.at).name, path: joinPath(parts) };
      }
      const isOwnKey = index === 0 && depth === 0 && found?.isKey === true;
      const part = isOwnKey ? '(key)' : nameStep(step);
      if (part !== undefined) parts.unshift(part);
    }
    const [user] = findUsers(flight, readHeader(flight.rows, row).id, 1);
    if (user?.start === undefined || user.row === row) break;
    ({ row, start } = { row: user.row, start: user.start });
  }
  return { component: '', path: joinPath(parts) };
}
