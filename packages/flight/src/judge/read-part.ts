import { readJson } from '../json-tape.ts';
import {
  arrayKind,
  codedDollarKind,
  createTape,
  dollarKind,
  emptyArrayKind,
  itemsEnd,
  kindAt,
  nextAt,
  objectKind,
  stepAt,
} from '../tape.ts';
import { readString, type TapeText } from '../value-text.ts';
import { readWrittenForm, type WrittenForm } from './form.ts';
import { type Breaches, quote } from './forgery.ts';
import { findMisspelling } from './spelling.ts';

/**
 * The JSON of one part, checked as text, with the `$` forms in it. Nothing is built of its values: they stay on the tape.
 */
export type ReadPart = {
  readonly text: TapeText;
  /** The value's place on the tape. */
  readonly at: number;
  readonly forms: readonly PlacedForm[];
};

export type PlacedForm = { readonly form: WrittenForm; readonly written: string; readonly at: number };

/** React's servers read as many places of arrays in one request. */
export const maxSlots = 1_000_000;

export type SlotCount = { slots: number };

const encoder = new TextEncoder();

function checkKeys(text: TapeText, at: number, name: string, breaches: Breaches): void {
  const { tape } = text;
  const end = itemsEnd(tape, at);
  const first = nextAt(tape, at + 4);
  // Of one key there is no second.
  if (first >= end) return;
  const keys = new Set<string>();
  for (let key = at + 2; key < end; key = nextAt(tape, key + 2)) {
    const written = readString(text, key);
    if (keys.has(written)) breaches.add('spelling', name, `the key ${quote(written)} stands twice in one object`);
    keys.add(written);
  }
}

function countSlots({ tape }: TapeText, at: number): number {
  let count = 0;
  for (let item = at + 2; item < itemsEnd(tape, at); item = nextAt(tape, item)) count += 1;
  return count;
}

function readForms(text: TapeText, root: number, name: string, breaches: Breaches, count: SlotCount): PlacedForm[] {
  const { tape } = text;
  const forms: PlacedForm[] = [];
  const end = nextAt(tape, root);
  for (let at = root; at < end && !breaches.isFull(); at = stepAt(tape, at)) {
    const kind = kindAt(tape, at);
    if (kind === objectKind) checkKeys(text, at, name, breaches);
    else if (kind === arrayKind) count.slots += countSlots(text, at);
    if (kind !== dollarKind && kind !== codedDollarKind) continue;
    const written = readString(text, at);
    const form = readWrittenForm(written);
    if (form.kind === 'unknown') breaches.add('form', name, `no client writes ${quote(written)}`);
    else if (form.kind === 'too-large') breaches.add('size', name, form.detail, 'CVE-2026-23864');
    else if (form.kind !== 'scalar') forms.push({ form, written, at });
  }
  if (count.slots > maxSlots) {
    breaches.add('size', name, `arrays with ${count.slots} places and more`, 'CVE-2026-23864');
  }
  return forms;
}

/** Undefined, with a breach, for what is no JSON. */
export function readPart(json: string, name: string, breaches: Breaches, count: SlotCount): ReadPart | undefined {
  const bytes = encoder.encode(json);
  const tape = createTape(bytes.length);
  const read = readJson(tape, bytes, 0, bytes.length, false);
  if (read.kind === 'broken') {
    const isDeep = read.reason.includes('levels deep');
    breaches.add(isDeep ? 'size' : 'spelling', name, json === '' ? 'it is empty' : read.reason);
    return undefined;
  }
  const misspelled = findMisspelling(bytes, 0, bytes.length);
  if (misspelled >= 0) {
    const piece = new TextDecoder().decode(bytes.subarray(misspelled, misspelled + 20));
    breaches.add('spelling', name, `no client spells JSON so, from byte ${misspelled} on: ${quote(piece)}`);
  }
  const text: TapeText = { bytes, tape, window: { start: 0, end: 0, text: '', size: 0 } };
  return { text, at: read.at, forms: readForms(text, read.at, name, breaches, count) };
}

/** The items of an array; undefined for anything else. */
export function itemsOf({ text: { tape } }: ReadPart, at: number): number[] | undefined {
  const kind = kindAt(tape, at);
  if (kind === emptyArrayKind) return [];
  if (kind !== arrayKind) return undefined;
  const items: number[] = [];
  for (let item = at + 2; item < itemsEnd(tape, at); item = nextAt(tape, item)) items.push(item);
  return items;
}

/** The values of an object by their keys; undefined for anything else. */
export function membersOf({ text }: ReadPart, at: number): Map<string, number> | undefined {
  const { tape } = text;
  if (kindAt(tape, at) !== objectKind) return undefined;
  const members = new Map<string, number>();
  for (let key = at + 2; key < itemsEnd(tape, at); key = nextAt(tape, key + 2)) {
    members.set(readString(text, key), key + 2);
  }
  return members;
}
