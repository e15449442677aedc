import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { FlightHead } from '../flight/flight-head.ts';
import { createSampleHead } from '../recorder/testing/sample-head.ts';
import { createFlightWriter } from './sqlite-writer.ts';
import type { FlightEntry } from './flight-values.ts';
import { flightsFile } from './open-flights.ts';

const mebibyte = 1024 * 1024;
const nothing = new Uint8Array();
let folder: string;
let damages: string[];
let writer: ReturnType<typeof createFlightWriter>;

function open(bytesLimit = 256 * mebibyte): ReturnType<typeof createFlightWriter> {
  writer = createFlightWriter({ folder, bytesLimit, ageMs: 1_000, onDamage: (reason) => damages.push(reason) });
  return writer;
}

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-writer-'));
  damages = [];
});

afterEach(() => {
  writer.close();
  rmSync(folder, { recursive: true });
});

function id(): string {
  return randomBytes(16).toString('hex');
}

function createHead(head: Partial<FlightHead> = {}): FlightHead {
  return createSampleHead({ requestId: id(), traceId: id(), startedAt: 1_000, elements: ['root'], ...head });
}

function createEntry(head: Partial<FlightHead> = {}, payload: Uint8Array = Buffer.from('0:"payload"\n')): FlightEntry {
  return { head: createHead(head), payload: new Uint8Array(payload), debug: nothing, args: nothing };
}

function query(sql: string): Record<string, unknown>[] {
  const database = new DatabaseSync(path.join(folder, flightsFile));
  const rows = database.prepare(sql).all();
  database.close();
  return rows;
}

function count(table: string): unknown {
  return query(`select count(*) as n from ${table}`)[0]?.['n'];
}

function isOnDisk(bytes: Uint8Array): boolean {
  return readdirSync(folder).some((name) => readFileSync(path.join(folder, name)).includes(Buffer.from(bytes)));
}

describe('deleting', () => {
  it('takes the bytes out of every file', () => {
    open();
    // Nothing compresses random bytes, so they are in the file as they are; what fits a page is one run.
    const secret = randomBytes(2_000);
    const other = randomBytes(2_000);
    const args = Buffer.concat([Buffer.from('["'), Buffer.from(randomBytes(600).toString('hex')), Buffer.from('"]')]);
    const action = { actionId: 'f#a', actionType: 'text/plain', actionBytes: args.length };
    writer.write([{ ...createEntry({ ...action, digests: ['ABCDEFGHJK'] }, secret), args }, createEntry({}, other)]);
    expect(isOnDisk(secret.subarray(0, 500))).toBe(true);
    writer.delete(1);
    expect(isOnDisk(secret.subarray(0, 500))).toBe(false);
    expect(isOnDisk(secret.subarray(1_000, 1_200))).toBe(false);
    expect(isOnDisk(other.subarray(0, 500))).toBe(true);
    expect(query('select id from flight')).toEqual([{ id: 2 }]);
    expect([count('attachment'), count('flight_digest'), count('body')]).toEqual([0, 0, 1]);
  });

  it('keeps content that another flight carried too, until that one goes', () => {
    open();
    const shared = randomBytes(2_000);
    writer.write([createEntry({}, shared), createEntry({}, shared)]);
    expect(count('body')).toBe(1);
    writer.delete(1);
    expect(isOnDisk(shared.subarray(0, 500))).toBe(true);
    writer.delete(2);
    expect(isOnDisk(shared.subarray(0, 500))).toBe(false);
  });

  it('of an app takes its bytes out of every file, a slice at a time, and leaves what came later', () => {
    open();
    const secret = randomBytes(2_000);
    const other = randomBytes(2_000);
    const shop = { app: 'shop' };
    writer.write(Array.from({ length: 150 }, () => createEntry(shop, randomBytes(3_000))));
    writer.write([
      createEntry(shop, secret),
      createEntry({ app: 'flight-recorder' }, other),
      createEntry({ app: 'shop-2' }),
      createEntry(shop),
    ]);
    for (let left = 154; count('flight') !== 3 && left > 0; left -= 1) writer.deleteSlice('shop', 153);
    writer.emptyLog();
    expect(isOnDisk(secret.subarray(0, 500))).toBe(false);
    expect(isOnDisk(other.subarray(0, 500))).toBe(true);
    expect(query('select id, app from flight order by id')).toEqual([
      { id: 152, app: 'flight-recorder' },
      { id: 153, app: 'shop-2' },
      { id: 154, app: 'shop' },
    ]);
  });

  it('of everything leaves nothing, and what comes after gets new ids', () => {
    open();
    const secret = randomBytes(2_000);
    writer.write(Array.from({ length: 250 }, () => createEntry({}, secret)));
    writer.deleteAll();
    expect([count('flight'), count('body')]).toEqual([0, 0]);
    expect(isOnDisk(secret.subarray(0, 500))).toBe(false);
    writer.write([createEntry()]);
    expect(query('select id from flight')).toEqual([{ id: 251 }]);
    // The body of the same content is written again, not remembered.
    writer.write([createEntry({}, secret)]);
    expect(count('body')).toBe(2);
  });
});

describe('the ring', () => {
  it('drops the oldest when its budget is used up, and gives the space back', () => {
    const budget = 2 * mebibyte;
    open(budget);
    for (let index = 0; index < 40; index += 1) {
      writer.write([createEntry({ path: `/${index}` }, randomBytes(200_000))]);
      expect(writer.readState().bytes).toBeLessThanOrEqual(budget);
    }
    const kept = query('select path from flight order by id').map((row) => row['path']);
    expect(kept.length).toBeGreaterThan(3);
    expect(kept.length).toBeLessThan(11);
    expect(kept.at(-1)).toBe('/39');
    expect(kept[0]).toBe(`/${40 - kept.length}`);
    writer.close();
    open(budget);
    expect(statSync(path.join(folder, flightsFile)).size).toBeLessThan(2 * budget);
  });

  it('takes room from the app that has most, and nothing from the others, whoever came first', () => {
    open(2 * mebibyte);
    const quiet = { app: 'quiet' };
    writer.write(Array.from({ length: 3 }, () => createEntry(quiet, randomBytes(50_000))));
    writer.write([createEntry({ app: 'flight-recorder' }, randomBytes(50_000))]);
    for (let index = 0; index < 40; index += 1) {
      writer.write([createEntry({ app: 'busy', path: `/${index}` }, randomBytes(200_000))]);
      expect(writer.readState().bytes).toBeLessThanOrEqual(2 * mebibyte);
    }
    const counts = 'select app, count(*) as n, max(path) as last from flight group by app order by app';
    expect(query(counts)).toMatchObject([{ app: 'busy' }, { app: 'flight-recorder', n: 1 }, { app: 'quiet', n: 3 }]);
    expect(query(`select id from flight where path = '/39'`)).toHaveLength(1);
    // Ours as well, when they are most.
    for (let index = 0; index < 40; index += 1) {
      writer.write([createEntry({ app: 'flight-recorder', path: `/${index}` }, randomBytes(200_000))]);
    }
    expect(writer.readState().bytes).toBeLessThanOrEqual(2 * mebibyte);
    expect(query(counts)).toMatchObject([{ app: 'busy' }, { app: 'flight-recorder' }, { app: 'quiet', n: 3 }]);
    expect(query(`select id from flight where path = '/39' and app = 'flight-recorder'`)).toHaveLength(1);
  });

  it('an app that sends long lists, digests and arguments takes room from itself', () => {
    open(2 * mebibyte);
    writer.write(Array.from({ length: 10 }, () => createEntry({ app: 'quiet' }, randomBytes(50_000))));
    for (let index = 0; index < 60; index += 1) {
      const elements = Array.from({ length: 100 }, (_, at) => `${'e'.repeat(200)}${at}`);
      const digests = Array.from({ length: 50 }, () => id());
      const entry = createEntry({ app: 'busy', elements, digests }, nothing);
      writer.write([{ ...entry, args: new Uint8Array(randomBytes(20_000)) }]);
    }
    expect(writer.readState().bytes).toBeLessThanOrEqual(2 * mebibyte);
    expect(query("select count(*) as n from flight where app = 'quiet'")).toEqual([{ n: 10 }]);
  });

  it('an app that sends only what its server did takes room from itself', () => {
    open(2 * mebibyte);
    writer.write([createEntry({ app: 'quiet' }, randomBytes(50_000))]);
    for (let index = 0; index < 60; index += 1) {
      const text = randomBytes(50_000).toString('base64');
      writer.keepSpans('busy', [{ traceId: id(), first: '1', text }], 1);
    }
    expect(writer.readState().bytes).toBeLessThanOrEqual(2 * mebibyte);
    expect(query('select app from flight')).toEqual([{ app: 'quiet' }]);
  });

  it('drops what is too old', () => {
    open();
    writer.write([createEntry({ startedAt: 1_000 }), createEntry({ startedAt: 5_000 })]);
    expect(writer.deleteTooOld(2_500)).toBe(true);
    expect(writer.deleteTooOld(2_500)).toBe(false);
    expect(query('select started_at from flight')).toEqual([{ started_at: 5_000 }]);
    expect(writer.readState().oldestAt).toBe(5_000);
  });
});

describe('content', () => {
  it('does not hold the secrets of the query', () => {
    open();
    const payload = Buffer.from('0:{"ROUTE":["/","token=very-secret-value"]}\n');
    writer.write([createEntry({ secrets: [{ name: 'token', value: 'very-secret-value' }] }, payload)]);
    const [row] = query('select data, encoding from body');
    expect(row?.['data']).toBeInstanceOf(Uint8Array);
    expect(isOnDisk(Buffer.from('very-secret-value'))).toBe(false);
  });
});

describe('a file that cannot be used', () => {
  it('is moved aside, and recording begins anew', () => {
    const file = path.join(folder, flightsFile);
    writeFileSync(file, 'not a database, but longer than the sixteen bytes that SQLite looks at first');
    open();
    writer.write([createEntry()]);
    expect(count('flight')).toBe(1);
    expect(damages).toEqual(['file is not a database']);
    expect(readFileSync(`${file}.damaged`, 'utf8')).toContain('not a database');
  });

  it('is one whose tables are not those of its version', () => {
    const file = path.join(folder, flightsFile);
    const other = new DatabaseSync(file);
    other.exec('create table unknown_to_us (id integer); pragma user_version = 1');
    other.close();
    open();
    expect(damages).toEqual(['no such table: flight']);
    writer.write([createEntry()]);
    expect(count('flight')).toBe(1);
  });

  it('leaves what was recorded when the process ends in order', () => {
    open();
    writer.write([createEntry()]);
    writer.close();
    open();
    expect(writer.readState()).toMatchObject({ lastId: 1 });
    expect(damages).toEqual([]);
  });
});
