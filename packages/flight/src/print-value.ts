import type { Flight } from './flight.ts';
import { readModuleName } from './modules.ts';
import { findRow } from './row-index.ts';
import { readRow, type Row } from './row.ts';
import { readText, resolveTarget } from './resolve.ts';
import { countChildren, readElement, readEntries, type Value } from './value.ts';

/**
 * Values in a few words, as a person writes them: `<Counter start={3}>`, `Map(2)`, `Promise`. For lists and titles;
 * `valueToJson` gives the whole value. Nothing here is longer than `maxLength` characters, whatever the payload holds.
 */
const maxLength = 120;
const maxShown = 5;

function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}

/** One value in a few words, at most 120 characters. */
export function printValue(flight: Flight, value: Value): string {
  return shorten(print(flight, value, 1), maxLength);
}

/** A row in a few words, at most 120 characters. It may hold any character of the payload: escape it for a terminal. */
export function printRow(flight: Flight, row: Row): string {
  return shorten(printRowText(flight, row), maxLength);
}

function printRowText(flight: Flight, row: Row): string {
  switch (row.kind) {
    case 'model':
      return print(flight, row.value, 1);
    case 'module':
      return `client ${readModuleName(flight, row.value)}`;
    case 'error':
      return row.digest === undefined ? 'Error' : `Error, digest ${JSON.stringify(row.digest)}`;
    case 'text':
      return JSON.stringify(row.text.slice(0, maxLength));
    case 'binary':
      return `${row.type}(${row.data.length} bytes)`;
    case 'bytes':
      return `${row.data.length} bytes`;
    case 'stream-start':
      return row.stream;
    case 'stream-end':
      return row.value ? `end: ${print(flight, row.value, 1)}` : 'end';
    case 'postpone':
      return 'postponed';
    case 'hint':
      return `${hintNames.get(row.code) ?? `hint ${row.code}`} ${print(flight, row.value, 1)}`;
    case 'time-origin':
      return `time origin ${row.time}`;
    case 'halted':
      return 'halted';
    case 'broken':
    case 'unknown':
      return `${row.kind} ${shorten(row.text, maxLength)}`;
    default:
      return `${row.kind} ${printBody(flight, row)}`;
  }
}

/** What a row holds, of whatever kind it is. */
function printBody(flight: Flight, row: Row): string {
  if ('value' in row && row.value) return print(flight, row.value, 1);
  if ('text' in row) return shorten(row.text, maxLength);
  return 'data' in row ? `${row.data.length} bytes` : '';
}

/** What React does with each hint. */
const hintNames: ReadonlyMap<string, string> = new Map([
  ['D', 'prefetchDNS'],
  ['C', 'preconnect'],
  ['L', 'preload'],
  ['m', 'preloadModule'],
  ['X', 'preinitScript'],
  ['S', 'preinitStyle'],
  ['M', 'preinitModule'],
]);

/** An element's type as its author wrote it: `div`, `Counter`, `Suspense`. */
export function printElementType(flight: Flight, type: Value): string {
  if (type.kind === 'string') return type.value;
  if (type.kind === 'symbol') return printTypeSymbol(type.name);
  // React has no such type. Printing it might never end: in `1:["$","$L1",…]` the element is its own type.
  if (type.kind === 'element') return 'element';
  if (type.kind !== 'reference' && type.kind !== 'lazy') return print(flight, type, 0);
  const row = findRow(flight.rows, type.id);
  if (row === undefined) return 'pending';
  const target = readRow(flight, row);
  if (target.kind === 'module') return readModuleName(flight, target.value);
  const found = resolveTarget(flight, type);
  if (found.kind !== 'value') return found.kind;
  if (found.value.kind === 'symbol') return printTypeSymbol(found.value.name);
  return found.value.kind === 'element' ? 'element' : print(flight, found.value, 0);
}

const typeNames = new Map([
  ['react.suspense', 'Suspense'],
  ['react.fragment', 'Fragment'],
  ['react.strict_mode', 'StrictMode'],
  ['react.profiler', 'Profiler'],
  ['react.activity', 'Activity'],
  ['react.view_transition', 'ViewTransition'],
  ['react.suspense_list', 'SuspenseList'],
]);

function printTypeSymbol(name: string): string {
  return typeNames.get(name) ?? `Symbol(${name})`;
}

function printElement(flight: Flight, value: Value, depth: number): string {
  const { type, key, props } = readElement(flight, value);
  const name = printElementType(flight, type);
  if (depth === 0) return `<${name}>`;
  const keyText = key?.kind === 'string' ? ` key=${JSON.stringify(shorten(key.value, 20))}` : '';
  const entries = props ? readEntries(flight, props, 0, maxShown + 1).filter((entry) => entry.key !== 'children') : [];
  const shown = entries.slice(0, maxShown).map((entry) => ` ${entry.key}=${printAttribute(flight, entry.value)}`);
  return `<${name}${keyText}${shown.join('')}${entries.length > maxShown ? ' …' : ''}>`;
}

function printAttribute(flight: Flight, value: Value): string {
  if (value.kind === 'string') return JSON.stringify(shorten(value.value, 30));
  return `{${shorten(print(flight, value, 0), 30)}}`;
}

function print(flight: Flight, value: Value, depth: number): string {
  switch (value.kind) {
    case 'null':
    case 'undefined':
      return value.kind;
    case 'boolean':
      return String(value.value);
    case 'number':
      return Object.is(value.value, -0) ? '-0' : String(value.value);
    case 'bigint':
      return `${shorten(value.digits, 40)}n`;
    case 'string':
      return JSON.stringify(value.value.slice(0, maxLength));
    case 'date':
      return `Date(${shorten(value.iso, 40)})`;
    case 'symbol':
      return `Symbol(${value.name})`;
    case 'array':
      return `Array(${countChildren(flight, value)})`;
    case 'object':
      return printObject(flight, value, depth);
    case 'element':
      return printElement(flight, value, depth);
    default:
      return printForm(flight, value);
  }
}

function printObject(flight: Flight, value: Value, depth: number): string {
  const entries = readEntries(flight, value, 0, maxShown + 1);
  if (entries.length === 0) return '{}';
  if (depth === 0) return '{…}';
  const keys = entries.slice(0, maxShown).map(({ key }) => shorten(key, 30));
  return `{${keys.join(', ')}${entries.length > maxShown ? ', …' : ''}}`;
}

function countTarget(flight: Flight, id: number): string {
  const row = findRow(flight.rows, id);
  const target = row === undefined ? undefined : readRow(flight, row);
  return target?.kind === 'model' ? `(${countChildren(flight, target.value)})` : '';
}

/** A request says a file's name and type; of a response its row does. */
function printBlob(flight: Flight, id: number): string {
  const file = flight.files.get(id);
  if (!file) return 'Blob';
  const type = shorten(file.type, 40);
  return `File(${[JSON.stringify(shorten(file.filename, 60)), ...(type === '' ? [] : [type])].join(', ')})`;
}

/** The `$` forms that are no plain value. */
function printForm(flight: Flight, value: Value): string {
  switch (value.kind) {
    case 'reference':
      return `→ ${[value.id.toString(16), ...value.path].join('.')}`;
    case 'lazy':
      return `Lazy → ${value.id.toString(16)}`;
    case 'promise':
      return `Promise → ${value.id.toString(16)}`;
    case 'never':
      return 'Promise, never resolved';
    case 'server-reference':
      return `Server action${readActionId(flight, value)}`;
    case 'map':
      return `Map${countTarget(flight, value.id)}`;
    case 'set':
      return `Set${countTarget(flight, value.id)}`;
    case 'iterator':
      return `Iterator${countTarget(flight, value.id)}`;
    case 'form-data':
      return `FormData${countTarget(flight, value.id)}`;
    case 'blob':
      return printBlob(flight, value.id);
    case 'error':
      return 'Error';
    case 'temporary':
      return 'Temporary reference';
    case 'stream':
      return value.stream;
    case 'binary':
      return value.type;
    case 'constructor':
      return 'Class';
    case 'function-source':
      return 'Function';
    case 'omitted':
      return value.isPromise ? 'Promise, left out' : 'left out';
    case 'unknown':
      return JSON.stringify(shorten(value.text, 40));
    default:
      return value.kind;
  }
}

function readActionId(flight: Flight, value: Value & { kind: 'server-reference' }): string {
  const found = resolveTarget(flight, value);
  if (found.kind !== 'value') return '';
  const id = readEntries(flight, found.value, 0, 10).find((entry) => entry.key === 'id')?.value;
  const text = id && readText(flight, id);
  return text === undefined ? '' : ` ${text}`;
}
