import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { otherNetworks, triesKept, type ForgedTry } from '../flight/forged-try.ts';
import { openFlightsForReading } from './open-flights.ts';
import { createFlightWriter } from './sqlite-writer.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-tries-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

const seen: ForgedTry = {
  app: 'shop',
  rule: 'path',
  advisory: 'CVE-2025-55182',
  network: '192.0.2.0/24',
  status: 500,
  at: 1_000,
  path: '/',
  action: 'x',
  detail: 'no such name',
  body: 'first',
};

function readTries() {
  const database = openFlightsForReading(folder);
  const rows = database?.prepare('select * from forged order by app, network, status').all() ?? [];
  database?.close();
  return rows;
}

function write(writer: ReturnType<typeof createFlightWriter>, tries: readonly ForgedTry[]): void {
  writer.writeExchanges(tries.map((tried) => ({ isAnswered: true, entries: [], learnt: undefined, tried })));
}

it('counts what is the same, keeps what came first, and forgets with the flights', () => {
  const writer = createFlightWriter({ folder, bytesLimit: 1e8, ageMs: 1_000, onDamage() {} });
  write(writer, [seen, { ...seen, at: 5_000, body: 'second' }, { ...seen, status: 404 }, { ...seen, app: 'blog' }]);
  expect(readTries()).toMatchObject([
    { app: 'blog', count: 1 },
    { app: 'shop', status: 404, count: 1 },
    { app: 'shop', status: 500, count: 2, first_at: 1_000, last_at: 5_000, body: 'first' },
  ]);
  writer.deleteTooOld(5_500);
  expect(readTries()).toMatchObject([{ app: 'shop', status: 500 }]);
  write(writer, [{ ...seen, app: 'blog' }]);
  writer.deleteSlice('shop', 100);
  expect(readTries()).toMatchObject([{ app: 'blog' }]);
  writer.deleteAll();
  expect(readTries()).toEqual([]);
  writer.close();
});

it('a scan from everywhere is bounded, and all of it is counted', () => {
  const writer = createFlightWriter({ folder, bytesLimit: 1e8, ageMs: 1e9, onDamage() {} });
  const scan = Array.from({ length: triesKept + 50 }, (_, index) => ({
    ...seen,
    network: `${index >> 8}.${index & 255}.0.0/24`,
  }));
  write(writer, scan);
  const rows = readTries();
  expect(rows).toHaveLength(triesKept + 1);
  expect(rows.find(({ network }) => network === otherNetworks)).toMatchObject({ count: 50 });
  writer.close();
});
