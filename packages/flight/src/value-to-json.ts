import { isErrorValue, reviveErrorMember } from './error-values.ts';
import type { Flight } from './flight.ts';
import { readElement, readEntries, readItems, type Value } from './value.ts';
import { readRow, type Row } from './row.ts';

/**
 * Any decoded value as JSON that JSON.stringify writes as it is. What JSON has stays itself; everything else is an object
 * with the key `$` naming its kind: `{"$":"Date","iso":"…"}`, `{"$":"reference","id":"3","path":["props"]}`. An object of
 * the payload that has a key `$`, or `__proto__`, or a key twice, becomes `{"$":"object","entries":[[key, value], …]}`,
 * so that nothing in the payload can pass for a kind or be lost. What is under `__proto__`, which React's clients drop, is
 * `{"$":"dropped","value":…}`. References stay references: a payload may refer to
 * itself, and inlining would make it larger than it is. Ids are lower-case hex, as in the payload.
 */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Deeper containers become `{"$":"deep"}`: JSON.stringify recurses, and so does whoever reads it. */
const maxJsonDepth = 1000;

/** Bytes of a binary row that are written, in hex; the length tells of the rest. */
const maxBytesShown = 32;

/** One value and what is in it, in the form above: 1000 levels deep, references as they are. */
export function valueToJson(flight: Flight, value: Value, depth = 0): Json {
  switch (value.kind) {
    case 'null':
      return null;
    case 'boolean':
    case 'string':
      return value.value;
    case 'number':
      return isJsonNumber(value.value)
        ? value.value
        : { $: 'number', value: Object.is(value.value, -0) ? '-0' : String(value.value) };
    case 'array':
      if (depth === maxJsonDepth) return { $: 'deep' };
      return readItems(flight, value).map((item) => valueToJson(flight, item, depth + 1));
    case 'object':
      return depth === maxJsonDepth ? { $: 'deep' } : objectToJson(flight, value, depth);
    case 'element':
      return depth === maxJsonDepth ? { $: 'deep' } : elementToJson(flight, value, depth);
    default:
      return formToJson(flight, value);
  }
}

function isJsonNumber(value: number): boolean {
  return Number.isFinite(value) && !Object.is(value, -0);
}

function objectToJson(flight: Flight, value: Value, depth: number): Json {
  const entries: [string, Json][] = [];
  const keys = new Set<string>(['$', '__proto__']);
  let isPlain = true;
  const isError = isErrorValue(flight, value);
  for (const entry of readEntries(flight, value)) {
    if (keys.has(entry.key)) isPlain = false;
    keys.add(entry.key);
    const sent = isError ? reviveErrorMember(entry.key, entry.value) : entry.value;
    const member = valueToJson(flight, sent, depth + 1);
    entries.push([entry.key, entry.key === '__proto__' ? { $: 'dropped', value: member } : member]);
  }
  return isPlain ? Object.fromEntries(entries) : { $: 'object', entries };
}

function elementToJson(flight: Flight, value: Value, depth: number): Json {
  const { type, key, props } = readElement(flight, value);
  return {
    $: 'element',
    type: valueToJson(flight, type, depth + 1),
    key: key ? valueToJson(flight, key, depth + 1) : null,
    props: props ? valueToJson(flight, props, depth + 1) : null,
  };
}

const formNames = new Map([
  ['map', 'Map'],
  ['set', 'Set'],
  ['form-data', 'FormData'],
  ['blob', 'Blob'],
  ['iterator', 'Iterator'],
  ['promise', 'Promise'],
]);

/** The `$` forms that JSON lacks. */
function formToJson(flight: Flight, value: Value): Json {
  switch (value.kind) {
    case 'undefined':
      return { $: 'undefined' };
    case 'never':
      return { $: 'Promise', id: null };
    case 'bigint':
      return { $: 'bigint', digits: value.digits };
    case 'date':
      return { $: 'Date', iso: value.iso };
    case 'symbol':
      return { $: 'Symbol', name: value.name };
    case 'error':
      return value.target ? { $: 'Error', id: value.target.id.toString(16) } : { $: 'Error' };
    case 'temporary':
      return { $: 'temporary', path: value.path };
    case 'function-source':
      return { $: 'function', source: value.source };
    case 'omitted':
      return { $: 'omitted', id: value.target?.id.toString(16) ?? null, isPromise: value.isPromise };
    case 'unknown':
      return { $: 'unknown', text: value.text };
    case 'blob':
      return { ...targetToJson(value), ...flight.files.get(value.id) };
    default:
      return targetToJson(value);
  }
}

function targetToJson(value: Value): { [key: string]: Json } {
  if (!('id' in value)) return { $: value.kind };
  const json: { [key: string]: Json } = { $: formNames.get(value.kind) ?? value.kind, id: value.id.toString(16) };
  if (value.kind === 'stream') json.stream = value.stream;
  if (value.kind === 'binary') json.type = value.type;
  if (value.path.length > 0) json.path = [...value.path];
  return json;
}

function toHex(data: Uint8Array): string {
  return Array.from(data.subarray(0, maxBytesShown), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** A row's decoded value as JSON; for a row that has no value, what it is. */
export function rowToJson(flight: Flight, row: Row): Json {
  switch (row.kind) {
    case 'hint':
      return { $: 'hint', code: row.code, value: valueToJson(flight, row.value) };
    case 'text':
      return row.text;
    case 'binary':
      return { $: row.type, bytes: row.data.length, hex: toHex(row.data) };
    case 'bytes':
      return { $: 'bytes', bytes: row.data.length, hex: toHex(row.data) };
    case 'stream-start':
      return { $: row.stream };
    case 'stream-end':
    case 'postpone':
      return { $: row.kind, value: row.value ? valueToJson(flight, row.value) : null };
    case 'time-origin':
      return Number.isFinite(row.time) ? row.time : null;
    default:
      return bodyToJson(flight, row);
  }
}

/** What a row holds, of whatever kind it is. */
function bodyToJson(flight: Flight, row: Row): Json {
  if ('value' in row && row.value) return valueToJson(flight, row.value);
  return 'text' in row ? { $: row.kind, text: row.text } : { $: row.kind };
}

/** The decoded value of the row with this number, as JSON. @throws RangeError when there is no such row */
export function readRowAsJson(flight: Flight, row: number): Json {
  return rowToJson(flight, readRow(flight, row));
}
