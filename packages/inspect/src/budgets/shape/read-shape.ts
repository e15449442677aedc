import {
  identifyMembers,
  openPart,
  readElement,
  readEntries,
  readMembers,
  readRow,
  type Flight,
  type Member,
  type Part,
  type Value,
} from '#flight';

import { nameElement, nameModuleRow } from './name-element.ts';
import { createShapes, foldList, foldNeighbours, type Shape, type Shapes } from './shapes.ts';

/**
 * What a payload is made of, without its data: elements, the names and kinds of their props, client components, Suspense boundaries.
 * Two renders of one page have one shape, and so have two builds of one source:
 *
 * - References, lazies and promised rows are followed, so it does not matter which part came later, or in which row.
 * - A value is its kind: `string`, `number`, `array of string`. A list is the shapes of its items, each once.
 * - Names are those of the source: hashes of files and numbers of modules are left out.
 * - What development adds (owners, stacks) is not looked at.
 */
export type ShapeReader = {
  readonly shapes: Shapes;
  /** A payload may hold another one, whose places are its own. */
  readonly flights: Map<Flight, number>;
  /** By flight and place on the tape. References lead to one value from many places. */
  readonly values: Map<string, Shape>;
  readonly lists: Map<string, readonly Shape[]>;
  /** Values that are being read: a reference to one of them is a circle. */
  readonly open: Set<string>;
  depth: number;
};

export function createShapeReader(): ShapeReader {
  return { shapes: createShapes(), flights: new Map(), values: new Map(), lists: new Map(), open: new Set(), depth: 0 };
}

/** A page is some tens of levels deep. A payload may be made to be ten thousand. */
const maxDepth = 500;

/** Children of one element after folding; references may double a list at each level. */
const maxChildren = 10_000;

/** An object with more fields than this, all alike, is a table with the data's own keys. */
const maxFields = 10;

/** Reads what is inside a part once, and not without end. */
function readOnce<T>(
  reader: ShapeReader,
  part: Part,
  known: Map<string, T>,
  otherwise: (why: string) => T,
  read: () => T,
): T {
  const place = identifyMembers(part);
  if (place === undefined) return read();
  const number = reader.flights.get(part.flight) ?? reader.flights.size;
  reader.flights.set(part.flight, number);
  const key = `${number} ${place}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  if (reader.open.has(key)) return otherwise('circular');
  if (reader.depth >= maxDepth) return otherwise('deep');
  reader.open.add(key);
  reader.depth += 1;
  const result = read();
  reader.depth -= 1;
  reader.open.delete(key);
  known.set(key, result);
  return result;
}

function readRowKind(flight: Flight, row: number): string {
  const content = readRow(flight, row);
  switch (content.kind) {
    case 'text':
      return 'string';
    case 'binary':
      return content.type;
    case 'module':
      return `client component ${nameModuleRow(flight, row) ?? 'module'}`;
    case 'stream-start':
      return content.stream;
    case 'error':
      return 'error';
    default:
      return content.kind;
  }
}

/** Kinds that are a word; the others have something inside. */
function readPlainKind(value: Value): string {
  switch (value.kind) {
    case 'server-reference':
      return 'action';
    case 'date':
      return 'Date';
    case 'blob':
      return 'Blob';
    case 'stream':
      return value.stream;
    case 'binary':
      return value.type;
    default:
      return value.kind;
  }
}

const collections = new Map<Value['kind'], string>([
  ['map', 'Map'],
  ['set', 'Set'],
  ['iterator', 'Iterator'],
]);

/** What comes item by item. A stream of bytes has none. */
const streams = new Set(['readable-stream', 'async-iterable', 'async-iterator']);

function readRowShape(reader: ShapeReader, part: Part, row: number): Shape {
  const { shapes } = reader;
  const kind = readRowKind(part.flight, row);
  if (!streams.has(kind)) return shapes.make(kind);
  return readOnce(reader, part, reader.values, shapes.make, () => shapes.wrap(kind, readItemShapes(reader, part)));
}

/** The shape of a value: a prop, a field, an item. */
export function readShape(reader: ShapeReader, part: Part): Shape {
  const { shapes } = reader;
  const found = openPart(part);
  if (found.kind === 'row') return readRowShape(reader, found, found.row);
  if (found.kind !== 'value') return shapes.make(found.kind === 'waiting' ? 'never sent' : found.kind);
  const { value } = found;
  return readOnce(reader, found, reader.values, shapes.make, () => {
    const collection = collections.get(value.kind);
    if (collection !== undefined) return shapes.wrap(collection, readItemShapes(reader, found));
    switch (value.kind) {
      case 'element':
        return readElementShape(reader, found, value);
      case 'array':
        return shapes.wrap('array', readItemShapes(reader, found));
      case 'object':
        return readFields(reader, found, 'object');
      case 'form-data':
        return readFields(reader, found, 'FormData');
      case 'promise':
        return shapes.wrap('Promise', [readShape(reader, openPart(found, true))]);
      default:
        return shapes.make(readPlainKind(value));
    }
  });
}

function readItemShapes(reader: ShapeReader, part: Part): Shape[] {
  return foldList(readMembers(part).map((member) => readShape(reader, member.part)));
}

type NamedShape = { readonly name: string; readonly shape: Shape };

/** Reads members in the order of their names, because the order in which a page writes them says nothing. */
function readNamed(reader: ShapeReader, members: readonly Member[]): NamedShape[] {
  return members
    .filter(({ part }) => part.kind !== 'value' || part.value.kind !== 'undefined')
    .toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
    .map(({ name, part }) => ({ name, shape: readShape(reader, part) }));
}

function readFields(reader: ShapeReader, part: Part, word: string): Shape {
  const { shapes } = reader;
  const fields = readNamed(reader, readMembers(part));
  const kinds = foldList(fields.map(({ shape }) => shape));
  if (fields.length > maxFields && kinds.length === 1) return shapes.wrap(word, kinds);
  return shapes.make(
    word,
    fields.map(({ name, shape }) => shapes.label(name, shape)),
  );
}

/** What React renders nothing for. */
const nothing = new Set<Value['kind']>(['null', 'boolean', 'undefined']);
const texts = new Set<Value['kind']>(['string', 'number', 'bigint']);
const lists = new Set<Value['kind']>(['set', 'iterator']);

/** What stands between an element's tags. Arrays and fragments are seen through: they leave no trace on the page. */
export function readChildren(reader: ShapeReader, part: Part): readonly Shape[] {
  const { shapes } = reader;
  const found = openPart(part, true);
  if (found.kind === 'row') {
    const kind = readRowKind(found.flight, found.row);
    if (kind === 'async-iterable' || kind === 'async-iterator') return readList(reader, found);
    return [shapes.make(kind === 'string' ? 'text' : kind)];
  }
  if (found.kind !== 'value') return [readShape(reader, found)];
  const { flight, value } = found;
  if (nothing.has(value.kind)) return [];
  if (texts.has(value.kind)) return [shapes.make('text')];
  if (value.kind === 'array' || lists.has(value.kind)) return readList(reader, found);
  if (value.kind !== 'element') return [readShape(reader, found)];
  const { type, props } = readElement(flight, value);
  const children = nameElement(flight, type).name === 'Fragment' ? findProp(found, props, 'children') : undefined;
  return children
    ? readOnce(
        reader,
        found,
        reader.lists,
        (why) => [shapes.make(why)],
        () => readChildren(reader, children),
      )
    : [readShape(reader, found)];
}

function readList(reader: ShapeReader, part: Part): readonly Shape[] {
  const none = (why: string): readonly Shape[] => [reader.shapes.make(why)];
  return readOnce(reader, part, reader.lists, none, () => {
    const items = readMembers(part).map((member) => member.part);
    const children = items.flatMap((item) => readChildren(reader, item));
    const folded = items.some(hasKey) ? foldList(children) : foldNeighbours(children);
    return folded.slice(0, maxChildren);
  });
}

/** An element with a key is an item of a list that the data makes. */
function hasKey(part: Part): boolean {
  const found = openPart(part);
  if (found.kind !== 'value' || found.value.kind !== 'element') return false;
  const { key } = readElement(found.flight, found.value);
  return key !== undefined && key.kind !== 'null';
}

function openProps(part: Part, props: Value | undefined): Part | undefined {
  return props && openPart({ ...part, kind: 'value', value: props });
}

function findProp(part: Part, props: Value | undefined, name: string): Part | undefined {
  const opened = openProps(part, props);
  if (opened?.kind !== 'value') return undefined;
  const value = readEntries(opened.flight, opened.value).findLast(({ key }) => key === name)?.value;
  return value && { ...opened, kind: 'value', value };
}

/** The props but `children`, sorted; one that is undefined is as good as none. */
function readProps(reader: ShapeReader, props: Part | undefined): NamedShape[] {
  const members = props ? readMembers(props).filter(({ name }) => name !== 'children') : [];
  return readNamed(reader, members);
}

/** What fits into the tag. */
function isWord({ line, inside }: Shape): boolean {
  return inside.length === 0 && !line.startsWith('<');
}

function printWord({ name, shape: { line } }: NamedShape): string {
  return ` ${name}=${line.includes(' ') ? `(${line})` : line}`;
}

/** Props that are a word stand in the tag; the others on lines of their own, before the children. */
function readElementShape(reader: ShapeReader, part: Part, element: Value): Shape {
  const { shapes } = reader;
  const { type, props } = readElement(part.flight, element);
  const { name, isClient } = nameElement(part.flight, type);
  const named = readProps(reader, openProps(part, props));
  const children = findProp(part, props, 'children');
  const words = named.filter(({ shape }) => isWord(shape)).map(printWord);
  const inside = [
    ...named.filter(({ shape }) => !isWord(shape)).map((prop) => shapes.label(prop.name, prop.shape)),
    ...foldNeighbours(children ? readChildren(reader, children) : []),
  ];
  const tag = `<${name}${words.join('')}>${isClient ? ' client' : ''}`;
  const isText = inside.length === 1 && inside[0] === shapes.make('text');
  return isText ? shapes.make(`${tag} text`) : shapes.make(tag, inside);
}
