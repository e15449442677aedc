import type { Target } from './dollar.ts';
import type { Flight } from './flight.ts';
import { placeInOutermost } from './nested-flight.ts';
import type { Place } from './place.ts';
import { printRow, printValue } from './print-value.ts';
import { resolveTarget } from './resolve.ts';
import { findRow, readHeader, readRowTag } from './row-index.ts';
import { readRow, readRowValue } from './row.ts';
import type { Value } from './value.ts';

/**
 * What a viewer shows in one line, and opens: a value, or what is no JSON value and yet a part of the page, such as a row
 * of text, a stream, or a number of a typed array. members.ts says what is in it.
 *
 * `came` is how many rows had come at the moment that is shown; what is in later rows is `waiting`. References may form a
 * circle, so nobody may open parts without end: open one level at a time, or keep `identifyPart` of those that are open.
 */
export type Part = { readonly flight: Flight; readonly came: number } & PartContent;

type PartContent =
  | { readonly kind: 'value'; readonly value: Value }
  /** A row that holds no model: text, bytes, a stream, a module, an error, or what only development sends. */
  | { readonly kind: 'row'; readonly row: number }
  /** One number of a typed array, and its bytes. */
  | {
      readonly kind: 'number';
      readonly row: number;
      readonly start: number;
      readonly end: number;
      readonly text: string;
    }
  /** What it refers to is in a row that has not come. */
  | { readonly kind: 'waiting'; readonly id: number }
  /** A reference that leads nowhere. */
  | { readonly kind: 'invalid'; readonly reason: string };

/** A part within another (members.ts). */
export type Member = {
  /** Its key or index; in brackets what has no name in JavaScript: `(owner)`, `(returned)`, `(__proto__, dropped)`. */
  readonly name: string;
  readonly part: Part;
  /** For an entry of a Map or FormData: the value that is its key, of which `name` says everything. */
  readonly key?: Value;
};

/** Lazies that lead to lazies: React writes one or two. More is a circle, or a payload made to cost. */
const maxHops = 100;

/** The part that a row is. @throws RangeError when there is no such row */
export function partOfRow(flight: Flight, row: number, came = flight.rows.count): Part {
  const value = readRowTag(flight.rows, row).role === 'model' ? readRowValue(flight, row) : undefined;
  return value ? { flight, came, kind: 'value', value } : { flight, came, kind: 'row', row };
}

/** Where the page begins; undefined before the root row has come. */
export function rootPart(flight: Flight, came = flight.rows.count): Part | undefined {
  return flight.root === undefined || flight.root >= came ? undefined : partOfRow(flight, flight.root, came);
}

/** What an id and a path lead to. */
export function followTarget({ flight, came }: Pick<Part, 'flight' | 'came'>, target: Target): Part {
  const row = findRow(flight.rows, target.id);
  if (row === undefined || row >= came) return { flight, came, kind: 'waiting', id: target.id };
  const found = resolveTarget(flight, target);
  switch (found.kind) {
    case 'value':
      // A path may lead through a reference to a later row.
      if (found.value.row < came) return { flight, came, kind: 'value', value: found.value };
      return { flight, came, kind: 'waiting', id: readHeader(flight.rows, found.value.row).id };
    case 'row':
      if (found.row.row < came) return { flight, came, kind: 'row', row: found.row.row };
      return { flight, came, kind: 'waiting', id: found.row.id };
    case 'pending':
      return { flight, came, kind: 'waiting', id: found.id };
    case 'invalid':
      return { flight, came, kind: 'invalid', reason: found.reason };
  }
}

/** What a part stands for: references and lazies are followed, and promises too if asked for. */
export function openPart(part: Part, throughPromises = false): Part {
  let found = part;
  for (let hop = 0; found.kind === 'value'; hop++) {
    const { value } = found;
    const isPassed =
      value.kind === 'reference' || value.kind === 'lazy' || (throughPromises && value.kind === 'promise');
    if (!isPassed) return found;
    if (hop === maxHops) return { ...part, kind: 'invalid', reason: 'references go round in a circle' };
    found = followTarget(found, value);
  }
  return found;
}

/** A part in a few words, at most 120 characters, as it is: references are not followed. */
export function printPart(part: Part): string {
  switch (part.kind) {
    case 'value':
      return printValue(part.flight, part.value);
    case 'row':
      return printRow(part.flight, readRow(part.flight, part.row));
    case 'number':
      return part.text;
    case 'waiting':
      return `waiting for row ${part.id.toString(16)}`;
    case 'invalid':
      return part.reason;
  }
}

/** All the text of a part without what is in it, for a search: of a string every character, of others a few words. */
export function readPartText(part: Part): string {
  if (part.kind === 'value' && part.value.kind === 'string') return part.value.value;
  if (part.kind === 'row' && readRowTag(part.flight.rows, part.row).role === 'text') {
    const row = readRow(part.flight, part.row);
    if (row.kind === 'text') return row.text;
  }
  return printPart(part);
}

/** The bytes of a part, in the outermost flight when it is in a nested one; undefined for what has none. */
export function placeOfPart(part: Part): Place | undefined {
  const { flight } = part;
  switch (part.kind) {
    case 'value': {
      const { row, start, end } = part.value;
      return placeInOutermost(flight, { row, start, end });
    }
    case 'row': {
      const { start, end } = readHeader(flight.rows, part.row);
      return placeInOutermost(flight, { row: part.row, start, end });
    }
    case 'number': {
      const { row, start, end } = part;
      return placeInOutermost(flight, { row, start, end });
    }
    case 'waiting':
    case 'invalid':
      return undefined;
  }
}
