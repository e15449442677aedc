import { constants, deflateRawSync, gzipSync } from 'node:zlib';

import { expect, test } from 'vitest';

import { analyzeFlight } from './analysis.ts';
import { decodeFlight } from './decode-flight.ts';
import { readReferences } from './references.ts';

const encoder = new TextEncoder();

test('all parts, of one flight; times and sources where they are given', () => {
  const label = 'a label of more than sixteen characters';
  const first = `1:I["abc",["abc.js"],"Late"]\n0:["$","$Sreact.suspense",null,{"fallback":"${label}","title":"${label}","children":"$L2"}]\n`;
  const late = '2:["$","$L1",null,{}]\n';
  const bytes = encoder.encode(first + late);
  const flight = decodeFlight(bytes);
  const plain = analyzeFlight(flight);
  expect(plain.attribution.total).toBe(bytes.length);
  expect(plain.duplicates.count).toBe(1);
  expect(plain.modules).toMatchObject([{ name: 'Late', elements: 1, source: undefined }]);
  expect(plain.holes).toMatchObject([{ name: 'Suspense', waitedMs: undefined }]);
  expect(plain.findings.map(({ kind }) => kind)).not.toContain('wait');
  const chunks = [
    { ms: 5, bytes: first.length },
    { ms: 405, bytes: late.length },
  ];
  const known = decodeFlight(bytes, { moduleFiles: new Map([['abc', 'src/late.tsx']]) });
  const timed = analyzeFlight(known, { chunks });
  expect(timed.holes).toMatchObject([{ waitedMs: 400 }]);
  expect(timed.modules).toMatchObject([{ source: 'src/late.tsx' }]);
  expect(timed.findings).toMatchObject([{ kind: 'wait', ms: 400 }]);
});

test('what was measured of the transfer is the ratio of the estimate, and names what compressed it', () => {
  const texts = Array.from({ length: 400 }, (_, at) => `${(at * 7919) % 100_003} ${(at * 104_729) % 99_991}`).join(' ');
  const bytes = encoder.encode(
    `1:I["abc",["abc.js"],"Chart"]\n0:["$","$L1",null,{"data":"${texts}","again":"${texts}"}]\n`,
  );
  const flight = decodeFlight(bytes);
  const plain = analyzeFlight(flight);
  const response = bytes.length * 2;
  const measured = (sent: number, codec?: string) =>
    analyzeFlight(flight, { facts: { transfer: { response, sent, codec } } });
  const half = measured(response / 2, 'br');
  expect(half.attribution.compressed).toBeCloseTo(bytes.length / 2, 3);
  const factor = half.attribution.compressed / plain.attribution.compressed;
  expect(half.duplicates.compressed).toBeCloseTo(plain.duplicates.compressed * factor, 3);
  expect(plain.findings.map(({ title }) => title).join()).toContain('after compression');
  expect(half.findings.map(({ title }) => title).join()).toContain('as sent with br');
  expect(
    measured(response)
      .findings.map(({ title }) => title)
      .join(),
  ).toContain('as it was sent');
  const raw = measured(response, 'identity');
  expect(raw.attribution.compressed).toBeCloseTo(bytes.length, 3);
  // Nothing is cheaper there: a part takes its own bytes, and so does a copy.
  expect(raw.modules[0]?.compressed).toBe(raw.modules[0]?.bytes);
  expect(raw.duplicates.compressed).toBe(raw.duplicates.wasted);
  expect(raw.findings.map(({ title }) => title).join()).toContain('sent without compression');
  expect(measured(0).attribution.compressed).toBe(0);
});

test('a text in two writes costs twice where what was sent says that the server forgot the first', () => {
  const text = Array.from({ length: 600 }, (_, at) => `${(at * 7919) % 100_003} ${(at * 104_729) % 99_991}`).join(' ');
  const first = encoder.encode(`0:{"one":"${text}","two":"$L1"}\n`);
  const second = encoder.encode(`1:{"two":"${text}"}\n`);
  const flight = decodeFlight(Buffer.concat([first, second]));
  const chunks = [first, second].map(({ length }, at) => ({ ms: at * 10, bytes: length }));
  const response = first.length + second.length;
  const measured = (sent: number) =>
    analyzeFlight(flight, { chunks, facts: { transfer: { response, sent, codec: 'gzip' } } }).duplicates.compressed;
  const parts = [first, second].map((part) => deflateRawSync(part, { finishFlush: constants.Z_FULL_FLUSH }).length);
  const inPieces = parts.reduce((sum, size) => sum + size, 18);
  expect(measured(inPieces) / (parts[1] ?? 0)).toBeGreaterThan(0.9);
  expect(measured(gzipSync(Buffer.concat([first, second])).length)).toBeLessThan(200);
});

test('what a row speaks of, in the order of the bytes', () => {
  const text = '0:["$","$L1",null,{"a":"$2:x","b":"$@3","c":"$$4","d":["$Q5","$2"],"e":"$6:\\u0078"}]\n1:T1,x2:{}\n';
  const flight = decodeFlight(encoder.encode(text));
  expect(readReferences(flight, 0)).toEqual([
    { kind: 'lazy', id: 1 },
    { kind: 'reference', id: 2 },
    { kind: 'promise', id: 3 },
    { kind: 'map', id: 5 },
    { kind: 'reference', id: 2 },
    { kind: 'reference', id: 6 },
  ]);
  expect(readReferences(flight, 1)).toEqual([]);
});
