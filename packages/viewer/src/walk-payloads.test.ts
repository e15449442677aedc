import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';

import { describe, expect, test } from 'vitest';

import {
  decodeFlight,
  decodeReply,
  findRow,
  openFlights,
  openPart,
  printElementType,
  readElement,
  readEntries,
  readHeader,
  readMembers,
  readNestedFlight,
  readRow,
  rowTagOf,
  type Flight,
  type Part,
} from '#flight';

import { isRecord } from '#boundary';
import { createOutlineReader, type NodeLine } from './outline.ts';
import { pressKey, type OutlineState } from './outline-keys.ts';
import type { SearchableSource } from './outline-search.ts';
import { createValueSource } from './rows/value-source.ts';
import { createTreeSource, openNode, printNode, readNodeElement, type TreeNode } from './tree/tree-source.ts';

/**
 * Every payload that is kept here is walked with the keys of the panels, in Tree and in Rows, and each string, number,
 * date and bigint that the bytes hold must be met. What there is to meet is counted here with a JSON reader of its own, without what
 * the panels read with.
 */
const root = path.join(import.meta.dirname, '../../..');
const folders = ['packages/flight/fixtures', 'src/flights/watch/fixtures'];

function unpack(bytes: Buffer, encoding: string): Buffer {
  if (encoding === 'gzip') return gunzipSync(bytes);
  if (encoding === 'br') return brotliDecompressSync(bytes);
  return encoding === 'zstd' ? zstdDecompressSync(bytes) : bytes;
}

function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/** The body of a recorded exchange: its chunks, unpacked. */
function readExchange(text: string): Buffer | undefined {
  const parsed: unknown = JSON.parse(text);
  if (!isRecord(parsed) || !Array.isArray(parsed['chunks']) || !isRecord(parsed['response'])) return undefined;
  const pieces = parsed['chunks'].map((chunk: unknown) =>
    Buffer.from(Array.isArray(chunk) && typeof chunk[1] === 'string' ? chunk[1] : '', 'base64'),
  );
  const { headers } = parsed['response'];
  const names = isTextList(headers) ? headers.map((name) => name.toLowerCase()) : [];
  return unpack(Buffer.concat(pieces), names[names.indexOf('content-encoding') + 1] ?? '');
}

async function readPayloads(): Promise<{ name: string; flight: Flight }[]> {
  const found: { name: string; flight: Flight }[] = [];
  for (const folder of folders) {
    for (const entry of readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || entry.name.endsWith('.headers')) continue;
      const file = path.join(entry.parentPath, entry.name);
      const bytes = readFileSync(file);
      const body = entry.name.endsWith('.json') ? readExchange(bytes.toString()) : bytes;
      if (!body || body.length === 0) continue;
      const input = await openFlights(new Uint8Array(body));
      if (input.kind === 'unreadable') continue;
      for (const [index, flight] of input.flights.entries()) {
        const name = `${path.relative(root, file)} ${index}`;
        const decoded = flight.direction === 'response' ? decodeFlight(flight.bytes) : decodeReply(flight.body).flight;
        found.push({ name, flight: decoded });
      }
    }
  }
  return found;
}

/** A leaf's name: the payload within the payload it is in, and its place. */
const scopes = new WeakMap<Flight, number>();
let scopeCount = 0;

function nameLeaf(flight: Flight, place: string): string {
  const scope = scopes.get(flight) ?? ++scopeCount;
  scopes.set(flight, scope);
  return `${scope} ${place}`;
}

type Wanted = {
  readonly leaves: Map<string, string>;
  /** Rows that are walked. */
  readonly rows: Set<string>;
  /** Whether what refers to a row is followed, and an element's debug parts and module are left out. */
  readonly isTree: boolean;
};

const targets = {
  response: /^\$(?:[L@hFQWKBiZ])?([0-9a-f]{1,8})$/,
  request: /^\$(?:[@hFQWKBiAOoUSsLlGgMmVRrXx])?([0-9a-f]{1,8})$/,
};

function addLeaf({ leaves }: Wanted, flight: Flight, place: string, text: string): void {
  leaves.set(nameLeaf(flight, place), text);
}

/** JSON with the byte at which each value begins. */
type Json =
  | { readonly kind: 'text' | 'word'; readonly start: number; readonly text: string }
  | { readonly kind: 'array' | 'object'; readonly start: number; readonly items: readonly Json[] };

/** Reads JSON that is known to be right from `latin1`, in which each character is a byte. */
function readJson(latin1: string, from: number): Json {
  const token = /\s*(?:([[\]{},:])|("(?:[^"\\]|\\.)*")|([^\s,\]}]+))/gy;
  token.lastIndex = from;
  const stack: { kind: 'array' | 'object'; start: number; items: Json[]; isKey: boolean }[] = [];
  for (let match = token.exec(latin1); match; match = token.exec(latin1)) {
    const [, mark, text, word] = match;
    const start = token.lastIndex - (mark ?? text ?? word ?? '').length;
    let value: Json | undefined;
    const open = stack.at(-1);
    if (mark === '[' || mark === '{') {
      stack.push({ kind: mark === '[' ? 'array' : 'object', start, items: [], isKey: mark === '{' });
    } else if (mark === ']' || mark === '}') value = stack.pop();
    else if (mark === ',' && open) open.isKey = open.kind === 'object';
    else if (mark === ':' && open) open.isKey = false;
    else if (text !== undefined && !open?.isKey) {
      const parsed: unknown = JSON.parse(Buffer.from(text, 'latin1').toString());
      value = { kind: 'text', start, text: String(parsed) };
    } else if (word !== undefined) value = { kind: 'word', start, text: word };
    if (!value) continue;
    const outer = stack.at(-1);
    if (!outer) return value;
    outer.items.push(value);
  }
  throw new Error('the JSON has no end');
}

function addText(wanted: Wanted, flight: Flight, { start, text }: { start: number; text: string }): void {
  if (!text.startsWith('$') || /^\$[$D]|^\$n\d/.test(text)) addLeaf(wanted, flight, `v${start}`, text);
  const [, id] = targets[flight.direction].exec(text) ?? [];
  if (wanted.isTree && id !== undefined) addTarget(wanted, flight, Number.parseInt(id, 16));
}

/** 0 is the mark, 1 the type, 6 whether keys were checked: those are in the line, or in none. */
function isInElementLine(wanted: Wanted, item: Json, part: number): boolean {
  if (part === 0 || part > 5) return true;
  if (part === 1) return wanted.isTree || (item.kind === 'text' && !item.text.startsWith('$'));
  return wanted.isTree && part > 3;
}

function addJson(wanted: Wanted, flight: Flight, json: Json): void {
  switch (json.kind) {
    case 'text':
      addText(wanted, flight, json);
      break;
    case 'word':
      if (/\d/.test(json.text)) addLeaf(wanted, flight, `v${json.start}`, json.text);
      break;
    case 'array':
    case 'object': {
      const [mark] = json.items;
      const isMarked = json.kind === 'array' && mark?.kind === 'text' && mark.text === '$';
      const isElement = isMarked && flight.direction === 'response';
      for (const [part, item] of json.items.entries()) {
        if (!isElement || !isInElementLine(wanted, item, part)) addJson(wanted, flight, item);
      }
    }
  }
}

const latin1Of = new WeakMap<Flight, string>();

function readLatin1(flight: Flight): string {
  const text = latin1Of.get(flight) ?? Buffer.from(flight.bytes).toString('latin1');
  latin1Of.set(flight, text);
  return text;
}

/** What one row holds: JSON, text, the numbers of bytes (the first and the last), or another payload. */
function addRow(wanted: Wanted, flight: Flight, row: number): void {
  const name = nameLeaf(flight, String(row));
  if (wanted.rows.has(name)) return;
  wanted.rows.add(name);
  const { tag, payloadStart, payloadEnd } = readHeader(flight.rows, row);
  const rowTag = rowTagOf(tag);
  const model = flight.rows.models[row] ?? 0;
  if (model !== 0) addJson(wanted, flight, readJson(readLatin1(flight), payloadStart + (rowTag.jsonFrom ?? 0)));
  else if (rowTag.role === 'text') addLeaf(wanted, flight, `r${row}`, 'a text');
  else if (rowTag.body === 'binary' || rowTag.body === 'bytes') {
    const nested = readNestedFlight(flight, row);
    if (nested?.root !== undefined) return addRow(wanted, nested, nested.root);
    const width = rowTag.body === 'binary' ? rowTag.bytesPerElement : 1;
    const size = Math.floor((payloadEnd - payloadStart) / width);
    for (const index of size === 0 ? [] : [0, size - 1]) {
      addLeaf(wanted, flight, `n${row} ${payloadStart + index * width}`, 'bytes');
    }
  }
  return undefined;
}

/** The row with an id; of a stream, all its rows. */
function addTarget(wanted: Wanted, flight: Flight, id: number): void {
  const row = findRow(flight.rows, id);
  if (row === undefined) return;
  addRow(wanted, flight, row);
  if (rowTagOf(readHeader(flight.rows, row).tag).body !== 'stream') return;
  for (let next = row + 1; next < flight.rows.count; next++) {
    const header = readHeader(flight.rows, next);
    if (header.id !== id || rowTagOf(header.tag).role === 'debug' || rowTagOf(header.tag).role === 'hint') continue;
    addRow(wanted, flight, next);
    if (rowTagOf(header.tag).endsStream) return;
  }
}

/** The leaf that a part is, if it is one. */
function nameOfPart(part: Part): string | undefined {
  const { flight } = part;
  if (part.kind === 'number') return nameLeaf(flight, `n${part.row} ${part.start}`);
  if (part.kind === 'row') return nameLeaf(flight, `r${part.row}`);
  return part.kind === 'value' ? nameLeaf(flight, `v${part.value.start}`) : undefined;
}

/** The keys of a Map or FormData, which are its members' names. */
function meetKeys(part: Part, met: Set<string>): void {
  const opened = openPart(part, true);
  if (opened.kind !== 'value' || !['map', 'form-data'].includes(opened.value.kind)) return;
  for (const { name, key } of readMembers(opened)) {
    if (key?.kind === 'string') expect([key.value, JSON.stringify(key.value)]).toContain(name);
    if (key) met.add(nameLeaf(opened.flight, `v${key.start}`));
  }
}

/**
 * Goes through a tree as a person does: the arrow to the right opens and goes in, down to the next, to the left out and
 * closes. What is open somewhere else already is not opened again.
 */
function walk<Node extends object>(
  source: SearchableSource<Node>,
  meet: (line: NodeLine<Node>) => void,
  opened: Set<string>,
): void {
  let state: OutlineState = { open: new Map(), current: undefined };
  const read = createOutlineReader(source);
  let lines = read(state.open);
  function press(key: string): void {
    const next = pressKey(source, lines, state, key);
    if (!next) throw new Error(`${key} does nothing at ${state.current}`);
    if (next.open !== state.open) lines = read(next.open);
    state = next;
  }
  const lineAt = () => lines.find(({ path: own }) => own === state.current);
  if (lines.length === 0) return;
  press('ArrowDown');
  for (;;) {
    const line = lineAt();
    if (!line) throw new Error(`no line at ${state.current}`);
    if (line.kind === 'more') {
      press('ArrowRight');
      continue;
    }
    meet(line);
    const identity = source.identify(line.node);
    const name = identity && `${nameLeaf(Object(identity.scope), identity.key)}`;
    if (name !== undefined && !opened.has(name) && source.hasMembers(line.node)) {
      opened.add(name);
      press('ArrowRight');
      press('ArrowRight');
      continue;
    }
    // Out of each container whose last member this is.
    for (;;) {
      const { current } = state;
      const here = lineAt();
      const at = lines.findIndex((other) => other.path === current);
      const next = lines[at + 1];
      if (here && next && next.depth >= here.depth) break;
      if (!here || here.depth === 0) return;
      press('ArrowLeft');
      press('ArrowLeft');
    }
    press('ArrowDown');
  }
}

/** What an element's line says of its key and props, when there is no line `props`. */
function meetInLine(line: NodeLine<TreeNode>, source: SearchableSource<TreeNode>, met: Set<string>): void {
  const element = readNodeElement(line.node);
  if (!element) return;
  if (source.readMembers(line.node, 0, 1)[0]?.node.kind === 'props') return;
  const { flight, value } = element;
  const label = printNode(line.node);
  const { type, key, props } = readElement(flight, value);
  expect(label).toContain(`<${printElementType(flight, type)}`);
  if (key?.kind === 'string') {
    expect(label).toContain(` key=${JSON.stringify(key.value)}`);
    met.add(nameLeaf(flight, `v${key.start}`));
  }
  for (const { key: name, value: prop } of props ? readEntries(flight, props) : []) {
    if (name === 'children' || (prop.kind !== 'string' && prop.kind !== 'number')) continue;
    const text = prop.kind === 'string' ? JSON.stringify(prop.value) : `{${String(prop.value)}}`;
    expect(label).toContain(` ${name}=${text}`);
    met.add(nameLeaf(flight, `v${prop.start}`));
  }
}

function listMissing({ leaves }: Wanted, met: ReadonlySet<string>): string[] {
  return [...leaves].filter(([name]) => !met.has(name)).map(([name, text]) => `${name}: ${text.slice(0, 60)}`);
}

const payloads = await readPayloads();

test('there are payloads of every framework here', () => {
  const kinds = new Set(payloads.map(({ name }) => path.dirname(name)));
  expect(payloads.length).toBeGreaterThan(180);
  expect(kinds.size).toBeGreaterThan(18);
});

/** Seconds on an idle machine. */
const timeout = 60_000;

describe('every leaf is met', { timeout }, () => {
  test('in Tree', () => {
    let count = 0;
    for (const { name, flight } of payloads) {
      const wanted: Wanted = { leaves: new Map(), rows: new Set(), isTree: true };
      if (flight.root !== undefined) addRow(wanted, flight, flight.root);
      const met = new Set<string>();
      const source = createTreeSource(flight, flight.rows.count);
      const meet = (line: NodeLine<TreeNode>): void => {
        met.add(nameOfPart(openNode(line.node)) ?? '');
        meetKeys(line.node.part, met);
        meetInLine(line, source, met);
      };
      walk(source, meet, new Set());
      expect(listMissing(wanted, met), name).toEqual([]);
      count += wanted.leaves.size;
    }
    expect(count).toBeGreaterThan(10_000);
  });

  test('in Rows, from the root alone', () => {
    for (const { name, flight } of payloads) {
      if (flight.root === undefined) continue;
      const wanted: Wanted = { leaves: new Map(), rows: new Set(), isTree: true };
      addRow(wanted, flight, flight.root);
      const met = new Set<string>();
      const meet = ({ node }: NodeLine<Part>): void => {
        met.add(nameOfPart(openPart(node)) ?? '');
        meetKeys(node, met);
      };
      walk(createValueSource(flight, readRow(flight, flight.root)), meet, new Set());
      expect(listMissing(wanted, met), name).toEqual([]);
    }
  });

  test('in Rows, of every row', () => {
    let count = 0;
    for (const { name, flight } of payloads) {
      const wanted: Wanted = { leaves: new Map(), rows: new Set(), isTree: false };
      const met = new Set<string>();
      const opened = new Set<string>();
      for (let row = 0; row < flight.rows.count; row++) {
        addRow(wanted, flight, row);
        const source = createValueSource(flight, readRow(flight, row));
        const meet = ({ node }: NodeLine<Part>): void => {
          met.add(nameOfPart(node) ?? '');
          met.add(nameOfPart(openPart(node)) ?? '');
          meetKeys(node, met);
        };
        walk(source, meet, opened);
      }
      expect(listMissing(wanted, met), name).toEqual([]);
      count += wanted.leaves.size;
    }
    expect(count).toBeGreaterThan(10_000);
  });
});
