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
import type { FlightHead } from '../flight/flight-head.ts';
import { createSampleHead } from '../recorder/testing/sample-head.ts';
import type { FlightEntry } from './flight-values.ts';
import type { LearntAt } from './exchange/describe-exchange.ts';
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
  const limits = { bytesLimit: 256 * mebibyte, ageMs: 1_000, tell, knownSecrets: [] };
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
  it('are those of one app: another one may say the same trace', async () => {
    await open();
    const [trace, late] = [id(), id()];
    await writer.write([createEntry({ app: 'shop', traceId: trace, visit: null, kind: 'document' })]);
    await writer.write([
      createEntry({ app: 'blog', traceId: trace, visit: 'named by blog' }),
      createEntry({ app: 'blog', traceId: late, visit: 'named by blog' }),
    ]);
    await writer.write([
      createEntry({ app: 'shop', traceId: late, visit: null, durationMs: 60_000, kind: 'document' }),
    ]);
    expect(await query("select distinct visit from flight where app = 'shop'")).toEqual([{ visit: null }]);
  });

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

describe('the Web Vitals of a page', () => {
  it('are those that its browser told last, of its document alone', async () => {
    await open();
    const [page, strange, navigation, inside] = [id(), id(), id(), id()];
    const entries = [page, strange, navigation, inside].map((requestId) =>
      createEntry({
        requestId,
        kind: requestId === navigation ? 'navigation' : 'document',
        source: requestId === inside ? 'runtime' : 'proxy',
        app: requestId === strange ? 'other' : 'shop',
      }),
    );
    await writer.write(entries);
    const tell = (requestId: string, fcp: number) => {
      const told = {
        app: 'shop',
        used: [],
        unused: [],
        clicks: [],
        links: [],
        vitals: { id: requestId, vitals: { fcp } },
      };
      return writer.note([{ time: 5, used: [], closedTrace: undefined, told }]);
    };
    for (const requestId of [page, strange, navigation, inside]) await tell(requestId, 900);
    await tell(page, 950);
    expect(await query('select vitals_json from flight order by id')).toEqual([
      { vitals_json: '{"fcp":950}' },
      { vitals_json: null },
      { vitals_json: null },
      { vitals_json: '{"fcp":900}' },
    ]);
  });
});

describe('prefetches', () => {
  const nothingUsed = { used: [], closedTrace: undefined };
  const nothingReported = { used: [], unused: [], clicks: [], links: [] };

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

  it('of another app are what its browser tells, whatever was guessed before or is later', async () => {
    await open();
    const [used, unused, back, guessed, strange, rival] = [id(), id(), id(), id(), id(), id()];
    const entries = [used, unused, back, guessed, strange, rival].map((requestId) =>
      createEntry({
        requestId,
        kind: 'prefetch',
        source: 'proxy',
        app: requestId === strange ? 'other' : 'shop',
        path: requestId === guessed ? '/elsewhere' : '/cart',
      }),
    );
    const guess = (learnt: Partial<LearntAt>) => ({
      isAnswered: false,
      entries: [],
      learnt: { used: [], doubtful: [], unused: [], at: 3, ...learnt },
    });
    const tell = (time: number, told: { used?: string[]; unused?: string[] }) =>
      writer.note([{ time, ...nothingUsed, told: { app: 'shop', ...nothingReported, ...told } }]);
    await writer.writeExchanges([
      { isAnswered: true, entries, learnt: undefined },
      guess({ used: [unused, guessed, rival] }),
    ]);
    await tell(5, { used: [used, strange], unused: [unused, back] });
    await tell(6, { used: [back] });
    // Another document of the browser had it from its cache.
    await tell(7, { unused: [back] });
    await writer.writeExchanges([guess({ used: [unused], unused: [used], at: 9 }), guess({ doubtful: [used], at: 9 })]);
    expect(await query('select used_at, closed_at, told_at from flight order by id')).toEqual([
      { used_at: 5, closed_at: null, told_at: 5 },
      { used_at: null, closed_at: 5, told_at: 5 },
      { used_at: 6, closed_at: null, told_at: 6 },
      { used_at: 3, closed_at: null, told_at: null },
      { used_at: null, closed_at: null, told_at: null },
      // The click was another tab's own, as that has told.
      { used_at: null, closed_at: null, told_at: null },
    ]);
  });

  it('of another app say for which link they were made, where its browser tells it', async () => {
    await open();
    const [linked, strange, click] = [id(), id(), id()];
    const entries = [linked, strange, click].map((requestId) =>
      createEntry({
        requestId,
        kind: requestId === click ? 'navigation' : 'prefetch',
        source: 'proxy',
        app: requestId === strange ? 'other' : 'shop',
      }),
    );
    await writer.write(entries);
    const link = { trigger: 'hover', text: 'Socks “warm”', place: 'nav > a' } as const;
    const links = [linked, strange, click].map((requestId) => ({ id: requestId, ...link }));
    await writer.note([{ time: 5, ...nothingUsed, told: { app: 'shop', ...nothingReported, links } }]);
    // Another document got it from the browser's cache, and reports its own link.
    const again = [{ id: linked, trigger: 'viewport', text: 'Other', place: 'main > a' } as const];
    await writer.note([{ time: 6, ...nothingUsed, told: { app: 'shop', ...nothingReported, links: again } }]);
    expect(await query('select prefetch_trigger, link_text, link_place, told_at from flight order by id')).toEqual([
      { prefetch_trigger: 'hover', link_text: 'Socks “warm”', link_place: 'nav > a', told_at: null },
      { prefetch_trigger: null, link_text: null, link_place: null, told_at: null },
      { prefetch_trigger: null, link_text: null, link_place: null, told_at: null },
    ]);
  });

  it('that may have been clicks are one or the other when a browser tells it, and no certain one becomes a click', async () => {
    await open();
    const [click, used, unused, silent, certain] = [id(), id(), id(), id(), id()];
    const either = { kind: 'navigation-or-prefetch', source: 'proxy', app: 'shop' } as const;
    await writer.write([click, used, unused, silent].map((requestId) => createEntry({ ...either, requestId })));
    await writer.write([createEntry({ ...either, requestId: certain, kind: 'prefetch' })]);
    const told = { app: 'shop', used: [used], unused: [unused], clicks: [click, certain], links: [] };
    await writer.note([{ time: 5, ...nothingUsed, told }]);
    expect(await query('select kind, used_at, closed_at, told_at from flight order by id')).toEqual([
      { kind: 'navigation', used_at: null, closed_at: null, told_at: 5 },
      { kind: 'prefetch', used_at: 5, closed_at: null, told_at: 5 },
      { kind: 'prefetch', used_at: null, closed_at: 5, told_at: 5 },
      { kind: 'navigation-or-prefetch', used_at: null, closed_at: null, told_at: null },
      { kind: 'prefetch', used_at: null, closed_at: null, told_at: null },
    ]);
  });

  it('of another app are learnt from what follows, which may take it back', async () => {
    await open();
    const [used, doubtful, unused, other, own] = [id(), id(), id(), id(), id()];
    const entries = [used, doubtful, unused, other].map((requestId) =>
      createEntry({ requestId, kind: 'prefetch', source: 'proxy' }),
    );
    const none = { used: [], doubtful: [], unused: [] };
    const tell = (learnt: Partial<LearntAt>) => ({
      isAnswered: false,
      entries: [],
      learnt: { ...none, at: 0, ...learnt },
    });
    await writer.write([createEntry({ requestId: own, kind: 'prefetch', source: 'runtime' })]);
    await writer.writeExchanges([
      { isAnswered: true, entries, learnt: undefined },
      tell({ used: [used, doubtful, own], at: 5 }),
      tell({ used: [used], at: 6 }),
      tell({ doubtful: [doubtful], unused: [unused], at: 7 }),
    ]);
    expect(await query('select used_at, closed_at from flight order by id')).toEqual([
      { used_at: null, closed_at: null },
      { used_at: 5, closed_at: null },
      { used_at: null, closed_at: null },
      { used_at: null, closed_at: 7 },
      { used_at: null, closed_at: null },
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

describe('what is counted for the guard', () => {
  const caching = JSON.stringify({ headers: { 'cache-control': 's-maxage=9' }, setsCookie: true, askedBy: [] });
  function ask(times: number, startedAt: number, head: Partial<FlightHead> = {}): FlightEntry[] {
    const asked = { app: 'shop', kind: 'navigation', route: '/search', visit: 'v', sentBytes: 10, caching } as const;
    return Array.from({ length: times }, () => createEntry({ ...asked, startedAt, ...head }));
  }
  const read = async () => [
    await query('select app, rule, route, count, first_at, last_at from leak order by app'),
    await query('select app, tab, route, requests, bytes, peak, first_at, last_at from storm order by app'),
  ];

  it('goes on in its row', async () => {
    await open();
    await writer.write(ask(300, 1_000));
    await writer.write(ask(20, 1_500));
    await writer.write(ask(1, 1_600, { app: 'blog' }));
    const seen = { first_at: 1_000, last_at: 1_500 };
    expect(await read()).toEqual([
      [
        { app: 'blog', rule: 'cache-cookie', route: '/search', count: 1, first_at: 1_600, last_at: 1_600 },
        { app: 'shop', rule: 'cache-cookie', route: '/search', count: 320, ...seen },
      ],
      [{ app: 'shop', tab: 'v', route: '/search', requests: 320, bytes: 3_200, peak: 320, ...seen }],
    ]);
  });

  it('goes with its age, its app, and everything', async () => {
    await open();
    await writer.write(ask(300, 1_000));
    await writer.deleteTooOld(1_900);
    await writer.deleteSlice('blog', 1e9);
    expect((await read()).map(({ length }) => length)).toEqual([1, 1]);
    await writer.deleteTooOld(2_100);
    expect(await read()).toEqual([[], []]);
    for (const remove of [() => writer.deleteSlice('shop', 1e9), () => writer.deleteAll()]) {
      await writer.write(ask(300, 100_000, { visit: id() }));
      expect((await read()).map(({ length }) => length)).toEqual([1, 1]);
      await remove();
      expect(await read()).toEqual([[], []]);
    }
  });
});
