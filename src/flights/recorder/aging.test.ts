import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import type { Age } from '#src/store/age-clock.ts';

import { currentWriter, noteUsage, startRecorder } from './recorder.ts';
import { createSampleHead } from './testing/sample-head.ts';
import { createFlightWriter } from '../writer/sqlite-writer.ts';

const day = 24 * 3_600_000;
const nothing = new Uint8Array();
let folder: string;
let lines: Record<string, unknown>[];
let stop: (() => Promise<void>) | undefined;

/** Flights of the last days, one a day, the newest now. */
function leaveFlights(count: number): void {
  const writer = createFlightWriter({ folder, bytesLimit: 1e8, ageMs: 1e15, onDamage: () => undefined });
  const days = Array.from({ length: count }, (_, index) => count - 1 - index);
  writer.write(
    days.map((age) => ({
      head: createSampleHead({ startedAt: Date.now() - age * day }),
      payload: Buffer.from(`${age}`),
      debug: nothing,
      args: nothing,
    })),
  );
  writer.close();
}

function countFlights(): unknown {
  const database = new DatabaseSync(path.join(folder, 'flights.db'), { readOnly: true });
  const count = database.prepare('select count(*) as n from flight').get()?.['n'];
  database.close();
  return count;
}

/** Its thread looks at the age of what is there as soon as it runs. */
async function record(age: Age): Promise<void> {
  stop = await startRecorder({ readAge: () => age });
  noteUsage({ time: 0, used: [], closedTrace: undefined });
  await currentWriter().flush();
}

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-aging-'));
  vi.stubEnv('FLIGHT_DATA', folder);
  vi.stubEnv('RECORD', 'all');
  lines = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(JSON.parse(String(text))) > 0);
  leaveFlights(6);
});

afterEach(async () => {
  await stop?.();
  stop = undefined;
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

it('flights go by the age clock, and not while only the system’s says that they are old', async () => {
  const wall = Date.now();
  const until = wall + 3_600_000;
  // The threads share the system's clock, so the age clock is the one that is behind: by three days.
  vi.stubEnv('RECORD_DAYS', '3.5');
  await record({ now: wall - 3 * day, waitsUntil: until, wall });
  await vi.waitFor(() => expect(lines).toHaveLength(1));
  expect(lines[0]).toMatchObject({ event: 'retention-waits', flights: 2, until: new Date(until).toISOString() });
  expect(countFlights()).toBe(6);
});

it('flights go when the clock is believed', async () => {
  const wall = Date.now();
  vi.stubEnv('RECORD_DAYS', '3.5');
  await record({ now: wall, waitsUntil: undefined, wall });
  await vi.waitFor(() => expect(countFlights()).toBe(4));
  expect(lines).toEqual([]);
});
