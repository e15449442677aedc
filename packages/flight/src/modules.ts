import type { Flight } from './flight.ts';
import { readText } from './resolve.ts';
import { readRowTag } from './row-index.ts';
import { readRow } from './row.ts';
import { findEntry, readItems, type Value } from './value.ts';

/**
 * Client modules. The metadata in an `I` row is the bundler's own:
 * webpack, Turbopack, Vite: `[id, chunks, name]` and a fourth item `1` when the module is async; webpack's chunks alternate
 * chunk id and file, and the files are what is loaded. Parcel: `[id, name, bundles, importMap?]`. Name `*` is the whole module, `""` its
 * default for CommonJS.
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
  /** Its file, where the flight knows it. */
  source: string | undefined;
};

/** With its first element. */
export type KnownModule = ClientModule & { readonly element: ElementPlace | undefined };

export type ElementPlace = { readonly row: number; readonly at: number };

/** Chunks listed of one module: bundlers write tens. */
const maxChunks = 1000;

function toText(flight: Flight, value: Value | undefined): string {
  if (!value) return '';
  if (value.kind === 'number') return String(value.value);
  return readText(flight, value) ?? '';
}

const scriptFile = /\.[cm]?js\b/;

/** Its files: of webpack's pairs the second. Other bundlers list files alone. */
function readChunks(flight: Flight, value: Value | undefined): string[] {
  if (value?.kind !== 'array') return [];
  const items = readItems(flight, value, 0, maxChunks).map((item) => toText(flight, item));
  const arePairs = items.every((item, at) => scriptFile.test(item) === (at % 2 === 1));
  return arePairs ? items.filter((_, at) => at % 2 === 1) : items;
}

/** The parts of a row's metadata; undefined when it is of no known bundler's shape. */
function findParts(flight: Flight, metadata: Value) {
  if (metadata.kind === 'object') return findOldParts(flight, metadata);
  if (metadata.kind !== 'array') return undefined;
  const [module, second, third, fourth] = readItems(flight, metadata, 0, 4);
  if (second?.kind === 'array') {
    return { module, name: third, chunks: second, isAsync: fourth !== undefined, bundler: 'webpack' as const };
  }
  if (third?.kind !== 'array') return undefined;
  return { module, name: second, chunks: third, isAsync: false, bundler: 'parcel' as const };
}

/** React 18.3's: an object. */
function findOldParts(flight: Flight, metadata: Value) {
  const module = findEntry(flight, metadata, 'id');
  if (!module) return undefined;
  const mark = findEntry(flight, metadata, 'async');
  const isAsync = mark?.kind === 'boolean' && mark.value;
  const [name, chunks] = ['name', 'chunks'].map((key) => findEntry(flight, metadata, key));
  return { module, name, chunks, isAsync, bundler: 'webpack' as const };
}

/** The module in a row's metadata; undefined when it is of no known bundler's shape. */
export function readModuleMetadata(flight: Flight, metadata: Value): Omit<ClientModule, 'row' | 'id'> | undefined {
  const parts = findParts(flight, metadata);
  if (!parts) return undefined;
  const { isAsync, bundler } = parts;
  const [module, name] = [toText(flight, parts.module), toText(flight, parts.name)];
  const source = flight.moduleFiles.get(module);
  return { module, name, chunks: readChunks(flight, parts.chunks), isAsync, bundler, source };
}

/** Exports whose name is the same for each module. */
const commonExports = new Map([
  ['default', 'default'],
  ['', 'default'],
  ['*', 'module'],
]);

type NamedModule = Pick<ClientModule, 'name' | 'module'> & Partial<Pick<ClientModule, 'source'>>;

/** Characters of an id in a name: two modules of one page differ within these. */
const maxId = 16;

/** Where packages and bundlers put what they have built: nobody calls anything by it. */
const builtFolder = /^(?:dist|lib|es|esm|cjs|build)$/;

/** `button/index.tsx`: each folder may have an `index`. */
function nameIndexFile(path: string, file: string): string {
  if (!file.startsWith('index.')) return file;
  const folder = path
    .split(/[/\\]/)
    .slice(0, -1)
    .findLast((name) => !builtFolder.test(name));
  return folder === undefined || /^(?:\[project\]|\.*|[A-Z]:)$/i.test(folder) ? file : `${folder}/${file}`;
}

/**
 * What a client module is called, everywhere: its export. Each file may have a default export, so that one is called by its file
 * (`link.tsx`), or by the module's id where a build has numbered or hashed the files (`default 22016`).
 */
export function nameModule({ name, module, source = module }: NamedModule): string {
  const common = commonExports.get(name);
  if (common === undefined) return name;
  const [path = ''] = source.split(/[?#]| [[(]/, 1);
  const file = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  if (/[^]\.[cm]?[jt]sx?$/.test(file)) return nameIndexFile(path, file);
  if (module === '') return common;
  return `${common} ${module.length <= maxId ? module : `${module.slice(0, maxId - 1)}…`}`;
}

/** The name of a module row, of its metadata. */
export function readModuleName(flight: Flight, metadata: Value): string {
  const parts = findParts(flight, metadata);
  if (!parts) return 'module';
  const module = toText(flight, parts.module);
  return nameModule({ name: toText(flight, parts.name), module, source: flight.moduleFiles.get(module) });
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
