import { isRecord } from '#src/http/is-record.ts';

/**
 * Which function of a source contains a position. A browser's stack has the minifier's names. A source map says what an
 * identifier was called, but not which function contains a position. So the build writes the ranges of the project's
 * own functions beside each map.
 */

/** Lines from 1, columns from 0, as source maps count. */
type Position = { readonly line: number; readonly column: number };

export type FunctionRange = {
  /** Empty for a function without a name in its source. */
  readonly name: string;
  readonly start: Position;
  readonly end: Position;
};

/** By source, named as in the map. An outer function comes before the functions inside it. */
export type FunctionRanges = Readonly<Record<string, readonly FunctionRange[]>>;

function isPosition(value: unknown): value is Position {
  return isRecord(value) && typeof value['line'] === 'number' && typeof value['column'] === 'number';
}

function isFunctionRange(value: unknown): value is FunctionRange {
  if (!isRecord(value) || typeof value['name'] !== 'string') return false;
  return isPosition(value['start']) && isPosition(value['end']);
}

/** The build writes these files. One that a later build or a disk changed must not break the record of an error. */
export function isFunctionRanges(value: unknown): value is FunctionRanges {
  if (!isRecord(value)) return false;
  return Object.values(value).every((ranges) => Array.isArray(ranges) && ranges.every(isFunctionRange));
}

/** For `index.js.map` this is `index.js.functions.json`. */
export function functionRangesFile(mapFile: string): string {
  return mapFile.replace(/\.map$/, '.functions.json');
}

function isBefore(a: Position, b: Position): boolean {
  return a.line === b.line ? a.column < b.column : a.line < b.line;
}

/** The name of the innermost function around `at`; empty at the top level. */
export function findFunctionName(ranges: readonly FunctionRange[], at: Position): string {
  const around = ranges.filter(({ start, end }) => !isBefore(at, start) && isBefore(at, end));
  if (around.length === 0) return '';
  const { name } = around.findLast((range) => range.name !== '') ?? { name: '' };
  if (around.at(-1)?.name !== '') return name;
  return name === '' ? 'anonymous' : `anonymous in ${name}`;
}
