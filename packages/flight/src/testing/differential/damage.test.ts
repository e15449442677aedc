import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';

import { decodeFlight } from '../../decode-flight.ts';
import type { Flight } from '../../flight.ts';
import { createFramer, joinPieces } from '../../framing.ts';
import { scanFlight } from '../../scan-flight.ts';
import { describeFlight } from './describe-flight.ts';
import { responsePlans } from './plans.ts';
import { lineNames, loadLine } from './react-lines.ts';
import { readEverything } from './read-everything.ts';
import { encodeResponse, renameServerReferences } from './responses.ts';
import { listRuns, runTimeout } from './runs.ts';

/** Payloads of every line and mode, all kinds of rows among them. */
const payloads: Uint8Array[] = [];
const plansPerBuild = 12;

beforeAll(async () => {
  const plans = fc.sample(responsePlans, { seed: 20, numRuns: plansPerBuild });
  for (const name of lineNames) {
    for (const mode of ['production', 'development'] as const) {
      for (const plan of plans) {
        const bytes = await encodeResponse(plan, loadLine(name, mode));
        if (bytes) payloads.push(bytes);
      }
    }
  }
  expect(payloads.length).toBeGreaterThan(plansPerBuild * 7);
});

const somePayload = fc
  .nat({ max: 10_000 })
  .map((index): Uint8Array => payloads[index % payloads.length] ?? new Uint8Array());
/** A place in a payload, as a share of its length. */
const somePlace = fc.double({ min: 0, max: 1, noNaN: true });

function cutAt(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const cuts = places.map((place) => Math.floor(place * bytes.length)).sort((a, b) => a - b);
  return [...cuts, bytes.length].map((cut, index) => bytes.subarray(cuts[index - 1] ?? 0, cut));
}

function listRowStarts(flight: Flight): Set<number> {
  return new Set(flight.rows.starts.subarray(0, flight.rows.count + 1));
}

describe.each(listRuns(300))('payloads of all lines, $title', ({ seed, numRuns }) => {
  test(
    'mean the same wherever the network cuts them',
    () => {
      fc.assert(
        fc.property(somePayload, fc.array(somePlace, { maxLength: 8 }), (bytes, places) => {
          const chunks = cutAt(bytes, places);
          expect(scanFlight(chunks)).toEqual(scanFlight([bytes]));
          expect(listFramedRows(chunks)).toEqual(listFramedRows([bytes]));
        }),
        { seed, numRuns },
      );
    },
    runTimeout,
  );

  test(
    'cut short are truncated, at the last byte that came',
    () => {
      fc.assert(
        fc.property(somePayload, somePlace, (bytes, place) => {
          const length = Math.floor(place * bytes.length);
          const whole = listRowStarts(decodeFlight(bytes));
          const flight = decodeFlight(bytes.subarray(0, length));
          readEverything(flight);
          const isBetweenRows = whole.has(length);
          if (!isBetweenRows) expect(flight.state).toMatchObject({ kind: 'truncated', at: length });
          else if (flight.root === undefined) expect(flight.state.kind).toBe('truncated');
          else expect(['complete', 'aborted', 'halted']).toContain(flight.state.kind);
        }),
        { seed, numRuns },
      );
    },
    runTimeout,
  );

  test(
    'with bytes changed, lost, repeated or mixed up neither throw nor hang',
    () => {
      fc.assert(
        fc.property(somePayload, fc.array(someDamage, { minLength: 1, maxLength: 6 }), (bytes, damages) => {
          let damaged = bytes;
          for (const damage of damages) damaged = damaged.length > 0 ? applyDamage(damaged, damage) : damaged;
          const started = process.cpuUsage();
          const flight = decodeFlight(damaged);
          readEverything(flight);
          const { user, system } = process.cpuUsage(started);
          expect((user + system) / 1000).toBeLessThan(2000);
          if (flight.state.kind === 'malformed') expect(flight.state.at).toBeLessThanOrEqual(damaged.length);
          expect(scanFlight([damaged]).rows).toBe(flight.rows.count);
        }),
        { seed, numRuns: numRuns * 2 },
      );
    },
    runTimeout,
  );

  test(
    'name server references as older patches did and mean the same',
    () => {
      fc.assert(
        fc.property(somePayload, (bytes) => {
          const older = renameServerReferences(bytes, 'h', 'F');
          expect(describeFlight(decodeFlight(older))).toEqual(describeFlight(decodeFlight(bytes)));
        }),
        { seed, numRuns: payloads.length },
      );
    },
    runTimeout,
  );
});

function listFramedRows(chunks: readonly Uint8Array[]) {
  const rows: unknown[] = [];
  const framer = createFramer(({ id, tag, start, payloadStart, payloadEnd, end, pieces }) => {
    rows.push({
      id,
      tag,
      start,
      payloadStart,
      payloadEnd,
      end,
      payload: Buffer.from(joinPieces(pieces)).toString('hex'),
    });
  });
  for (const chunk of chunks) framer.push(chunk);
  return { rows, end: framer.end() };
}

type Damage =
  | { kind: 'set'; place: number; byte: number }
  | { kind: 'insert'; place: number; bytes: Uint8Array }
  | { kind: 'drop'; place: number; count: number }
  | { kind: 'repeat'; place: number; from: number; count: number }
  | { kind: 'graft'; place: number; other: Uint8Array; from: number; count: number };

/** What the format gives a meaning, so that damage is not only to texts. */
const meaningful = [
  '"$1"',
  '"$L1"',
  '"$0"',
  '"$@0"',
  '$',
  ':',
  '\n',
  ',',
  '1:',
  '0:',
  'T',
  'I[',
  '"$0:0:0"',
  '[',
  ']',
  '\\u',
].map((text) => new Uint8Array(Buffer.from(text)));
const someCount = fc.nat({ max: 60 });
const someDamage: fc.Arbitrary<Damage> = fc.oneof(
  fc.record({ kind: fc.constant('set'), place: somePlace, byte: fc.nat({ max: 255 }) }),
  fc.record({
    kind: fc.constant('insert'),
    place: somePlace,
    bytes: fc.oneof(fc.constantFrom(...meaningful), fc.uint8Array({ maxLength: 6 })),
  }),
  fc.record({ kind: fc.constant('drop'), place: somePlace, count: someCount }),
  fc.record({ kind: fc.constant('repeat'), place: somePlace, from: somePlace, count: someCount }),
  fc.record({ kind: fc.constant('graft'), place: somePlace, other: somePayload, from: somePlace, count: someCount }),
);

function applyDamage(bytes: Uint8Array, damage: Damage): Uint8Array {
  const at = Math.floor(damage.place * (bytes.length - 1));
  switch (damage.kind) {
    case 'set':
      return splice(bytes, at, 1, Uint8Array.of(damage.byte));
    case 'insert':
      return splice(bytes, at, 0, damage.bytes);
    case 'drop':
      return splice(bytes, at, damage.count, new Uint8Array());
    case 'repeat':
      return splice(bytes, at, 0, takeFrom(bytes, damage));
    case 'graft':
      return splice(bytes, at, damage.count, takeFrom(damage.other, damage));
    default:
      return damage satisfies never;
  }
}

function takeFrom(bytes: Uint8Array, { from, count }: { from: number; count: number }) {
  const start = Math.floor(from * bytes.length);
  return bytes.subarray(start, start + count);
}

function splice(bytes: Uint8Array, at: number, drop: number, insert: Uint8Array): Uint8Array {
  return new Uint8Array(Buffer.concat([bytes.subarray(0, at), insert, bytes.subarray(at + drop)]));
}
