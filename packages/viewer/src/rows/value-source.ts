import {
  countMembers,
  hasMembers,
  identifyMembers,
  openPart,
  partOfRow,
  placeOfPart,
  printPart,
  readMembers,
  type Flight,
  type Part,
  type Place,
  type Row,
  countBefore,
} from '#flight';

import { openFirst, openTo, readOuterPath, rootPath, type OpenNodes } from '../outline.ts';
import type { SearchableSource } from '../outline-search.ts';

/** A row's decoded value as a tree: every value with what is in it, references as they are, with a link to their row. */
export type ValueSource = SearchableSource<Part> & { readonly root: Part; readonly row: number };

/** How many lines of a value are open at first: one screen. */
const firstLines = 40;

/** A list that is longer is searched by halves for a place. */
const longList = 1000;

/** What is in another row is opened by who asks for it. */
function opensAtFirst(part: Part): boolean {
  return part.kind === 'value' && ['array', 'object', 'element'].includes(part.value.kind);
}

export function createValueSource(flight: Flight, row: Row): ValueSource {
  const part = partOfRow(flight, row.row);
  const value = 'value' in row ? row.value : undefined;
  return {
    root: value ? { ...part, kind: 'value', value } : part,
    row: row.row,
    hasMembers,
    countMembers,
    readMembers: (container, from, count) =>
      readMembers(container, from, count).map((member) => ({ name: member.name, node: member.part })),
    opensAtFirst,
    identify: (container) => {
      const key = identifyMembers(container);
      return key === undefined ? undefined : { scope: openPart(container).flight, key };
    },
  };
}

export function openValueFirst(source: ValueSource): OpenNodes {
  return openFirst(source, firstLines);
}

/** A part's bytes, when they are in the row that is shown. */
export function readPlaceInRow({ row }: ValueSource, part: Part): Place | undefined {
  const place = placeOfPart(part);
  return place?.row === row ? place : undefined;
}

type Bytes = { readonly start: number; readonly end: number };

/** Which member of a container holds the bytes; undefined when none does. */
function findMember(source: ValueSource, container: Part, { start, end }: Bytes): number | undefined {
  const total = countMembers(container);
  const placeAt = (index: number): Place | undefined => {
    const member = readMembers(container, index, 1)[0];
    return member && readPlaceInRow(source, member.part);
  };
  const holds = (place: Place | undefined): boolean =>
    place?.start !== undefined && place.end !== undefined && place.start <= start && place.end >= end;
  if (total <= longList) {
    const index = readMembers(container).findIndex(({ part }) => holds(readPlaceInRow(source, part)));
    return index < 0 ? undefined : index;
  }
  const last = Math.max(0, countBefore(total, (index) => (placeAt(index)?.start ?? 0) <= start) - 1);
  return holds(placeAt(last)) ? last : undefined;
}

/** The path of the innermost line whose bytes hold these. References are not followed: what they lead to is in another row. */
function findPath(source: ValueSource, bytes: Bytes): string {
  let part = source.root;
  let path = rootPath;
  for (;;) {
    const place = readPlaceInRow(source, part);
    if (place?.start === bytes.start && place.end === bytes.end) return path;
    const isInPlace = part.kind !== 'value' || opensAtFirst(part);
    const index = isInPlace ? findMember(source, part, bytes) : undefined;
    const member = index === undefined ? undefined : readMembers(part, index, 1)[0];
    if (!member) return path;
    part = member.part;
    path = `${path}.${index}`;
  }
}

/** Opens the way to the innermost line that holds the bytes. */
export function openToBytes(source: ValueSource, open: OpenNodes, bytes: Bytes): { open: OpenNodes; current: string } {
  const current = findPath(source, bytes);
  return { open: openTo(source, open, current), current };
}

/** The bytes to light for a line: its own, or of the reference in this row that led there. */
export function readLitBytes(
  source: ValueSource,
  path: string,
  partAt: (path: string) => Part | undefined,
): Place | undefined {
  for (let at: string | undefined = path; at !== undefined; at = readOuterPath(at)) {
    const part = partAt(at);
    const place = part && readPlaceInRow(source, part);
    if (place) return place;
  }
  return undefined;
}

/** A line's text: of a reference, what it stands for. The row that holds it is named beside it. */
export function printLine(part: Part): string {
  const isReference = part.kind === 'value' && part.value.kind === 'reference';
  return printPart(isReference ? openPart(part) : part);
}
