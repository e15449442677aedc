import type { Attribution } from './attribution.ts';
import type { Compression } from './compression.ts';
import { readDollar } from './dollar.ts';
import type { Flight } from './flight.ts';
import { findFrameworkModules } from './framework-modules.ts';
import type { Framework } from './frameworks/framework-records.ts';
import { readModules, type ClientModule, type ElementPlace } from './modules.ts';
import { placeOf, type Place } from './place.ts';
import { markPageRows, readTargetId } from './promised-rows.ts';
import { findRow, readRowTag } from './row-index.ts';
import { isOfPage } from './row-tags.ts';
import { readRowValue } from './row.ts';
import { codedDollarKind, dollarKind, elementKind, kindAt, nextAt, stepAt } from './tape.ts';
import { findEntry, readItems } from './value.ts';
import { readString } from './value-text.ts';

/** How a payload uses its client modules: which elements are of each, and how many bytes name it. */
export type ModuleUse = ClientModule & {
  /** The source file, where a manifest of the build knows the module's id. */
  source: string | undefined;
  /** Elements of its type, and where the first are (at most `maxPlaces`). */
  elements: number;
  places: readonly Place[];
  /** Times it is passed as a value instead: a component as a prop, a key of an object. */
  values: number;
  /** Times that only what a development server adds refers to it. */
  debugUses: number;
  /** It is of the framework (framework-modules.ts): the page's author did not put it there. */
  isFrameworks: boolean;
  /** Its row, and the rows of strings it was the first to use. */
  bytes: number;
  /** Of these, the names of its chunks' files. */
  chunkBytes: number;
  /** What `bytes` and `chunkBytes` cost after compression. */
  compressed: number;
  compressedChunks: number;
};

const maxPlaces = 50;

type Uses = {
  elements: number;
  values: number;
  debugUses: number;
  places: Place[];
  /** The first element, on the tape. */
  element: ElementPlace | undefined;
};

/**
 * Reads how each module is used, in the order of the rows, in one pass. A module that nothing uses has no elements and no values.
 * @param framework without it, no module is known to be a framework's
 */
export function readModuleUses(
  flight: Flight,
  attribution: Attribution,
  compression: Compression,
  framework?: Framework,
): ModuleUse[] {
  const modules = readModules(flight);
  if (modules.length === 0) return [];
  const uses = new Map<number, Uses>();
  for (const { row } of modules) {
    uses.set(row, { elements: 0, values: 0, debugUses: 0, places: [], element: undefined });
  }
  countUses(flight, uses);
  const known = modules.map((module) => ({ ...module, element: uses.get(module.row)?.element }));
  const own = findFrameworkModules(flight, framework, known);
  return modules.map((module) => {
    const { elements = 0, values = 0, debugUses = 0, places = [] } = uses.get(module.row) ?? {};
    const chunks = countChunks(flight, attribution, compression, module);
    return {
      ...module,
      elements,
      values,
      debugUses,
      places,
      isFrameworks: own.has(module.row),
      bytes: attribution.rowTotals[module.row] ?? 0,
      compressed: attribution.rowCosts[module.row] ?? 0,
      chunkBytes: chunks.bytes,
      compressedChunks: chunks.cost,
    };
  });
}

function countUses(flight: Flight, uses: ReadonlyMap<number, Uses>): void {
  const { rows, tape } = flight;
  const pageRows = markPageRows(flight);
  for (let row = 0; row < rows.count; row++) {
    const model = rows.models[row] ?? 0;
    const rowTag = readRowTag(rows, row);
    // What module rows refer to are texts, not modules.
    if (model === 0 || rowTag.role === 'module') continue;
    const isPage = isOfPage(rowTag) && pageRows?.[row] !== 0;
    const end = nextAt(tape, model - 1);
    let element = -1;
    for (let at = model - 1; at < end; at = stepAt(tape, at)) {
      const kind = kindAt(tape, at);
      if (kind === elementKind) element = at;
      if (kind !== dollarKind && kind !== codedDollarKind) continue;
      const use = findUse(flight, uses, at);
      if (!use) continue;
      if (!isPage) use.debugUses += 1;
      // Two words of the element, two of its mark `"$"`, then its type.
      else if (at !== element + 4) use.values += 1;
      else {
        use.elements += 1;
        use.element ??= { row, at: element };
        if (use.places.length < maxPlaces) use.places.push(placeOf(flight, row, element));
      }
    }
  }
}

function findUse(flight: Flight, uses: ReadonlyMap<number, Uses>, at: number): Uses | undefined {
  const id = readTargetId(readDollar(readString(flight, at), flight.direction));
  const target = id === undefined ? undefined : findRow(flight.rows, id);
  return target === undefined ? undefined : uses.get(target);
}

type Counted = { bytes: number; cost: number };

/** The strings of a module's chunks: in its row, or in rows of their own when it is the first to use them. */
function countChunks(
  flight: Flight,
  attribution: Attribution,
  compression: Compression,
  { row, bundler }: ClientModule,
): Counted {
  const metadata = readRowValue(flight, row);
  const isObject = metadata?.kind === 'object';
  const chunks =
    metadata &&
    (isObject
      ? findEntry(flight, metadata, 'chunks')
      : readItems(flight, metadata, bundler === 'webpack' ? 1 : 2, 1)[0]);
  const counted = { bytes: 0, cost: 0 };
  for (const chunk of chunks ? readItems(flight, chunks) : []) {
    counted.bytes += chunk.end - chunk.start;
    counted.cost += compression.of(chunk.start, chunk.end);
    const target = chunk.kind === 'reference' ? findRow(flight.rows, chunk.id) : undefined;
    if (target === undefined || attribution.firstUse[target] !== chunk.at + 1) continue;
    counted.bytes += attribution.rowTotals[target] ?? 0;
    counted.cost += attribution.rowCosts[target] ?? 0;
  }
  return counted;
}
