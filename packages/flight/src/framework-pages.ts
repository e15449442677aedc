import { partAt } from './element-names.ts';
import type { Flight } from './flight.ts';
import { arrayKind, elementKind, kindAt, nextAt, stepAt } from './tape.ts';
import { findEntry, readItems, readValue } from './value.ts';

/**
 * The page that Next.js itself shows where the app has none for a missing one (404), or for one that is forbidden (401, 403).
 * It is sent with every first page, whatever the author does, so its elements are named as Next.js's. Its heading has a class of its
 * own. Source: Next.js 14.2 to 16.4.
 */
const headingClass = 'next-error-h1';

/** Each layout may have one for each of three statuses. */
const maxPages = 50;

/** `name` has no space, as names of elements have none. */
type FrameworkPage = { readonly name: string; readonly from: number; readonly to: number; readonly outermost: number };

export type FrameworkPages = (at: number) => FrameworkPage | undefined;

/** The framework's page around an element, by its place on the tape. */
export function findFrameworkPages(flight: Flight): FrameworkPages {
  const pages = hasHeading(flight) ? listPages(flight) : [];
  return (at) => pages.find(({ from, to }) => at >= from && at < to);
}

function hasHeading({ bytes }: Flight): boolean {
  const needle = new TextEncoder().encode(headingClass);
  for (let at = bytes.indexOf(needle[0] ?? 0); at >= 0; at = bytes.indexOf(needle[0] ?? 0, at + 1)) {
    if (needle.every((byte, index) => bytes[at + index] === byte)) return true;
  }
  return false;
}

type Open = { readonly at: number; readonly end: number };

function listPages(flight: Flight): FrameworkPage[] {
  const { rows, tape } = flight;
  const pages: FrameworkPage[] = [];
  for (let row = 0; row < rows.count && pages.length < maxPages; row++) {
    const model = rows.models[row] ?? 0;
    if (model === 0) continue;
    const end = nextAt(tape, model - 1);
    const open: Open[] = [];
    for (let at = model - 1; at < end && pages.length < maxPages; at = stepAt(tape, at)) {
      while ((open.at(-1)?.end ?? end + 1) <= at) open.pop();
      const kind = kindAt(tape, at);
      if (kind !== elementKind && kind !== arrayKind) continue;
      const status = kind === elementKind ? readStatus(flight, row, at) : undefined;
      if (status !== undefined) pages.push(toPage(flight, row, status, { at, end: nextAt(tape, at) }, open));
      open.push({ at, end: nextAt(tape, at) });
    }
  }
  return pages;
}

function isOfType(flight: Flight, row: number, element: number, type: string): boolean {
  const at = partAt(flight, element, 1);
  const value = at === undefined ? undefined : readValue(flight, row, at);
  return value?.kind === 'string' && value.value === type;
}

/** What Next.js's heading shows: 404, 403 or 401. */
function readStatus(flight: Flight, row: number, at: number): string | undefined {
  const propsAt = isOfType(flight, row, at, 'h1') ? partAt(flight, at, 3) : undefined;
  if (propsAt === undefined) return undefined;
  const props = readValue(flight, row, propsAt);
  if (props.kind !== 'object') return undefined;
  const name = findEntry(flight, props, 'className');
  if (name?.kind !== 'string' || name.value !== headingClass) return undefined;
  const shown = findEntry(flight, props, 'children');
  return shown?.kind === 'number' ? String(shown.value) : 'error';
}

/** Finds the two elements around the heading, and the list with the page's title where they stand in one. */
function toPage(flight: Flight, row: number, status: string, heading: Open, open: readonly Open[]): FrameworkPage {
  const isElement = ({ at }: Open): boolean => kindAt(flight.tape, at) === elementKind;
  const outer = open.filter(isElement).at(-2) ?? heading;
  const list = open[open.indexOf(outer) - 1];
  const { at: from, end: to } = list && hasTitle(flight, row, list) ? list : outer;
  return { name: `Next.js-${status}-page`, from, to, outermost: outer.at };
}

function hasTitle(flight: Flight, row: number, { at }: Open): boolean {
  if (kindAt(flight.tape, at) !== arrayKind) return false;
  const [first, , third] = readItems(flight, readValue(flight, row, at), 0, 3);
  return first?.kind === 'element' && third === undefined && isOfType(flight, row, first.at, 'title');
}
