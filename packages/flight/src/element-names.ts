import type { Flight } from './flight.ts';
import { printElementType } from './print-value.ts';
import { findRow, readRowTag } from './row-index.ts';
import { readRowValue } from './row.ts';
import { elementKind, itemsEnd, kindAt, nextAt } from './tape.ts';
import { readValue, readEntries, type Value } from './value.ts';

/**
 * Names of elements. In production a server component is not in the payload: its output stands in its place, and only
 * host tags, React's own types and client components have names. In development each element names the component that
 * made it.
 */
export type ElementKind =
  /** `div` */
  | 'host'
  /** A client component: its type is a module row. */
  | 'client'
  /** Suspense, Fragment and the like. */
  | 'react'
  /** A type that has not come, or is something else. */
  | 'other';

type ElementName = { name: string; kind: ElementKind };

export type ElementNames = {
  /** The type of the element at a place of the tape. */
  typeOf: (row: number, element: number) => ElementName;
  /** The server component that made it; undefined in production. */
  ownerOf: (row: number, element: number) => string | undefined;
};

/** Characters. Real names are shorter; a hostile payload may hold one of megabytes. */
const maxName = 80;

/** Distinct names kept; a page has hundreds. More are read again each time. */
const maxKept = 10_000;

/** The place of an element's part (0 the mark, 1 type, 2 key, 3 props, 4 owner); undefined when it has fewer. */
export function partAt(flight: Flight, element: number, part: number): number | undefined {
  if (kindAt(flight.tape, element) !== elementKind) return undefined;
  const end = itemsEnd(flight.tape, element);
  let at = element + 2;
  for (let index = 0; index < part && at < end; index++) at = nextAt(flight.tape, at);
  return at < end ? at : undefined;
}

function readKind(flight: Flight, type: Value): ElementKind {
  if (type.kind === 'string') return 'host';
  if (type.kind === 'symbol') return 'react';
  if (type.kind !== 'reference' && type.kind !== 'lazy') return 'other';
  const row = findRow(flight.rows, type.id);
  if (row === undefined) return 'other';
  if (readRowTag(flight.rows, row).role === 'module') return 'client';
  return readRowValue(flight, row)?.kind === 'symbol' ? 'react' : 'other';
}

function readOwnerName(flight: Flight, owner: Value): string | undefined {
  if (owner.kind !== 'reference') return undefined;
  const row = findRow(flight.rows, owner.id);
  const info = row === undefined ? undefined : readRowValue(flight, row);
  if (info?.kind !== 'object') return undefined;
  const name = readEntries(flight, info, 0, 20).find(({ key }) => key === 'name')?.value;
  return name?.kind === 'string' ? name.value.slice(0, maxName) : undefined;
}

export function createElementNames(flight: Flight): ElementNames {
  const types = new Map<string, ElementName>();
  const owners = new Map<number, string | undefined>();
  function typeOf(row: number, element: number): ElementName {
    const at = partAt(flight, element, 1);
    if (at === undefined) return { name: 'broken element', kind: 'other' };
    const type = readValue(flight, row, at);
    const cached = type.kind === 'string' ? type.value : 'id' in type ? `${type.id} ${type.path.join(':')}` : '';
    const key = `${type.kind} ${cached.slice(0, maxName)}`;
    const known = cached === '' ? undefined : types.get(key);
    if (known) return known;
    const name = { name: printElementType(flight, type).slice(0, maxName), kind: readKind(flight, type) };
    if (types.size < maxKept) types.set(key, name);
    return name;
  }
  function ownerOf(row: number, element: number): string | undefined {
    const at = partAt(flight, element, 4);
    if (at === undefined) return undefined;
    const owner = readValue(flight, row, at);
    if (owner.kind !== 'reference') return undefined;
    if (!owners.has(owner.id) && owners.size < maxKept) owners.set(owner.id, readOwnerName(flight, owner));
    return owners.has(owner.id) ? owners.get(owner.id) : readOwnerName(flight, owner);
  }
  return { typeOf, ownerOf };
}
