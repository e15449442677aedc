import type { Flight } from './flight.ts';
import { readText } from './print-value.ts';
import { readRowTag } from './row-index.ts';
import { readRow } from './row.ts';
import { countChildren, findEntry, readItems, type Value } from './value.ts';

/**
 * Client modules. The metadata in an `I` row is the bundler's own:
 * webpack, Turbopack, Vite: `[id, chunks, name]` and a fourth item `1` when the module is async; webpack's chunks alternate
 * chunk id and file. Parcel: `[id, name, bundles, importMap?]`. Name `*` is the whole module, `""` its default for CommonJS.
 * Next.js 13.4 and 14.0 (React 18.3): `{"id":…,"chunks":["id:file"],"name":…,"async":…}`.
 * Since React 19.3 strings of 16 characters and more are rows of their own, and the metadata holds references to them.
 */
export type ClientModule = {
  /** The number of the row, and its id. */
  row: number;
  id: number;
  module: string;
  name: string;
  chunks: readonly string[];
  isAsync: boolean;
  bundler: 'webpack' | 'parcel';
};

/** Chunks listed of one module: bundlers write tens. */
const maxChunks = 1000;

function toText(flight: Flight, value: Value | undefined): string {
  if (!value) return '';
  if (value.kind === 'number') return String(value.value);
  return readText(flight, value) ?? '';
}

function readChunks(flight: Flight, value: Value | undefined): string[] {
  return value?.kind === 'array' ? readItems(flight, value, 0, maxChunks).map((item) => toText(flight, item)) : [];
}

/** The module in a row's metadata; undefined when it is of no known bundler's shape. */
export function readModuleMetadata(flight: Flight, value: Value): Omit<ClientModule, 'row' | 'id'> | undefined {
  if (value.kind === 'object') return readOldMetadata(flight, value);
  if (value.kind !== 'array') return undefined;
  const [module, second, third] = readItems(flight, value, 0, 3);
  if (second?.kind === 'array') {
    const isAsync = countChildren(flight, value) > 3;
    const chunks = readChunks(flight, second);
    return { module: toText(flight, module), name: toText(flight, third), chunks, isAsync, bundler: 'webpack' };
  }
  if (third?.kind !== 'array') return undefined;
  const chunks = readChunks(flight, third);
  return { module: toText(flight, module), name: toText(flight, second), chunks, isAsync: false, bundler: 'parcel' };
}

/** React 18.3's: an object. */
function readOldMetadata(flight: Flight, value: Value): Omit<ClientModule, 'row' | 'id'> | undefined {
  const module = findEntry(flight, value, 'id');
  if (!module) return undefined;
  const isAsync = findEntry(flight, value, 'async');
  return {
    module: toText(flight, module),
    name: toText(flight, findEntry(flight, value, 'name')),
    chunks: readChunks(flight, findEntry(flight, value, 'chunks')),
    isAsync: isAsync?.kind === 'boolean' && isAsync.value,
    bundler: 'webpack',
  };
}

/** The client modules a flight names, in the order of their rows; none of a bundler whose metadata has another shape. */
export function readModules(flight: Flight): ClientModule[] {
  const modules: ClientModule[] = [];
  for (let row = 0; row < flight.rows.count; row++) {
    if (readRowTag(flight.rows, row).role !== 'module') continue;
    const content = readRow(flight, row);
    const metadata = content.kind === 'module' ? readModuleMetadata(flight, content.value) : undefined;
    if (metadata) modules.push({ row, id: content.id, ...metadata });
  }
  return modules;
}
