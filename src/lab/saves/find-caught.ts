import 'server-only';

import { readFileSync } from 'node:fs';

import {
  findHoles,
  findRow,
  readElement,
  readEntries,
  readFailures,
  readItems,
  readModules,
  readRow,
  type Flight,
  type Value,
} from '#flight';

/**
 * Errors of a payload that are what its experiment shows, so that it is not broken. They stand within an error boundary of its own: a
 * payload does not say which client component is one, and its file does. Or they are rejected promises that a client component is
 * given: whether it catches them is in its code, and the server rendered all that it was asked for. An error that can be reached in
 * another way, too, is neither.
 */
export type Caught = {
  /** Within boundaries. */
  readonly errors: number;
  /** Their files, each once: which export of a file is the boundary, nothing says. */
  readonly boundaries: readonly string[];
  /** Rejected promises outside of boundaries, and the client components that are given them, each once. */
  readonly promises: number;
  readonly givenTo: readonly string[];
};

/** What makes a class a boundary for React; the names are kept by every compiler. */
const boundaryMark = /\b(?:getDerivedStateFromError|componentDidCatch)\b|['"]react-error-boundary['"]/;
/** A payload that is deeper or larger than this is no experiment with an error in it. */
const mostVisits = 100_000;

/** @param module as development names it: an address below the server's root, or `/@fs/` and a whole path */
function isBoundaryFile(root: string, module: string): boolean {
  const [path = ''] = module.split('?');
  try {
    return boundaryMark.test(
      readFileSync(path.startsWith('/@fs/') ? path.slice('/@fs'.length) : `${root}${path}`, 'utf8'),
    );
  } catch {
    // A bundled module, or none of a file.
    return false;
  }
}

function nameFile(module: string): string {
  return module.split('?')[0]?.split('/').at(-1) ?? module;
}

type Search = {
  readonly flight: Flight;
  /** Names of boundaries, by the row of their module. */
  readonly boundaries: ReadonlyMap<number, string>;
  /** Errors, by row: the boundaries around each way that leads to it; undefined for a way without one. */
  readonly reached: Map<number, Set<string | undefined>>;
  readonly seen: Set<string>;
  visits: number;
};

function follow(search: Search, id: number, within: string | undefined): void {
  const row = findRow(search.flight.rows, id);
  if (row === undefined) return;
  const key = `${row} ${within ?? ''}`;
  if (search.seen.has(key)) return;
  search.seen.add(key);
  const content = readRow(search.flight, row);
  if (content.kind === 'error') {
    search.reached.set(row, (search.reached.get(row) ?? new Set()).add(within));
  } else if (content.kind === 'model') visit(search, content.value, within);
}

function nameBoundary({ flight, boundaries }: Search, element: Value): string | undefined {
  const { type } = readElement(flight, element);
  if (!('id' in type)) return undefined;
  const row = findRow(flight.rows, type.id);
  return row === undefined ? undefined : boundaries.get(row);
}

function visit(search: Search, value: Value, within: string | undefined): void {
  const { flight } = search;
  if (++search.visits > mostVisits) return;
  if (value.kind === 'element') {
    const { props } = readElement(flight, value);
    if (props) visit(search, props, nameBoundary(search, value) ?? within);
    return visit(search, readElement(flight, value).type, within);
  }
  if (value.kind === 'array') for (const item of readItems(flight, value)) visit(search, item, within);
  if (value.kind === 'object') for (const entry of readEntries(flight, value)) visit(search, entry.value, within);
  if ('id' in value && typeof value.id === 'number') follow(search, value.id, within);
}

/** Rejected promises that nothing but client code has, by row, with the component's name. */
function findGiven(flight: Flight): ReadonlyMap<number, string> {
  const { holes, promises } = findHoles(flight);
  const shown = new Set(holes.flatMap(({ rows }) => rows.map(({ row }) => row)));
  return new Map(
    promises.flatMap(({ row, state, around }): [number, string][] =>
      row === undefined || state !== 'failed' || around.kind !== 'client' || shown.has(row) ? [] : [[row, around.name]],
    ),
  );
}

/** @param root the dev server's; @returns undefined when there is no error, or one that is neither */
export function findCaught(flight: Flight, root = process.cwd()): Caught | undefined {
  const failures = readFailures(flight);
  if (failures.length === 0 || flight.root === undefined) return undefined;
  const modules = readModules(flight).filter(({ module }) => isBoundaryFile(root, module));
  const boundaries = new Map(modules.map((module) => [module.row, nameFile(module.module)]));
  const search: Search = { flight, boundaries, reached: new Map(), seen: new Set(), visits: 0 };
  follow(search, 0, undefined);
  const given = findGiven(flight);
  const [names, components] = [new Set<string>(), new Set<string>()];
  let promises = 0;
  for (const { row } of failures) {
    const ways = [...(search.reached.get(row) ?? [undefined])];
    const within = ways.filter((name) => name !== undefined);
    const component = given.get(row);
    if (within.length === ways.length) for (const name of within) names.add(name);
    else if (component === undefined) return undefined;
    else {
      promises += 1;
      components.add(component);
    }
  }
  return { errors: failures.length - promises, boundaries: [...names], promises, givenTo: [...components] };
}
