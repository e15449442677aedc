import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { createFramer, joinPieces, type FramingEnd } from './framing.ts';

type Read = { id: number; tag: string; start: number; end: number; payload: string };

const encoder = new TextEncoder();

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

function frame(chunks: readonly Uint8Array[]): { rows: Read[]; end: FramingEnd } {
  const rows: Read[] = [];
  const framer = createFramer(({ id, tag, start, end, payloadStart, payloadEnd, pieces }) => {
    const payload = joinPieces(pieces);
    expect(payload.length).toBe(payloadEnd - payloadStart);
    rows.push({ id, tag, start, end, payload: toHex(payload) });
  });
  for (const chunk of chunks) framer.push(chunk);
  return { rows, end: framer.end() };
}

function frameText(text: string): { rows: Read[]; end: FramingEnd } {
  return frame([encoder.encode(text)]);
}

const folder = path.join(import.meta.dirname, '../fixtures/react-19.3.1-production');
const fixtures = readdirSync(folder).filter((file) => file.endsWith('.flight') && file !== 'bigtree.flight');

describe('bytes split anywhere', () => {
  test.each(fixtures)('%s gives the same rows whole, cut in two at any byte, and byte by byte', (file) => {
    const bytes = new Uint8Array(readFileSync(path.join(folder, file)));
    const whole = frame([bytes]);
    expect(whole.rows.length).toBeGreaterThan(0);
    expect(whole.end).toEqual({ kind: 'clean', at: bytes.length });
    expect(frame(Array.from(bytes, (_, at) => bytes.subarray(at, at + 1)))).toEqual(whole);
    for (let at = 0; at <= bytes.length; at++) {
      const { rows, end } = frame([bytes.subarray(0, at), bytes.subarray(at)]);
      if (rows.length !== whole.rows.length || end.kind !== 'clean') expect.fail(`cut at ${at}`);
    }
    expect(frame([bytes.subarray(0, 7), bytes.subarray(7, 7), bytes.subarray(7)])).toEqual(whole);
  });
});

describe('rows', () => {
  test('a row of a length may hold newlines, and has none after it', () => {
    const { rows } = frameText('1:T5,a\nb\n\n2:o2,\n\n0:"$1"\n');
    expect(rows.map(({ id, tag }) => [id, tag])).toEqual([
      [1, 'T'],
      [2, 'o'],
      [0, ''],
    ]);
    expect(rows[0]?.payload).toBe(toHex(encoder.encode('a\nb\n\n')));
  });

  test('lengths are bytes, not characters', () => {
    const { rows, end } = frameText('1:T4,😀0:1\n');
    expect(rows.map((row) => row.id)).toEqual([1, 0]);
    expect(end.kind).toBe('clean');
  });

  test('a row of no bytes ends with its comma', () => {
    expect(frameText('1:o0,').rows).toEqual([{ id: 1, tag: 'o', start: 0, end: 5, payload: '' }]);
  });

  test('no id is id 0, and ids have 32 bits', () => {
    const { rows } = frameText(':HD"x"\n80000000:1\nffffffff:2\n');
    expect(rows.map((row) => row.id)).toEqual([0, 0x80000000, 0xffffffff]);
  });

  test('a row without a body is a row', () => {
    expect(frameText('18:\n').rows).toEqual([{ id: 0x18, tag: '', start: 0, end: 4, payload: '' }]);
  });
});

describe('the end', () => {
  test.each([
    ['', { kind: 'clean', at: 0 }],
    ['0:1\n', { kind: 'clean', at: 4 }],
    ['0:1\n\n\r\n', { kind: 'clean', at: 7 }],
    ['0:1', { kind: 'truncated', at: 3, rowStart: 0 }],
    ['0:1\n1', { kind: 'truncated', at: 5, rowStart: 4 }],
    ['0:1\n1:T5,ab', { kind: 'truncated', at: 11, rowStart: 4 }],
  ])('%j', (text, end) => {
    expect(frameText(text).end).toEqual(end);
  });

  test.each([
    ['<html>', 0],
    ['404 Not Found', 3],
    ['0:1\nA:2\n', 4],
    ['0:1\n1:Tx,', 7],
    ['1:TFF,', 3],
    ['1:T1ffffffff,', 11],
    ['\r\n0:1\n', 0],
    ['0:1\n\n1:2\n', 4],
  ])('%j is malformed at byte %d', (text, at) => {
    expect(frameText(text).end).toMatchObject({ kind: 'malformed', at });
    // Cut anywhere, at the same byte.
    expect(frame(Array.from(encoder.encode(text), (byte) => Uint8Array.of(byte))).end).toMatchObject({ at });
  });

  test('rows before a malformed byte are kept', () => {
    expect(frameText('0:1\n!').rows).toHaveLength(1);
  });
});
