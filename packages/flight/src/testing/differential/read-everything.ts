import { readErrors } from '../../errors.ts';
import type { Flight } from '../../flight.ts';
import { readModules } from '../../modules.ts';
import { printRow } from '../../print-value.ts';
import { resolveTarget, resolveValue } from '../../resolve.ts';
import { readRow } from '../../row.ts';
import { readStreamItems, readStreams } from '../../streams.ts';
import { readElement, readEntries, readItems, type Value } from '../../value.ts';
import { rowToJson } from '../../value-to-json.ts';

/** Deeper than a viewer opens; a payload may nest a hundred thousand deep. */
const deepest = 50;

/** Asks for all that a viewer can ask for, and counts it. Nothing of it may throw, whatever the bytes are. */
export function readEverything(flight: Flight): number {
  let count = readErrors(flight).length + readModules(flight).length;
  for (const stream of readStreams(flight).values()) count += readStreamItems(flight, stream).length;
  for (let index = 0; index < flight.rows.count; index++) {
    const row = readRow(flight, index);
    count += printRow(flight, row).length + JSON.stringify(rowToJson(flight, row)).length;
    if ('value' in row && row.value) count += readTree(flight, row.value, 0);
  }
  return count;
}

function readTree(flight: Flight, value: Value, depth: number): number {
  if (depth > deepest) return 1;
  resolveValue(flight, value);
  if ('id' in value && 'path' in value) resolveTarget(flight, value);
  const { type, props } = readElement(flight, value);
  let count = 1 + (type.at === value.at ? 0 : 1) + (props ? 1 : 0);
  for (const item of readItems(flight, value)) count += readTree(flight, item, depth + 1);
  for (const entry of readEntries(flight, value)) count += readTree(flight, entry.value, depth + 1);
  return count;
}
