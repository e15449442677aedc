import { describe, expect, it } from 'vitest';

import { decodeFlight } from '#flight';

import { readArrival } from '../arrival.ts';
import { createReferenceReader } from '../references.ts';
import { readRowTimes, readWaits } from './row-times.ts';

const pieces = [
  '0:["$","main",null,{"children":["$L1","$L2","$3"]}]\n1:"soon"\n',
  '2:["la',
  'te","$3"]\n',
  '3:"text"\n',
];
const bytes = new TextEncoder().encode(pieces.join(''));
const opened = {
  flight: decodeFlight(bytes),
  bytes,
  chunks: pieces.map((piece, index) => ({ ms: 10 + 100 * index, bytes: piece.length })),
  title: '',
  facts: [],
  sources: new Map<string, string>(),
};
const { references, advance } = createReferenceReader(opened.flight);
advance(Infinity);
const timing = { flight: opened.flight, arrival: readArrival(opened), references };

describe('createReferenceReader', () => {
  it('knows who speaks of a row, and who promised it', () => {
    const { to, promisedBy } = references;
    expect(to.get(3)).toEqual([0, 2]);
    expect([...promisedBy]).toEqual([-1, 0, 0, -1]);
  });
});

describe('readRowTimes', () => {
  it('is when the first and the last byte came, and when it was promised', () => {
    expect(readRowTimes(timing, 2)).toEqual({ first: 110, last: 210, promised: 10 });
    expect(readRowTimes(timing, 3)).toEqual({ first: 310, last: 310, promised: undefined });
  });
});

describe('readWaits', () => {
  it('leaves out what came with its promise', () => {
    expect(readWaits(timing)).toEqual({ rows: [2], longest: { row: 2, wait: 200 } });
  });
});
