import { originalPositionFor, TraceMap } from '@jridgewell/trace-mapping';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { findSegments } from './scan-mappings.ts';

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

function writeNumber(number: number): string {
  let left = number < 0 ? -number * 2 + 1 : number * 2;
  let text = '';
  do {
    text += digits[(left % 32) + (left >= 32 ? 32 : 0)];
    left = Math.floor(left / 32);
  } while (left > 0);
  return text;
}

type Made = {
  readonly ahead: number;
  readonly kind: 1 | 4 | 5;
  readonly to: readonly [number, number, number, number];
};

/** Lines of segments, each `ahead` columns behind the one before. */
function writeMappings(lines: readonly (readonly Made[])[]): string {
  let before = [0, 0, 0, 0];
  const written = lines.map((line) =>
    line
      .map(({ ahead, kind, to }) => {
        const fields = to.slice(0, kind - 1).map((value, index) => value - (before[index] ?? 0));
        before = before.map((value, index) => (index < kind - 1 ? (to[index] ?? 0) : value));
        return [ahead, ...fields].map(writeNumber).join('');
      })
      .join(','),
  );
  return written.join(';');
}

const number = (max: number): fc.Arbitrary<number> => fc.nat({ max });
const segment = fc.record<Made>({
  ahead: fc.oneof(number(3), number(100_000)),
  kind: fc.constantFrom(1, 4, 5),
  to: fc.tuple(number(3), number(5_000), number(300), number(2)),
});
const places = fc.array(fc.record({ line: number(6), column: fc.oneof(number(12), number(200_000)) }), {
  maxLength: 20,
});

describe('findSegments', () => {
  it('finds what another reader finds, in any order and for any number of positions at once', () => {
    fc.assert(
      fc.property(fc.array(fc.array(segment, { maxLength: 8 }), { maxLength: 5 }), places, (lines, wanted) => {
        const mappings = writeMappings(lines);
        const names = ['n0', 'n1', 'n2'];
        const map = new TraceMap({ version: 3, sources: ['0', '1', '2', '3'], names, mappings });
        const expected = wanted.map(({ line, column }) => {
          const at = originalPositionFor(map, { line: line + 1, column });
          if (at.source === null) return undefined;
          const name = at.name === null ? undefined : names.indexOf(at.name);
          return { source: Number(at.source), line: at.line - 1, column: at.column, name };
        });
        expect(findSegments(mappings, wanted)).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });

  it.each(['!', 'AAAA,é', '////////', 'A\u0000'])('refuses %j', (mappings) => {
    expect(() => findSegments(mappings, [{ line: 0, column: 0 }])).toThrow('not what the format says');
  });

  it('reads no further than the last line that is asked for', () => {
    expect(findSegments('AAAA;!', [{ line: 0, column: 3 }])).toEqual([
      { source: 0, line: 0, column: 0, name: undefined },
    ]);
    expect(findSegments('!', [])).toEqual([]);
  });

  it('leaves out a segment that goes back', () => {
    // Columns 5, 3 and 8.
    expect(
      findSegments('KAAA,FACA,KACA', [
        { line: 0, column: 6 },
        { line: 0, column: 8 },
      ]),
    ).toMatchObject([{ line: 0 }, { line: 2 }]);
  });
});
