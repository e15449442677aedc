import {
  findRow,
  nameModule,
  printElementType,
  readModules,
  type ClientModule,
  type Flight,
  type Value,
} from '#flight';

/**
 * What an element is called without what a build puts into names: `<Counter>` of any module, `<default>` where a build has numbered
 * the files of default exports.
 */
export type ElementName = { readonly name: string; readonly isClient: boolean };

/** Of a file's name: eight characters and more after a dash or a dot that are no word. Vite and webpack write such. */
const fileHash = /[.-](?=[\w-]*[A-Z\d])[\w-]{8,}(?=\.[cm]?[jt]sx?$)/;

function nameWithoutHash(module: ClientModule): string {
  const name = nameModule(module);
  // An id instead of a file: `default 22016`.
  return /^(?:default|module) /.test(name) ? name.slice(0, name.indexOf(' ')) : name.replace(fileHash, '');
}

const modulesOf = new WeakMap<Flight, ReadonlyMap<number, ClientModule>>();

function listModules(flight: Flight): ReadonlyMap<number, ClientModule> {
  const known = modulesOf.get(flight) ?? new Map(readModules(flight).map((module) => [module.row, module]));
  modulesOf.set(flight, known);
  return known;
}

/** The client component of a module row; undefined for another row. */
export function nameModuleRow(flight: Flight, row: number): string | undefined {
  const module = listModules(flight).get(row);
  return module && nameWithoutHash(module);
}

export function nameElement(flight: Flight, type: Value): ElementName {
  const row = type.kind === 'lazy' || type.kind === 'reference' ? findRow(flight.rows, type.id) : undefined;
  const client = row === undefined ? undefined : nameModuleRow(flight, row);
  return { name: client ?? printElementType(flight, type), isClient: client !== undefined };
}
