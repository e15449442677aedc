import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { decodeFlight } from './decode-flight.ts';
import type { Flight, FlightState } from './flight.ts';
import { printRow } from './print-value.ts';
import { countRowsWithin, readRow } from './row.ts';
import { scanFlight } from './scan-flight.ts';
import { rowToJson } from './value-to-json.ts';

const encoder = new TextEncoder();
const folder = path.join(import.meta.dirname, '../fixtures');

function decode(text: string): Flight {
  return decodeFlight(encoder.encode(text));
}

function readFixture(name: string): Uint8Array {
  return new Uint8Array(readFileSync(path.join(folder, name)));
}

const reactFixtures = readdirSync(path.join(folder, 'react-19.3.1-production')).filter((file) =>
  file.endsWith('.flight'),
);

/** Reads all there is to read of every row. */
function readAll(flight: Flight): number {
  let length = 0;
  for (let row = 0; row < flight.rows.count; row++) {
    const content = readRow(flight, row);
    length += printRow(flight, content).length + JSON.stringify(rowToJson(flight, content)).length;
  }
  return length;
}

describe('states', () => {
  test.each(reactFixtures)('%s of React’s own server', (file) => {
    const states: Record<string, FlightState> = {
      'aborted.flight': { kind: 'aborted', error: 3, pending: [] },
      'prerender-halted.flight': { kind: 'halted', pending: [2] },
    };
    const flight = decodeFlight(readFixture(`react-19.3.1-production/${file}`));
    expect(flight.state).toEqual(states[file] ?? { kind: 'complete' });
    expect(readAll(flight)).toBeGreaterThan(0);
  });

  test.each<[string, string, FlightState['kind']]>([
    ['an empty stream', '', 'truncated'],
    ['rows but no root', '1:"a"\n', 'truncated'],
    ['a hint alone', ':HD"x"\n', 'truncated'],
    ['half a row', '0:"a"\n1:"b', 'truncated'],
    ['row 0 last', '1:"a"\n0:"$1"\n', 'complete'],
    ['a row never sent', '0:"$L1"\n', 'halted'],
    ['a row that says it will not come', '0:"$@1"\n1:\n', 'halted'],
    ['a promise that never resolves', '0:{"a":"$@"}\n', 'complete'],
    ['a module row that refers to an error', '0:"$L1"\n2:E{"digest":""}\n1:I"$2"\n', 'complete'],
    ['a stream left open', '0:"$1"\n1:R\n1:"a"\n', 'halted'],
    ['a stream that failed', '0:"$1"\n1:R\n1:"a"\n1:E{"digest":"x"}\n', 'complete'],
    ['a row given up', '0:"$L1"\n2:E{"digest":"x"}\n1:"$2"\n', 'aborted'],
    ['an item that failed', '0:"$1"\n1:X\n2:E{"digest":"x"}\n1:"$2"\n1:C\n', 'complete'],
    ['a return value that failed', '0:"$1"\n1:X\n2:E{"digest":"x"}\n1:C"$2"\n', 'complete'],
    ['a row that failed', '0:"$L1"\n1:E{"digest":"x"}\n', 'complete'],
    ['a debug row that travels elsewhere', '0:D"$6"\n0:["$","p",null,{},"$7","$8",1]\n', 'complete'],
    ['a value shown by debug rows alone', '2:\n1:"$L2"\n3:J{"value":"$@1"}\n0:D{"awaited":"$3"}\n0:1\n', 'complete'],
  ])('%s', (_, text, kind) => {
    expect(decode(text).state.kind).toBe(kind);
    expect(scanFlight([encoder.encode(text)]).abortError !== undefined).toBe(kind === 'aborted');
  });

  test.each([
    ['0:{"a":1,}\n', 9],
    ['0:1\n1:E{digest}\n', 8],
    ['0:1\n1:I[\n2:3\n', 8],
    ['0:1\nzz', 4],
  ])('%j is malformed at byte %d', (text, at) => {
    expect(decode(text).state).toMatchObject({ kind: 'malformed', at });
  });

  test('a row with broken JSON does not take the others with it', () => {
    const flight = decode('1:{\n0:"a"\n');
    expect(readRow(flight, 0)).toMatchObject({ kind: 'broken', text: '{' });
    expect(readRow(flight, 1)).toMatchObject({ kind: 'model', value: { kind: 'string', value: 'a' } });
  });
});

describe('the byte that Next.js puts before a payload', () => {
  test.each([
    ['#', 'complete'],
    ['~', 'partial'],
  ])('%s is taken off: %s', (byte, marker) => {
    const payload = '1:"a"\n0:"$1"\n';
    const flight = decode(byte + payload);
    expect(flight).toMatchObject({ marker, state: { kind: 'complete' } });
    expect(new TextDecoder().decode(flight.bytes)).toBe(payload);
    expect(readRow(flight, 0)).toMatchObject({ start: 0, end: 6 });
    const scan = scanFlight([encoder.encode(byte), encoder.encode(payload)]);
    expect(scan).toMatchObject({ rows: 2, hasRoot: true, bytes: payload.length + 1, end: { kind: 'clean' } });
    expect(decode(payload).marker).toBeUndefined();
  });

  test.each(['# 1', '#!', '~x', '#\n0:1\n', '!0:1\n'])('%j is none', (text) => {
    expect(decode(text)).toMatchObject({ marker: undefined, state: { kind: 'malformed', at: 0 } });
  });

  test('it is of the first byte alone', () => {
    expect(decode('0:1\n#1:1\n').state).toMatchObject({ kind: 'malformed', at: 4 });
    expect(scanFlight([encoder.encode('0:1\n'), encoder.encode('#1:1\n')]).end.kind).toBe('malformed');
  });
});

describe('rows at a time', () => {
  test('a row is there when its last byte is', () => {
    const bytes = readFixture('react-19.3.1-production/streams.flight');
    const flight = decodeFlight(bytes);
    for (let row = 0; row < flight.rows.count; row++) {
      const { end } = readRow(flight, row);
      expect(countRowsWithin(flight, end)).toBeGreaterThan(row);
      expect(countRowsWithin(flight, end - 1)).toBeLessThanOrEqual(row);
    }
    expect(countRowsWithin(flight, 0)).toBe(0);
    expect(countRowsWithin(flight, Infinity)).toBe(flight.rows.count);
  });
});

describe('hostile bytes', () => {
  const inputs = reactFixtures
    .map((file) => readFixture(`react-19.3.1-production/${file}`))
    .filter((bytes) => bytes.length < 3000);
  const change = fc.record({
    input: fc.constantFrom(...inputs),
    edits: fc.array(fc.record({ at: fc.nat(3000), byte: fc.integer({ min: 0, max: 255 }), drop: fc.nat(3) }), {
      maxLength: 8,
    }),
  });

  test('never throw, and every row that is found can be read', () => {
    fc.assert(
      fc.property(change, ({ input, edits }) => {
        const bytes = Array.from(input);
        for (const { at, byte, drop } of edits) bytes.splice(at % bytes.length, drop, byte);
        const flight = decodeFlight(Uint8Array.from(bytes));
        readAll(flight);
        if (flight.state.kind === 'malformed') expect(flight.state.at).toBeLessThanOrEqual(bytes.length);
      }),
      { numRuns: 2000 },
    );
  });

  test('random bytes never throw', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        readAll(decodeFlight(bytes));
      }),
      { numRuns: 1000 },
    );
  });

  test.each([
    ['numbers', `0:[${'1,'.repeat(200_000)}1]\n`],
    ['empty arrays', `0:[${'[],'.repeat(200_000)}1]\n`],
    ['arrays in arrays', `0:[${'[[[[1]]]],'.repeat(50_000)}1]\n`],
    ['empty strings', `0:[${'"",'.repeat(200_000)}1]\n`],
    ['small objects', `0:[${'{"":1},'.repeat(100_000)}1]\n`],
    ['small rows', `0:1\n${'1:2\n'.repeat(200_000)}`],
    ['rows of many ids', Array.from({ length: 100_000 }, (__, id) => `${id.toString(16)}:1\n`).join('')],
    ['references', `0:[${'"$1",'.repeat(100_000)}1]\n1:1\n`],
    ['text', `0:T${(400_000).toString(16)},${'x'.repeat(400_000)}`],
  ])('%s take at most four times their bytes of memory', (_, text) => {
    const flight = decode(text);
    const { words } = flight.tape;
    const { starts, models, firstOfId } = flight.rows;
    const used = words.byteLength + starts.byteLength + models.byteLength + (firstOfId?.byteLength ?? 0);
    expect(flight.state.kind).toBe('complete');
    expect(used / flight.bytes.length).toBeLessThanOrEqual(4);
  });

  test.each([
    ['brackets', `0:${'['.repeat(500_000)}`],
    ['quotes', `0:${'"'.repeat(500_000)}`],
    ['missing rows', `0:[${Array.from({ length: 50_000 }, (__, id) => `"$${id.toString(16)}"`).join(',')}]\n`],
    ['colons', ':'.repeat(500_000)],
    ['empty rows', ':\n'.repeat(250_000)],
    ['distinct rows', Array.from({ length: 100_000 }, (__, id) => `${id.toString(16)}:1\n`).join('')],
  ])('%s take no longer than their length', (_, text) => {
    const bytes = encoder.encode(text);
    const start = process.cpuUsage();
    decodeFlight(bytes);
    const { user, system } = process.cpuUsage(start);
    expect((user + system) / 1000).toBeLessThan(1000);
  });
});
