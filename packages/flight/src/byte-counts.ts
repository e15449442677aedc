import { byteKinds, type ByteKind } from './byte-context.ts';
import { createElementNames, type ElementKind } from './element-names.ts';
import type { Flight } from './flight.ts';
import { findFrameworkPages } from './framework-pages.ts';
import { placeOf, type Place } from './place.ts';

/** Sums by kind, element, prop and server component; byte-walk.ts adds the bytes as it meets them. */
type ElementBytes = {
  name: string;
  kind: ElementKind;
  count: number;
  /** Its own bytes: type, key, props and their values, and its client module when it is the first to use it. */
  own: number;
  /** What its own bytes cost after compression (compression.ts), with a fraction. */
  compressed: number;
  /** With the elements inside; an element within one of its own name counts once. */
  total: number;
  /** Its own bytes by what they are there for. */
  kinds: Readonly<Record<ByteKind, number>>;
  /** The first of them in the order of the page, at most `maxPlaces`. */
  places: readonly Place[];
};

type PropBytes = {
  element: string;
  /** Of the element. */
  kind: ElementKind;
  prop: string;
  count: number;
  bytes: number;
  /** What these cost after compression. */
  compressed: number;
  /** Where the largest is. */
  largest: Place;
  largestBytes: number;
};

type ServerComponentBytes = { name: string; elements: number; bytes: number; first: Place };

const maxPlaces = 50;

/** Distinct names counted apart, of elements and of props; a page has hundreds. The rest is one entry called `others`. */
const maxNames = 5000;

export type CountedBytes = {
  kinds: Readonly<Record<ByteKind, number>>;
  /** What the bytes of each kind cost after compression (compression.ts), with a fraction. */
  compressedKinds: Readonly<Record<ByteKind, number>>;
  elements: readonly ElementBytes[];
  outside: number;
  props: readonly PropBytes[];
  serverComponents: readonly ServerComponentBytes[];
};

export type ByteCounts = {
  add: (bytes: number, cost: number, kind: ByteKind, element: number, prop: number, owner: number) => void;
  openElement: (row: number, at: number) => number;
  closeElement: (element: number, total: number) => void;
  findOwner: (row: number, at: number) => number;
  findProp: (element: number, name: string, place: Place) => number;
  /** Called at the end of a prop's value; remembers where the largest one is. */
  closeProp: (prop: number, bytes: number, place: Place) => void;
  read: () => CountedBytes;
};

function createNames<T>(make: (name: string) => T): { list: T[]; find: (key: string, name: string) => number } {
  const list: T[] = [];
  const indexes = new Map<string, number>();
  function find(key: string, name: string): number {
    const isFull = list.length >= maxNames;
    const known = indexes.get(key) ?? (isFull ? indexes.get('') : undefined);
    if (known !== undefined) return known;
    indexes.set(isFull ? '' : key, list.length);
    return list.push(make(isFull ? 'others' : name)) - 1;
  }
  return { list, find };
}

type OpenElement = Omit<ElementBytes, 'kinds'> & { places: Place[]; open: number; byKind: Float64Array };

export function createByteCounts(flight: Flight): ByteCounts {
  const names = createElementNames(flight);
  const pageAround = findFrameworkPages(flight);
  const kinds = new Float64Array(byteKinds.length);
  const costs = new Float64Array(byteKinds.length);
  const kindIndexes = new Map(byteKinds.map((kind, index) => [kind, index]));
  const elements = createNames<OpenElement>((name) => ({
    name,
    kind: 'other',
    count: 0,
    own: 0,
    compressed: 0,
    total: 0,
    places: [],
    open: 0,
    byKind: new Float64Array(byteKinds.length),
  }));
  const props = createNames<PropBytes>((prop) => ({
    element: '',
    kind: 'other',
    prop,
    count: 0,
    bytes: 0,
    compressed: 0,
    largest: { row: 0 },
    largestBytes: -1,
  }));
  const owners = createNames<ServerComponentBytes>((name) => ({ name, elements: 0, bytes: 0, first: { row: 0 } }));
  let outside = 0;

  function add(bytes: number, cost: number, kind: ByteKind, element: number, prop: number, owner: number): void {
    const index = kindIndexes.get(kind) ?? 0;
    kinds[index] = (kinds[index] ?? 0) + bytes;
    costs[index] = (costs[index] ?? 0) + cost;
    const inElement = elements.list[element];
    if (inElement) {
      inElement.own += bytes;
      inElement.compressed += cost;
      inElement.byKind[index] = (inElement.byKind[index] ?? 0) + bytes;
    } else outside += bytes;
    const inProp = props.list[prop];
    if (inProp) {
      inProp.bytes += bytes;
      inProp.compressed += cost;
    }
    const ofOwner = owners.list[owner];
    if (ofOwner) ofOwner.bytes += bytes;
  }

  function openElement(row: number, at: number): number {
    const page = pageAround(at);
    const { name, kind } = page ? { name: page.name, kind: 'react' as const } : names.typeOf(row, at);
    const index = elements.find(`${kind} ${name}`, name);
    const element = elements.list[index];
    if (!element) return -1;
    if (element.count === 0) element.kind = kind;
    element.open += 1;
    // All of a framework's page is one.
    if (page && page.outermost !== at) return index;
    element.count += 1;
    if (element.places.length < maxPlaces) element.places.push(placeOf(flight, row, at));
    return index;
  }

  function closeElement(index: number, total: number): void {
    const element = elements.list[index];
    if (!element) return;
    element.open -= 1;
    if (element.open === 0) element.total += total;
  }

  function findOwner(row: number, at: number): number {
    const name = names.ownerOf(row, at);
    if (name === undefined) return -1;
    const index = owners.find(name || ' ', name);
    const owner = owners.list[index];
    if (owner && owner.elements === 0) owner.first = placeOf(flight, row, at);
    if (owner) owner.elements += 1;
    return index;
  }

  function findProp(element: number, name: string, place: Place): number {
    const { name: elementName = '', kind = 'other' } = elements.list[element] ?? {};
    const shown = name.slice(0, 80);
    const index = props.find(`${element} ${shown}`, shown);
    const prop = props.list[index];
    if (prop && prop.count === 0) {
      prop.element = prop.prop === 'others' && shown !== 'others' ? '' : elementName;
      prop.kind = kind;
      prop.largest = place;
    }
    if (prop) prop.count += 1;
    return index;
  }

  function closeProp(index: number, bytes: number, place: Place): void {
    const prop = props.list[index];
    if (!prop || bytes <= prop.largestBytes) return;
    prop.largestBytes = bytes;
    prop.largest = place;
  }

  function read(): CountedBytes {
    return {
      kinds: readKinds(kinds),
      compressedKinds: readKinds(costs),
      elements: elements.list
        .map(({ open: _open, byKind, ...element }) => ({ ...element, kinds: readKinds(byKind) }))
        .toSorted((a, b) => b.own - a.own),
      outside,
      props: props.list.toSorted((a, b) => b.bytes - a.bytes),
      serverComponents: owners.list.toSorted((a, b) => b.bytes - a.bytes),
    };
  }

  return { add, openElement, closeElement, findOwner, findProp, closeProp, read };
}

function readKinds(counts: Float64Array): Record<ByteKind, number> {
  const read = {
    text: 0,
    data: 0,
    classes: 0,
    structure: 0,
    imports: 0,
    binary: 0,
    errors: 0,
    hints: 0,
    debug: 0,
    unread: 0,
  };
  for (const [index, kind] of byteKinds.entries()) read[kind] = counts[index] ?? 0;
  return read;
}
