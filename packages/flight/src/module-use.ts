import type { Attribution } from './attribution.ts';
import { readDollar } from './dollar.ts';
import type { Flight } from './flight.ts';
import { readModules, type ClientModule } from './modules.ts';
import { placeOf, type Place } from './place.ts';
import { readTargetId } from './promised-rows.ts';
import { findRow, readRowTag } from './row-index.ts';
import { isOfPage } from './row-tags.ts';
import { readRowValue } from './row.ts';
import { codedDollarKind, dollarKind, elementKind, kindAt, nextAt, stepAt } from './tape.ts';
import { findEntry, readItems, type Value } from './value.ts';
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
  /** Its row, and the rows of strings it was the first to use. */
  bytes: number;
  /** Of these, the names of its chunks' files. */
  chunkBytes: number;
};

const maxPlaces = 50;

type Uses = { elements: number; values: number; places: Place[] };

/** In the order of the rows; a module nothing uses has no elements and no values. One pass over the payload. */
export function readModuleUses(
  flight: Flight,
  attribution: Attribution,
  sources: ReadonlyMap<string, string> = new Map(),
): ModuleUse[] {
  const modules = readModules(flight);
  if (modules.length === 0) return [];
  const uses = new Map<number, Uses>();
  for (const { row } of modules) uses.set(row, { elements: 0, values: 0, places: [] });
  countUses(flight, uses);
  return modules.map((module) => ({
    ...module,
    source: sources.get(module.module),
    ...(uses.get(module.row) ?? { elements: 0, values: 0, places: [] }),
    bytes: attribution.rowTotals[module.row] ?? 0,
    chunkBytes: countChunkBytes(flight, attribution, module),
  }));
}

function countUses(flight: Flight, uses: ReadonlyMap<number, Uses>): void {
  const { rows, tape } = flight;
  for (let row = 0; row < rows.count; row++) {
    const model = rows.models[row] ?? 0;
    const rowTag = readRowTag(rows, row);
    // What module rows refer to are texts, not modules.
    if (model === 0 || rowTag.role === 'module' || !isOfPage(rowTag)) continue;
    const end = nextAt(tape, model - 1);
    let element = -1;
    for (let at = model - 1; at < end; at = stepAt(tape, at)) {
      const kind = kindAt(tape, at);
      if (kind === elementKind) element = at;
      if (kind !== dollarKind && kind !== codedDollarKind) continue;
      const use = findUse(flight, uses, at);
      if (!use) continue;
      // Two words of the element, two of its mark `"$"`, then its type.
      if (at !== element + 4) use.values += 1;
      else {
        use.elements += 1;
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

/** The strings of a module's chunks: in its row, or in rows of their own when it is the first to use them. */
function countChunkBytes(flight: Flight, attribution: Attribution, { row, bundler }: ClientModule): number {
  const metadata = readRowValue(flight, row);
  const isObject = metadata?.kind === 'object';
  const chunks =
    metadata &&
    (isObject
      ? findEntry(flight, metadata, 'chunks')
      : readItems(flight, metadata, bundler === 'webpack' ? 1 : 2, 1)[0]);
  if (!chunks) return 0;
  return readItems(flight, chunks).reduce((sum, chunk) => sum + chunkSize(flight, attribution, chunk), 0);
}

function chunkSize(flight: Flight, attribution: Attribution, chunk: Value): number {
  if (chunk.kind !== 'reference') return chunk.end - chunk.start;
  const row = findRow(flight.rows, chunk.id);
  const isFirst = row !== undefined && attribution.firstUse[row] === chunk.at + 1;
  return chunk.end - chunk.start + (isFirst ? (attribution.rowTotals[row] ?? 0) : 0);
}
