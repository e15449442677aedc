import { partAt } from './element-names.ts';
import type { Flight } from './flight.ts';
import type { Framework } from './framework.ts';
import type { ClientModule } from './modules.ts';
import { findRow } from './row-index.ts';
import { readEntries, readElement, readValue, type Value } from './value.ts';

/**
 * Which client modules are the framework's own. A page names them whatever its author does, so nothing is to be said about
 * them. Production says no file, so they are told by what only a framework's modules have:
 *
 * - the path, in development and where a manifest of the build has it;
 * - an export that only a framework has;
 * - an id that such an export has too;
 * - in Next.js, the props that its router's components get and others do not; and of webpack's builds, no file of their own,
 *   because they are in those that every page loads.
 *
 * Others, such as Next.js's Link, may be missed: then they count as the app's.
 */
const paths: Readonly<Record<Framework, RegExp>> = {
  next: /(?:^|[/\\])next[/\\]dist[/\\]/,
  waku: /node_modules[/\\]waku[/\\]/,
  'react-router': /node_modules[/\\](?:react-router|@react-router)[/\\]/,
  'vite-rsc': /node_modules[/\\]@vitejs[/\\]/,
  redwood: /node_modules[/\\]rwsdk[/\\]/,
  parcel: /node_modules[/\\]@parcel[/\\]/,
  'tanstack-start': /node_modules[/\\]@tanstack[/\\]/,
};

/** Sources: Next.js 14.2 to 16.4, Waku 1.0.0-rc.1, React Router 7.18 and 8.4. */
const exportsOf: Partial<Record<Framework, ReadonlySet<string>>> = {
  next: new Set([
    'OutletBoundary',
    'ViewportBoundary',
    'MetadataBoundary',
    'RootLayoutBoundary',
    'AsyncMetadata',
    'AsyncMetadataOutlet',
    'ClientPageRoot',
    'ClientSegmentRoot',
    'HTTPAccessFallbackBoundary',
    'NotFoundBoundary',
    'LoadingBoundaryProvider',
    'IconMark',
    'SegmentViewNode',
    'SegmentViewStateNode',
  ]),
  waku: new Set(['Slot_UNSTABLE', 'Children_UNSTABLE']),
  'react-router': new Set([
    'UNSAFE_WithComponentProps',
    'UNSAFE_WithHydrateFallbackProps',
    'UNSAFE_WithErrorBoundaryProps',
  ]),
};

/** Exports that the framework adds to the app's own files: their ids are the app's. */
const addedExports = new Set(['EnsureClientRouteModuleForHMR___']);

/** What is known of a module: its metadata, its file, and its first element. */
type KnownModule = ClientModule & { readonly source: string | undefined; readonly element: ElementPlace | undefined };
export type ElementPlace = { readonly row: number; readonly at: number };

/** The rows of the framework's own modules. */
export function findFrameworkModules(
  flight: Flight,
  framework: Framework | undefined,
  modules: readonly KnownModule[],
): ReadonlySet<number> {
  if (!framework) return new Set();
  const named = modules.filter(
    ({ module, name, source }) =>
      exportsOf[framework]?.has(name) || paths[framework].test(module) || paths[framework].test(source ?? ''),
  );
  const ids = new Set(named.map(({ module }) => module));
  const isAdded = ({ name }: KnownModule): boolean => framework === 'react-router' && addedExports.has(name);
  const all = modules.filter((module) => ids.has(module.module) || isAdded(module));
  const own = new Set(all.map(({ row }) => row));
  if (framework === 'next') addNextModules(flight, modules, own);
  return own;
}

function addNextModules(flight: Flight, modules: readonly KnownModule[], own: Set<number>): void {
  for (const { row, bundler, chunks, element } of modules) {
    const router = element && readRouterTemplate(flight, element);
    if (router) {
      own.add(row);
      if (router.template !== undefined) own.add(router.template);
    }
    // Turbopack names at least one file.
    if (bundler === 'webpack' && chunks.length === 0) own.add(row);
  }
}

/**
 * Next.js's layout router gets `parallelRouterKey`, and in `template` an element of another module of its own, unless the app
 * has a `template.js` in this place.
 */
function readRouterTemplate(flight: Flight, { row, at }: ElementPlace): { template: number | undefined } | undefined {
  const props = partAt(flight, at, 3);
  if (props === undefined) return undefined;
  const entries = readEntries(flight, readValue(flight, row, props), 0, 30);
  if (!entries.some(({ key }) => key === 'parallelRouterKey')) return undefined;
  return { template: readBareModule(flight, entries.find(({ key }) => key === 'template')?.value) };
}

/** The module row of an element without props. */
function readBareModule(flight: Flight, value: Value | undefined): number | undefined {
  if (value?.kind !== 'element') return undefined;
  const { type, props } = readElement(flight, value);
  if (type.kind !== 'lazy' || (props && readEntries(flight, props, 0, 1).length > 0)) return undefined;
  return findRow(flight.rows, type.id);
}
