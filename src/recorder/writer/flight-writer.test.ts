import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { inflateRawSync } from 'node:zlib';

import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { testedEngine } from '../../../e2e/testing/postgres/tested-engine.ts';
import { databaseOf } from '../../../e2e/testing/postgres/databases.ts';
import type { FlightHead } from '../flight-head.ts';
import { createSampleHead } from '../testing/sample-head.ts';
import type { FlightEntry } from './flight-values.ts';
import type { FlightWriter } from './flight-writer.ts';
import { flightsFile } from './open-flights.ts';
import { openSqliteWriter } from './open-sqlite-writer.ts';
import { openPostgresWriter } from './postgres/open-postgres-writer.ts';
import type { TellFlights } from './written.ts';

/** What both writers do, each in its turn: this file runs in the projects `server` and `postgres`. */
const isPostgres = testedEngine === 'postgres';
const mebibyte = 1024 * 1024;
const nothing = new Uint8Array();
let folder: string;
let writer: FlightWriter;

async function open(tell?: TellFlights): Promise<void> {
  const limits = { bytesLimit: 256 * mebibyte, ageMs: 1_000, tell };
  writer = isPostgres
    ? openPostgresWriter({ ...limits, url: await databaseOf(folder), isPatient: () => false, onGone: () => undefined })
    : openSqliteWriter({ ...limits, folder, onDamage: () => undefined });
}

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-writer-'));
});

afterEach(async () => {
  await writer.close();
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

async function queryPostgres(text: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: await databaseOf(folder) });
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>({ text, types: { getTypeParser: () => readText } });
    return rows;
  } finally {
    await client.end();
  }
}

/** Every value comes as text: numbers as SQLite gives them, the rest as it is. */
function readText(text: string): unknown {
  if (text.startsWith(String.raw`\x`)) return new Uint8Array(Buffer.from(text.slice(2), 'hex'));
  return /^\d{1,15}$/.test(text) ? Number(text) : text;
}

async function query(text: string): Promise<Record<string, unknown>[]> {
  if (isPostgres) return queryPostgres(text);
  const database = new DatabaseSync(path.join(folder, flightsFile));
  const rows = database.prepare(text).all();
  database.close();
  return rows;
}

async function count(table: string): Promise<unknown> {
  return (await query(`select count(*) as n from ${table}`))[0]?.['n'];
}

describe('content', () => {
  it('of a prerendered page is read once for its Flight, which each hit has', async () => {
    await open();
    const measureHtml = vi.fn(() => 7);
    const hit = { content: 'html', bytes: 40 } as const;
    const [page, long] = [Buffer.from('<html></html>'), Buffer.alloc(mebibyte)];
    await writer.write(
      [
        createEntry({ ...hit, etag: '"abc"' }, page),
        createEntry({ ...hit, etag: '"abc"' }, nothing),
        createEntry({ ...hit, etag: '"abc"', bytes: 0 }, page),
        // The rest of it is not here.
        createEntry({ ...hit, etag: '"long"' }, long),
        createEntry({ content: 'flight', etag: '"payload"' }),
        createEntry({ ...hit, knownFlightBytes: 9 }, page),
      ],
      measureHtml,
    );
    // Another batch brings the file again.
    await writer.write([createEntry({ ...hit, etag: '"abc"' }, page)], measureHtml);
    const sizes = (await query('select flight_bytes from flight order by id')).map((row) => row['flight_bytes']);
    expect(sizes).toEqual([7, 7, 0, null, null, 9, 7]);
    expect(measureHtml).toHaveBeenCalledTimes(1);
  });

  it('of a prerendered page is kept once, though it comes with one hit of many', async () => {
    await open();
    const page = Buffer.from('<html></html>');
    const hit = { rendering: 'prerendered', content: 'html', etag: '"abc"' } as const;
    await writer.write([createEntry(hit, page), createEntry(hit, nothing)]);
    await writer.write([createEntry(hit, nothing)]);
    expect(await query('select distinct body_id from flight')).toEqual([{ body_id: 1 }]);
    expect(await count('body')).toBe(1);
  });
});

describe("an action's arguments", () => {
  it('reach the file without their secrets', async () => {
    await open();
    const args = new Uint8Array(Buffer.from('[{"name":"ann","password":"hunter2"}]'));
    const action = { actionId: 'f#signIn', actionType: 'text/plain', actionBytes: args.length };
    await writer.write([{ ...createEntry({ kind: 'action', ...action }), args }]);
    const [row] = await query('select encoding, data, bytes from attachment');
    const data = row?.['data'];
    if (!(data instanceof Uint8Array)) throw new Error('no arguments were kept');
    const kept = row?.['encoding'] === 'deflate' ? inflateRawSync(data) : Buffer.from(data);
    expect(JSON.parse(kept.toString())).toEqual([{ name: 'ann', password: '[Filtered]' }]);
    expect(row?.['bytes']).toBe(args.length);
  });
});

describe('hits that are counted', () => {
  const hit = { rendering: 'prerendered', content: 'html', etag: '"abc"', startedAt: 1_000 } as const;
  const page = Buffer.from('<html></html>');

  function createCounted(requestId: string, hits: number, lastAt: number, hitsBefore: number): FlightEntry {
    return createEntry({ ...hit, requestId, traceId: '', hits, lastAt, hitsBefore }, page);
  }

  it('are added to their row', async () => {
    await open();
    const [first, second] = [id(), id()];
    await writer.write([createEntry(hit, page), createCounted(first, 5, 1_200, 0), createCounted(second, 2, 1_100, 0)]);
    await writer.write([createCounted(first, 7, 1_900, 5)]);
    expect(await query('select hits, last_at, started_at from flight order by id')).toEqual([
      { hits: 1, last_at: null, started_at: 1_000 },
      { hits: 12, last_at: 1_900, started_at: 1_000 },
      { hits: 2, last_at: 1_100, started_at: 1_000 },
    ]);
  });

  it('have a row again after it was deleted', async () => {
    await open();
    const requestId = id();
    await writer.write([createCounted(requestId, 5, 1_200, 0)]);
    await writer.delete(1);
    await writer.write([createCounted(requestId, 7, 1_900, 5)]);
    expect(await query('select id, hits, last_at from flight')).toEqual([{ id: 2, hits: 7, last_at: 1_900 }]);
    expect(await count('body')).toBe(1);
  });

  it('are never added to a flight, though somebody else had its id', async () => {
    await open();
    const requestId = id();
    await writer.write([createEntry({ ...hit, requestId }, page)]);
    await writer.write([createCounted(requestId, 7, 1_900, 5)]);
    expect(await query('select hits from flight order by id')).toEqual([{ hits: 1 }, { hits: 7 }]);
  });
});

describe('visits', () => {
  it('are known for a document when its tab has spoken, before or after the document was written', async () => {
    await open();
    const [trace, visit, slow] = [id(), id(), id()];
    await writer.write([createEntry({ traceId: trace })]);
    expect(await query('select visit from flight')).toEqual([{ visit: null }]);
    await writer.write([
      createEntry({ traceId: trace, visit, kind: 'prefetch' }),
      createEntry({ traceId: slow, visit }),
    ]);
    await writer.write([createEntry({ traceId: slow, visit: null })]);
    expect(await query('select distinct visit from flight')).toEqual([{ visit }]);
  });
});

describe('prefetches', () => {
  it('are told used by the browser, also before they were written, and the rest closed', async () => {
    await open();
    const [early, late, unused, traceId] = [id(), id(), id(), id()];
    await writer.note([{ time: 5, used: [early], closedTrace: undefined }]);
    await writer.write([early, late, unused].map((requestId) => createEntry({ requestId, traceId, kind: 'prefetch' })));
    await writer.note([{ time: 7, used: [late], closedTrace: traceId }]);
    expect(await query('select used_at, closed_at from flight order by id')).toEqual([
      { used_at: 5, closed_at: null },
      { used_at: 7, closed_at: null },
      { used_at: null, closed_at: 7 },
    ]);
  });
});

describe('what others are told', () => {
  it('is each flight that was committed, once, however often it was sent', async () => {
    const told: string[] = [];
    await open((flights) => told.push(...flights.map(({ requestId }) => requestId)));
    const received = createEntry({ source: 'received' });
    await writer.write([received]);
    await writer.write([received, createEntry({ requestId: 'f'.repeat(32) })]);
    expect(told).toEqual([received.head.requestId, 'f'.repeat(32)]);
    expect(writer.takeWritten().reduce((sum, { flights }) => sum + flights, 0)).toBe(2);
    expect(writer.takeWritten()).toEqual([]);
  });

  it('is nothing of what was rolled back', async () => {
    const told: string[] = [];
    await open((flights) => told.push(...flights.map(({ path: of }) => of)));
    function* entries() {
      yield createEntry({ path: '/lost' });
      throw new Error('the batch cannot be read');
    }
    await expect((async () => writer.write(entries()))()).rejects.toThrow('the batch cannot be read');
    await writer.write([createEntry({ path: '/kept' })]);
    expect(told).toEqual(['/kept']);
    expect(writer.takeWritten()).toMatchObject([{ flights: 1 }]);
  });

  it('is no flight for hits that are added to a row, which count all the same', async () => {
    const told: string[] = [];
    await open((flights) => told.push(...flights.map(({ requestId }) => requestId)));
    const requestId = id();
    await writer.write([createEntry({ requestId, hits: 2, lastAt: 1_000 })]);
    await writer.write([createEntry({ requestId, hits: 3, hitsBefore: 2, lastAt: 1_500 })]);
    expect(told).toEqual([]);
    expect(writer.takeWritten()).toMatchObject([{ flights: 5 }]);
  });
});
