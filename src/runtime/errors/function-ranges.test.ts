import { expect, it } from 'vitest';

import { findFunctionName, type FunctionRange } from './function-ranges.ts';

function range(name: string, lines: readonly [number, number]): FunctionRange {
  return { name, start: { line: lines[0], column: 4 }, end: { line: lines[1], column: 8 } };
}

const ranges = [range('outer', [1, 9]), range('inner', [2, 4]), range('', [6, 8]), range('', [11, 12])];

it.each([
  ['before its first character', 1, 3, ''],
  ['at its first character', 1, 4, 'outer'],
  ['in the inner one', 3, 0, 'inner'],
  ['after the inner one, on its last line', 4, 8, 'outer'],
  ['in one without a name', 7, 0, 'anonymous in outer'],
  ['in one without a name, and nothing around it', 11, 5, 'anonymous'],
  ['after its last character', 9, 8, ''],
])('%s', (_, line, column, name) => {
  expect(findFunctionName(ranges, { line, column })).toBe(name);
});
