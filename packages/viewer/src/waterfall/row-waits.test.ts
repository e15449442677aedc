import { describe, expect, it } from 'vitest';

import { decodeFlight, findHoles } from '#flight';

import { readArrival } from '../arrival.ts';
import { readLongestWait, readRowTimes, readWaits } from './row-waits.ts';

const pieces = [
  '0:["$","main",null,{"children":[["$","$4","key",{"fallback":"…","children":["$L2","$5"]}],"$L1"]}]\n4:"$Sreact.suspense"\n1:"soon"\n',
  '2:["la',
  'te","$3"]\n',
  '3:"text"\n5:"$L6"\n',
  '6:"later"\n',
];
const bytes = new TextEncoder().encode(pieces.join(''));
const flight = decodeFlight(bytes);
const chunks = pieces.map((piece, index) => ({ ms: 10 + 100 * index, bytes: new TextEncoder().encode(piece).length }));
const arrival = readArrival({ bytes, chunks });

describe('readRowTimes', () => {
  it('is when the first and the last byte came', () => {
    const [two, three] = [3, 4];
    expect(readRowTimes(flight, arrival, two)).toEqual({ first: 110, last: 210 });
    expect(readRowTimes(flight, arrival, three)).toEqual({ first: 310, last: 310 });
  });

  it('is a place in the bytes when no times are known', () => {
    const byBytes = readArrival({ bytes, chunks: [] });
    const { starts } = flight.rows;
    expect(readRowTimes(flight, byBytes, 1)).toEqual({ first: starts[1], last: starts[2] });
  });
});

describe('readWaits', () => {
  const { holes } = findHoles(flight, chunks);
  const waits = readWaits(flight, arrival, holes);

  it('has what its boundary waited for, and leaves out what came with it', () => {
    expect(waits.rows).toEqual([3, 6]);
    expect(waits.byRow.get(3)).toMatchObject({ from: 10, until: 210, hole: { name: 'Suspense "key"' } });
    expect(waits.byRow.get(6)).toMatchObject({ from: 10, until: 410 });
    expect(waits.holes.map(({ name }) => name)).toEqual(['Suspense "key"']);
  });

  it('names what the server had asked, and had its answer to right before', () => {
    const name = (from: number, until: number) => {
      const asked = readWaits(flight, arrival, holes, [
        { name: 'long', from, until },
        { name: 'short', from: until - 20, until },
      ]);
      return [3, 6].map((row) => asked.byRow.get(row)?.request?.name);
    };
    // Row 3 was waited for from 10 to 210, row 6 until 410.
    expect(name(20, 200)).toEqual(['long', undefined]);
    expect(name(20, 405)).toEqual([undefined, 'long']);
    expect(name(20, 180)).toEqual([undefined, undefined]);
    expect(name(120, 205)).toEqual([undefined, undefined]);
    expect(name(20, 220)).toEqual([undefined, undefined]);
  });

  it('agrees with the findings about the longest', () => {
    const [hole] = holes;
    if (!hole) throw new Error('no hole');
    expect(readLongestWait(flight, arrival, hole)).toEqual({ row: 6, wait: hole.waitedMs });
  });

  it('leaves out what came in the same burst', () => {
    const burst = chunks.map(({ bytes: size }, index) => ({ ms: 10 + index * 0.2, bytes: size }));
    expect(readWaits(flight, readArrival({ bytes, chunks: burst }), findHoles(flight, burst).holes).rows).toEqual([]);
  });

  it('has the longest wait of a row that several boundaries waited for', () => {
    const parts = [
      '0:["$","$4","outer",{"children":["$L2","$L5"]}]\n4:"$Sreact.suspense"\n',
      '2:["$","$4","inner",{"children":"$L5"}]\n',
      '5:"later"\n',
    ];
    const both = new TextEncoder().encode(parts.join(''));
    const times = parts.map((part, index) => ({ ms: 100 * index, bytes: part.length }));
    const decoded = decodeFlight(both);
    const { holes: nested } = findHoles(decoded, times);
    const { byRow } = readWaits(decoded, readArrival({ bytes: both, chunks: times }), nested);
    expect(nested.map(({ name }) => name)).toEqual(['Suspense "outer"', 'Suspense "inner"']);
    expect(byRow.get(3)).toMatchObject({ from: 0, until: 200, hole: { name: 'Suspense "outer"' } });
  });

  it('counts what never came, though no row shows it', () => {
    const open = decodeFlight(new TextEncoder().encode('0:["$","p",null,{"children":"$L1"}]\n'));
    const never = readWaits(open, arrival, findHoles(open).holes);
    expect([never.rows, never.holes.map(({ name, state }) => [name, state])]).toEqual([[], [['the page', 'open']]]);
  });
});
