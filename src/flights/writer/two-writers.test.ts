import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { createSampleHead } from '../recorder/testing/sample-head.ts';
import { createFlightWriter } from './sqlite-writer.ts';
import { holdFile } from './hold-file.ts';
import type { FlightEntry } from './flight-values.ts';
import { flightsFile } from './open-flights.ts';

/** Two processes, as far as SQLite can tell: two connections, each with what its writer remembers. */
let folder: string;
let open: ReturnType<typeof createFlightWriter>[];
let damages: string[];

function start(bytesLimit = 64 * 1024 * 1024) {
  const writer = createFlightWriter({ folder, bytesLimit, ageMs: 1e12, onDamage: (reason) => damages.push(reason) });
  open.push(writer);
  return writer;
}

function createEntry(payload: Uint8Array): FlightEntry {
  const ids = { requestId: randomBytes(16).toString('hex'), traceId: randomBytes(16).toString('hex') };
  const head = createSampleHead({ ...ids, content: 'flight', startedAt: 1_000 });
  return { head, payload: new Uint8Array(payload), debug: new Uint8Array(), args: new Uint8Array() };
}

function query(sql: string): Record<string, unknown>[] {
  const database = new DatabaseSync(path.join(folder, flightsFile));
  const rows = database.prepare(sql).all();
  database.close();
  return rows;
}

const bodies = 'select flight.id, body.data from flight left join body on body.id = body_id order by flight.id';

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-two-'));
  open = [];
  damages = [];
});

afterEach(() => {
  for (const writer of open) writer.close();
  rmSync(folder, { recursive: true });
});

it('a body that the other has deleted is not referred to, nor is what got its id', () => {
  const [one, other] = [start(), start()];
  const [shared, another] = [randomBytes(500), randomBytes(500)];
  one.write([createEntry(shared)]);
  one.write([createEntry(shared)]);
  other.deleteAll();
  other.write([createEntry(another)]);
  one.write([createEntry(shared)]);
  expect(query(bodies).map(({ data }) => data)).toEqual([another, shared].map((bytes) => new Uint8Array(bytes)));
  expect(query('pragma foreign_key_check')).toEqual([]);
});

it('losses are added up, and deleted with everything', () => {
  const [one, other] = [start(), start()];
  one.addLosses([{ app: 'shop', reason: 'disk', count: 2, time: 1 }]);
  other.addLosses([{ app: 'shop', reason: 'disk', count: 3, time: 2 }]);
  expect(query('select * from loss')).toEqual([{ app: 'shop', reason: 'disk', count: 5, last_time: 2 }]);
  one.deleteAll();
  expect(query('select * from loss')).toEqual([]);
});

it('one follows when the other has moved the file aside', () => {
  const [one, other] = [start(), start()];
  one.write([createEntry(randomBytes(10))]);
  other.replace();
  one.followFile();
  one.write([createEntry(randomBytes(10))]);
  other.followFile();
  other.write([createEntry(randomBytes(10))]);
  expect(query('select id from flight')).toHaveLength(2);
  expect(query('pragma integrity_check')).toEqual([{ integrity_check: 'ok' }]);
});

it('both meet damage, and one file alone is moved aside', () => {
  const [one, other] = [start(), start()];
  one.replace();
  one.write([createEntry(randomBytes(10))]);
  other.replace();
  other.write([createEntry(randomBytes(10))]);
  expect(query('select id from flight')).toHaveLength(2);
});

it('one goes on when somebody takes the file away', () => {
  const one = start();
  one.write([createEntry(randomBytes(10))]);
  renameSync(path.join(folder, flightsFile), path.join(folder, 'elsewhere'));
  one.followFile();
  one.write([createEntry(randomBytes(10))]);
  expect(query('select id from flight')).toHaveLength(1);
});

it('both keep to the budget', () => {
  const limit = 2 * 1024 * 1024;
  const writers = [start(limit), start(limit)];
  for (let round = 0; round < 30; round += 1) {
    for (const writer of writers) {
      writer.write([createEntry(randomBytes(100_000))]);
      expect(writer.readState().bytes).toBeLessThanOrEqual(limit);
    }
  }
  expect(query('select count(*) as n from flight')[0]?.['n']).toBeGreaterThan(10);
  expect(query('pragma integrity_check')).toEqual([{ integrity_check: 'ok' }]);
});

const opener = `
import { createFlightWriter } from '#src/flights/writer/sqlite-writer.ts';
import { parentPort, workerData } from 'node:worker_threads';
const damages = [];
const writer = createFlightWriter({ ...workerData, onDamage: (reason) => damages.push(reason) });
writer.addLosses([{ app: 'shop', reason: 'disk', count: 1, time: 1 }]);
writer.close();
parentPort.postMessage(damages);
`;

it('many that begin at once make one file', async () => {
  const url = new URL(
    `data:text/javascript,${encodeURIComponent(opener.replaceAll('#src', new URL('../..', import.meta.url).href.slice(0, -1)))}`,
  );
  const workerData = { folder, bytesLimit: 1e8, ageMs: 1e12 };
  const results = Array.from({ length: 6 }, () => {
    const worker = new Worker(url, { workerData, execArgv: ['--disable-warning=ExperimentalWarning'] });
    return new Promise((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
    });
  });
  expect(await Promise.all(results)).toEqual(Array.from({ length: 6 }, () => []));
  expect(query('select count from loss')).toEqual([{ count: 6 }]);
  expect(existsSync(path.join(folder, `${flightsFile}.damaged`))).toBe(false);
}, 30_000);

it('the file is given back, also after a failure and by whoever was killed', () => {
  const file = path.join(folder, flightsFile);
  const fail = () => {
    throw new Error('no room');
  };
  expect(() => holdFile(file, fail)).toThrow('no room');
  expect(holdFile(file, () => 1)).toBe(1);
  mkdirSync(`${file}.held`);
  const longAgo = Date.now() / 1_000 - 60;
  utimesSync(`${file}.held`, longAgo, longAgo);
  expect(holdFile(file, () => 2)).toBe(2);
  expect(() => holdFile(path.join(folder, 'missing', 'file'), () => 3)).toThrow('cannot be held');
});
