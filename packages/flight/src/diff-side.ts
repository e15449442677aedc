import { attributeBytes, type Attribution } from './attribution.ts';
import { createContentHashes } from './content-hash.ts';
import { createElementNames, type ElementNames } from './element-names.ts';
import type { Flight } from './flight.ts';
import { readNestedFlight } from './nested-flight.ts';
import type { Place } from './place.ts';
import { printRow, printValue } from './print-value.ts';
import { readText, resolveTarget, type Resolved } from './resolve.ts';
import { readRow, type Row } from './row.ts';
import { readStreams, type FlightStream } from './streams.ts';
import { findEntry, readElement, readEntries, readItems, type Value } from './value.ts';
import { valueToJson } from './value-to-json.ts';

/**
 * One of the two payloads: its values with references followed, in the form that is compared and shown. Containers are
 * compared by what they hold: a Map and a FormData by their keys, a Set and what is iterated item by item, a stream of bytes
 * as its bytes joined (they are cut differently each time), and Flight within Flight as the payload that it is.
 */
export type DiffNode = {
  kind: 'array' | 'object' | 'element' | 'other';
  /** All there is to compare of a value that holds no others; undefined for a container. */
  scalar: string | undefined;
  /** What must be the same for two containers to be compared inside. */
  signature: string;
  /** What must be the same for two items of lists to be one. */
  match: string;
  isKeyed: boolean;
  /** Its items are pairs of a key and a value. */
  hasPairs: boolean;
  /** Of an entry of a Map or a FormData: its key. The order of entries says nothing. */
  entryName: string | undefined;
  /** How an element is called in a path. */
  label: string | undefined;
  bytes: number;
  /** What it was opened from. There may be a million nodes, so what is seldom asked is read from here when it is asked. */
  readonly side: Side;
  readonly value: Value | undefined;
  readonly row: Row | undefined;
  /** Of a Flight within a Flight: its bytes in the outer one. */
  sent: { readonly flight: Flight; readonly start: number; readonly end: number } | undefined;
};

export type DiffValue = {
  /** In a few words. */
  text: string;
  bytes: number;
  /** Undefined where nothing is: a payload may have no row. */
  place: Place | undefined;
};

/** What a difference shows when it is opened: a string's text, or a value as it was sent. */
export type DiffContent = { text: string; isText: boolean; isCut: boolean };

export type DiffSide = { root: DiffNode };

type Known = Pick<DiffNode, 'bytes' | 'value' | 'row'>;

/** What may still be opened of one payload: a value costs one, and more with its text and with the references that lead to it. */
export type DiffBudget = { left: number };

/** Characters of a text, and steps to a value, that take as long as one more value. */
const charactersOfOne = 64;
const stepsOfOne = 4;

const passed = new Set<string>(['reference', 'lazy', 'promise', 'server-reference', 'map', 'set', 'iterator'])
  .add('form-data')
  .add('blob')
  .add('error');
/** Followed and not mentioned: React sends large values in rows of their own, and a lazy value that came is just that value. */
const transparent = new Set(['reference', 'lazy']);
/** Their rows hold pairs of a key and a value. */
const keyed = new Set(['map', 'form-data']);

/** Hops from promise to map to row. */
const maxHops = 20;

/** Flight within Flight within Flight: Next.js has one level. */
const maxNested = 3;

/** Characters or bytes of a value that are shown when it is opened; a link leads to the rest. */
const maxContent = 2000;

const latin1 = new TextDecoder('latin1');
const utf8 = new TextDecoder();

/** Where a payload stands in another: `undefined` for the outermost. */
type Outer = { name: string; place: Place; depth: number };

export type SideOptions = {
  attribution: Attribution;
  seed: number;
  budget: DiffBudget;
  /** Elements by name whose keys are of one request, and say nothing. */
  keyless?: ReadonlySet<string> | undefined;
  outer?: Outer;
};

/** What its values are opened with. */
type Side = SideOptions & {
  readonly flight: Flight;
  readonly names: ElementNames;
  readonly hashes: (node: number) => number;
  /** Flight within this one, by row. */
  readonly nested: Map<number, DiffSide | undefined>;
  streams: ReadonlyMap<number, FlightStream> | undefined;
  /** Places of one side have names of their own. */
  readonly idPrefix: string;
};

export function createDiffSide(flight: Flight, options: SideOptions): DiffSide {
  const side: Side = {
    ...options,
    flight,
    names: createElementNames(flight),
    hashes: createContentHashes(flight, options.seed),
    nested: new Map(),
    streams: undefined,
    idPrefix: options.outer?.name ?? '',
  };
  return { root: readRoot(side) };
}

function makeNode(side: Side, { bytes, value, row }: Known, own: Partial<Omit<DiffNode, keyof Known>>): DiffNode {
  const { kind = 'other', signature = '', match = '', isKeyed = false, hasPairs = false } = own;
  const { scalar, entryName, label, sent } = own;
  return { kind, scalar, signature, match, isKeyed, hasPairs, entryName, label, bytes, side, value, row, sent };
}

/** Of a value that holds others: the same for the same place, for pairs already compared. */
export function idOf({ side: { idPrefix }, value, row }: DiffNode): string {
  return value ? `${idPrefix}${value.at}` : `${idPrefix}row ${row?.row}`;
}

export function placeOf({ side, value, row }: DiffNode): Place {
  if (side.outer) return side.outer.place;
  const { start, end } = row ?? value ?? { start: 0, end: 0 };
  return { row: row?.row ?? value?.row ?? 0, start, end };
}

/** The same for two values with the same content, with hardly an exception. */
export function readContent({ side, value, signature }: DiffNode): string {
  return value ? String(side.hashes(value.at)) : signature;
}

export function describeNode(node: DiffNode): DiffValue {
  const { side, value, row, bytes } = node;
  const text = row ? printRow(side.flight, row) : value ? printValue(side.flight, value) : 'nothing';
  return { text, bytes, place: row || value ? placeOf(node) : undefined };
}

/** What is shown of it when it is opened. */
export function readWhole({ side, value, row, sent }: DiffNode): DiffContent {
  return sent ? readSent(sent.flight, sent.start, sent.end) : readFull(side.flight, value, row);
}

/** Of an object its entries, of an element its props: as many as the budget has room for. */
export function readMembers(node: DiffNode): [string, DiffNode][] {
  const { side, value, kind } = node;
  if (!value || (kind !== 'object' && kind !== 'element')) return [];
  if (kind === 'object') {
    const entries = readEntries(side.flight, value, 0, Math.max(0, side.budget.left));
    return openWhile(side, entries, (entry): [string, DiffNode] => [entry.key, open(side, entry.value)]);
  }
  const { props } = readElement(side.flight, value);
  if (!props) return [];
  const opened = open(side, props);
  return opened.kind === 'object' ? readMembers(opened) : [['props', opened]];
}

/** Of an array, and of what is iterated: as many as the budget has room for. */
export function readItemsOf({ side, value, row, kind, hasPairs }: DiffNode): DiffNode[] {
  if (kind !== 'array') return [];
  if (!value) return row?.kind === 'stream-start' ? readStream(side, row) : [];
  const items = readItems(side.flight, value, 0, Math.max(0, side.budget.left));
  return openWhile(side, items, (item) => (hasPairs ? openPair(side, item) : open(side, item)));
}

function openWhile<Sent, Opened>(side: Side, all: readonly Sent[], openOne: (one: Sent) => Opened): Opened[] {
  const opened: Opened[] = [];
  for (const one of all) {
    if (side.budget.left <= 0) break;
    opened.push(openOne(one));
  }
  return opened;
}

function open(side: Side, value: Value): DiffNode {
  const forms: string[] = [];
  let found: Resolved = { kind: 'value', value };
  const taken = { hops: 0, names: 0 };
  for (let hop = 0; hop < maxHops && found.kind === 'value'; hop++) {
    const { value: current } = found;
    if (!passed.has(current.kind)) break;
    const target = current.kind === 'error' ? current.target : 'id' in current ? current : undefined;
    if (!target) break;
    if (!transparent.has(current.kind)) forms.push(current.kind);
    found = resolveTarget(side.flight, target, taken);
  }
  side.budget.left -= 1 + Math.floor((taken.hops + taken.names) / stepsOfOne);
  const form = forms.join(' ');
  if (found.kind === 'value') return openValue(side, found.value, form, keyed.has(forms.at(-1) ?? ''));
  if (found.kind === 'row') return openRow(side, found.row, value, form);
  return makeLeaf(side, `${form} ${found.kind}`, value, undefined);
}

function openValue(side: Side, value: Value, form: string, hasPairs: boolean): DiffNode {
  const bytes = side.attribution.totals[value.at] ?? value.end - value.start;
  const known: Known = { bytes, value, row: undefined };
  const signature = `${form} ${value.kind}`;
  switch (value.kind) {
    case 'element':
      return openElement(side, value, form, known);
    case 'array':
      return makeNode(side, known, { kind: 'array', signature, match: signature, hasPairs });
    case 'object':
      return makeNode(side, known, { kind: 'object', signature, match: signature });
    default:
      return makeLeaf(side, `${form} ${scalarOf(side.flight, value)}`, value, undefined);
  }
}

function openElement(side: Side, value: Value, form: string, known: Known): DiffNode {
  const { key } = readElement(side.flight, value);
  const { name, kind } = side.names.typeOf(value.row, value.at);
  const isKeyless = key === undefined || key.kind === 'null' || side.keyless?.has(name) === true;
  const keyText = isKeyless ? undefined : JSON.stringify(valueToJson(side.flight, key));
  const label = keyText === undefined ? `<${name}>` : `<${name} key=${keyText}>`;
  const signature = `${form} ${kind} ${label}`;
  const isKeyed = keyText !== undefined;
  spend(side, signature);
  return makeNode(side, known, { kind: 'element', signature, match: signature, isKeyed, label });
}

function spend(side: Side, { length }: string): void {
  side.budget.left -= Math.floor(length / charactersOfOne);
}

/** An entry of a Map or a FormData: its value, matched by its key. */
function openPair(side: Side, pair: Value): DiffNode {
  const [key, value] = readItems(side.flight, pair, 0, 2);
  if (!key || !value) return open(side, pair);
  const name = open(side, key);
  const opened = open(side, value);
  const match = `entry ${name.scalar ?? readContent(name)}`;
  return Object.assign(opened, { match, isKeyed: true, entryName: `[${printValue(side.flight, key)}]` });
}

function openRow(side: Side, row: Row, value: Value | undefined, form: string): DiffNode {
  switch (row.kind) {
    case 'text':
      return makeLeaf(side, `${form} "${row.text}`, value, row);
    case 'binary':
      return openNested(side, row, form) ?? makeLeaf(side, `${form} ${row.tag} ${latin1.decode(row.data)}`, value, row);
    case 'bytes':
      return makeLeaf(side, `${form} ${row.tag} ${latin1.decode(row.data)}`, value, row);
    case 'error':
      return makeLeaf(side, `${form} error ${readMessage(side.flight, row.value)}`, value, row);
    case 'stream-start':
      return openStream(side, row, form);
    default:
      return makeLeaf(side, `${form} ${row.kind} ${printRow(side.flight, row)}`, value, row);
  }
}

/** Flight within Flight, compared as such. Its places are those of the row that holds it. */
function openNested(side: Side, row: Row, form: string): DiffNode | undefined {
  const depth = (side.outer?.depth ?? 0) + 1;
  if (depth > maxNested) return undefined;
  if (!side.nested.has(row.row)) {
    const inner = readNestedFlight(side.flight, row.row);
    const place = side.outer?.place ?? { row: row.row, start: row.start, end: row.end };
    const name = `${side.idPrefix}${row.row}/`;
    side.nested.set(
      row.row,
      inner &&
        createDiffSide(inner, {
          attribution: attributeBytes(inner),
          seed: side.seed,
          budget: side.budget,
          keyless: side.keyless,
          outer: { name, place, depth },
        }),
    );
  }
  const root = side.nested.get(row.row)?.root;
  if (!root) return undefined;
  return {
    ...root,
    signature: `${form} flight ${root.signature}`,
    match: `${form} flight ${root.match}`,
    scalar: root.scalar === undefined ? undefined : `${form} flight ${root.scalar}`,
    bytes: side.attribution.rowTotals[row.row] ?? root.bytes,
    sent: { flight: side.flight, start: row.payloadStart, end: row.payloadEnd },
  };
}

function openStream(side: Side, row: Row & { kind: 'stream-start' }, form: string): DiffNode {
  const known: Known = { bytes: side.attribution.rowTotals[row.row] ?? 0, value: undefined, row };
  const signature = `${form} ${row.stream}`;
  return makeNode(side, known, { kind: 'array', signature, match: signature });
}

function readStream(side: Side, row: Row & { kind: 'stream-start' }): DiffNode[] {
  side.streams ??= readStreams(side.flight);
  const stream = side.streams.get(row.id);
  const rows = (stream?.items ?? []).slice(0, Math.max(0, side.budget.left)).map((item) => readRow(side.flight, item));
  const end = stream?.end === undefined ? undefined : readRow(side.flight, stream.end);
  const isBytes = row.stream === 'byte-stream';
  const items = isBytes ? [openBytes(side, rows)] : openWhile(side, rows, (item) => openItem(side, item));
  return end?.kind === 'error' || end?.kind === 'stream-end' ? [...items, openItem(side, end)] : items;
}

function openItem(side: Side, row: Row): DiffNode {
  if (row.kind === 'model') return open(side, row.value);
  if (row.kind === 'stream-end') return row.value ? open(side, row.value) : makeLeaf(side, 'end', undefined, row);
  return openRow(side, row, undefined, '');
}

function openBytes(side: Side, rows: readonly Row[]): DiffNode {
  const text = rows.map((row) => ('data' in row ? latin1.decode(row.data) : '')).join('');
  return { ...makeLeaf(side, `bytes ${text}`, undefined, rows[0]), bytes: text.length };
}

/** A value that holds no others. */
function makeLeaf(side: Side, scalar: string, value: Value | undefined, row: Row | undefined): DiffNode {
  spend(side, scalar);
  const { rowTotals, totals } = side.attribution;
  const bytes = row ? (rowTotals[row.row] ?? 0) : value ? (totals[value.at] ?? value.end - value.start) : 0;
  return makeNode(side, { bytes, value, row }, { scalar, match: scalar });
}

/** What is compared first. */
function readRoot(side: Side): DiffNode {
  const row = side.flight.root === undefined ? undefined : readRow(side.flight, side.flight.root);
  if (!row) return makeNode(side, { bytes: 0, value: undefined, row: undefined }, { scalar: 'no root' });
  if (row.kind === 'model') return open(side, row.value);
  const scalar = row.kind === 'error' ? ` error ${readMessage(side.flight, row.value)}` : printRow(side.flight, row);
  return makeNode(side, { bytes: row.end - row.start, value: undefined, row }, { scalar, match: scalar });
}

function readFull(flight: Flight, value: Value | undefined, row: Row | undefined): DiffContent {
  if (row?.kind === 'text') return shorten(row.text, true);
  if (row) return { text: printRow(flight, row), isText: false, isCut: row.kind === 'binary' || row.kind === 'bytes' };
  if (!value) return { text: '', isText: false, isCut: false };
  return value.kind === 'string' ? shorten(value.value, true) : readSent(flight, value.start, value.end);
}

function shorten(text: string, isText: boolean): DiffContent {
  return { text: text.slice(0, maxContent), isText, isCut: text.length > maxContent };
}

/** A value's own bytes as they were sent, without a character that is cut in two. */
function readSent({ bytes }: Flight, start: number, end: number): DiffContent {
  const isCut = end - start > maxContent;
  const text = utf8.decode(bytes.subarray(start, isCut ? start + maxContent : end), { stream: isCut });
  utf8.decode();
  return { text, isText: false, isCut };
}

/** Each occurrence of an error has a new digest, so digests are not compared. Development says more. */
function readMessage(flight: Flight, value: Value): string {
  const parts = ['name', 'message'].map((name) => findEntry(flight, value, name));
  return parts.map((part) => (part && readText(flight, part)) ?? '').join(' ');
}

/** What there is to compare of a value that holds no others. A text is the same in a row of its own and in place. */
function scalarOf(flight: Flight, value: Value): string {
  switch (value.kind) {
    case 'string':
      return `"${value.value}`;
    case 'omitted':
      // It names a row of development's other channel, and ids shift.
      return 'omitted';
    default:
      return JSON.stringify(valueToJson(flight, value));
  }
}
