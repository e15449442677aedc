import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { databaseOf } from '../../../../e2e/testing/postgres/databases.ts';
import type { ForgedTry } from '../../flight/forged-try.ts';
import type { FlightHead } from '../../flight/flight-head.ts';
import { createSampleHead } from '../../recorder/testing/sample-head.ts';
import type { FlightEntry } from '../flight-values.ts';
import type { FlightWriter } from '../flight-writer.ts';
import { openPostgresWriter, type PostgresWriterOptions } from './open-postgres-writer.ts';
import { latestPostgresVersion } from './tables.ts';

const mebibyte = 1024 * 1024;
const day = 24 * 60 * 60 * 1_000;
let folder: string;
let url: string;
let client: Client;
let open: FlightWriter[];
let gone: (string | undefined)[];

function start(options: Partial<PostgresWriterOptions> = {}): FlightWriter {
  const writer = openPostgresWriter({
    url,
    bytesLimit: 256 * mebibyte,
    ageMs: 7 * day,
    isPatient: () => false,
    onGone: (reason) => gone.push(reason),
    ...options,
  });
  open.push(writer);
  return writer;
}

async function closeAll(): Promise<void> {
  for (const writer of open.splice(0)) await writer.close();
}

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-postgres-'));
  url = await databaseOf(folder);
  client = new Client({ connectionString: url });
  await client.connect();
  open = [];
  gone = [];
});

afterEach(async () => {
  await closeAll();
  await client.end();
  rmSync(folder, { recursive: true });
});

function id(): string {
  return randomBytes(16).toString('hex');
}

function createEntry(head: Partial<FlightHead> = {}, payload: Uint8Array = Buffer.from('0:"payload"\n')): FlightEntry {
  const ids = { requestId: id(), traceId: id() };
  return {
    head: createSampleHead({ ...ids, content: 'flight', startedAt: Date.now(), elements: ['root'], ...head }),
    payload: new Uint8Array(payload),
    debug: new Uint8Array(),
    args: new Uint8Array(),
  };
}

async function query(text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  return (await client.query<Record<string, unknown>>(text, values)).rows;
}

async function readNumber(text: string): Promise<number> {
  return Number(Object.values((await query(text))[0] ?? {})[0]);
}

const openOthers = `select count(*) from pg_stat_activity where datname = current_database() and pid != pg_backend_pid()`;

/** What has no flight, and what a flight does not have. */
const loose = `
  select 'body' as of from body where not exists (select from flight where body_id = body.id and flight.part = body.part)
  union all select 'flight' from flight where body_id is not null and not exists (select from body where body.id = body_id and body.part = flight.part)
  union all select 'attachment' from attachment where not exists (select from flight where flight.id = flight_id)
  union all select 'digest' from flight_digest where not exists (select from flight where flight.id = flight_id)`;

describe('the tables', () => {
  it('are made once by instances that start at once', async () => {
    const writers = Array.from({ length: 5 }, () => start());
    await Promise.all(writers.map((writer) => writer.write([createEntry()])));
    expect(await readNumber('select count(*) from flight')).toBe(5);
    expect(await query('select version from flight_version')).toEqual([{ version: latestPostgresVersion }]);
    expect(await readNumber('select count(*) from flight_part')).toBe(1);
  });

  it('of a newer build are refused, with both versions', async () => {
    await start().write([createEntry()]);
    await query('update flight_version set version = 99');
    const older = start({ isPatient: () => true });
    await expect(older.write([createEntry()])).rejects.toThrow(
      `the tables of flights have version 99 and this build knows ${latestPostgresVersion}`,
    );
    expect(await readNumber('select count(*) from flight')).toBe(1);
    expect(gone).toEqual([]);
  });

  it('take what SQLite takes: times with fractions, and characters that PostgreSQL has not got', async () => {
    await start().write([createEntry({ startedAt: 1_000.7, durationMs: 3.25, path: '/a\0b', digests: ['x'] })]);
    const row = await query('select started_at, duration_ms, path from flight');
    expect(row).toEqual([{ started_at: '1001', duration_ms: 3.25, path: '/a\uFFFDb' }]);
  });
});

describe('ids that begin alike', () => {
  const alike = 5_000;
  const asked = 20;

  /** What scans have given of the rows of flights, by the statistics of connections that have ended. */
  function readRowsRead(): Promise<number> {
    return readNumber(
      `select sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) from pg_stat_user_tables where relname ~ '^flight_[0-9]+$'`,
    );
  }

  it('are read one by one, and not all for each', async () => {
    await start().write([createEntry()]);
    const others = await query(
      `select string_agg(column_name, ', ') as names from information_schema.columns
      where table_name = 'flight' and column_name not in ('id', 'request_id', 'trace_id')`,
    );
    const names = String(others[0]?.['names']);
    await query(
      `insert into flight (id, request_id, trace_id, ${names}) select nextval('flight_number'),
        'aaaaaaaa' || lpad(n::text, 24, '0'), 'bbbbbbbb' || lpad(n::text, 24, '0'), ${names} from flight, generate_series(1, $1::int) as n`,
      [alike],
    );
    await query('analyze flight');
    await query('select pg_stat_force_next_flush()');
    await closeAll();
    await vi.waitUntil(async () => (await readNumber(openOthers)) === 0);
    const before = await readRowsRead();

    const writer = start();
    const numbers = Array.from({ length: asked }, (_, at) => String(at + 1).padStart(24, '0'));
    const slow = { kind: 'document', durationMs: 1_000 } as const;
    await writer.write(numbers.map((number) => createEntry({ ...slow, traceId: `bbbbbbbb${number}` })));
    const used = numbers.map((number) => `aaaaaaaa${number}`);
    const links = used.map((request) => ({ id: request, trigger: 'hover', text: 'Cup', place: 'main' }) as const);
    const vitals = { id: `aaaaaaaa${numbers[0]}`, vitals: { lcp: undefined } };
    await writer.note([
      { time: 1, used, closedTrace: `bbbbbbbb${numbers[0]}` },
      {
        time: 1,
        used: [],
        closedTrace: undefined,
        told: { app: 'shop', used, unused: used, clicks: used, links, vitals },
      },
    ]);
    // The statistics of a connection are there when it has ended.
    await closeAll();
    await vi.waitUntil(async () => (await readNumber(openOthers)) === 0);
    expect(await readRowsRead()).toBeLessThan(before + alike);
  });
});

describe('what somebody tried', () => {
  const tried: ForgedTry = {
    app: 'shop',
    rule: 'path',
    advisory: 'CVE-2025-55182',
    network: '192.0.2.0/24',
    status: 500,
    at: 1_000.5,
    path: '/a\0b',
    action: 'x',
    detail: 'no such name',
    body: 'first\0',
  };
  const write = (writer: FlightWriter, tries: readonly ForgedTry[]) =>
    writer.writeExchanges(tries.map((one) => ({ isAnswered: true, entries: [], learnt: undefined, tried: one })));
  const read = () => query('select app, status, count, last_at, path, body from forged order by app, network, status');

  it('is counted by kind, network and answer, and goes with its age, its app and the recording', async () => {
    const writer = start({ ageMs: 1_000 });
    await write(writer, [tried, { ...tried, at: 5_000, body: 'second' }, { ...tried, app: 'blog' }]);
    expect(await read()).toEqual([
      { app: 'blog', status: '500', count: '1', last_at: '1001', path: '/a\uFFFDb', body: 'first\uFFFD' },
      { app: 'shop', status: '500', count: '2', last_at: '5000', path: '/a\uFFFDb', body: 'first\uFFFD' },
    ]);
    await writer.deleteTooOld(5_500);
    expect(await read()).toMatchObject([{ app: 'shop' }]);
    await write(writer, [{ ...tried, app: 'blog' }]);
    await writer.deleteSlice('shop', 1_000);
    expect(await read()).toMatchObject([{ app: 'blog' }]);
    await writer.deleteAll();
    expect(await read()).toEqual([]);
  });
});

describe('what an app tells of itself', () => {
  it('is kept of its latest builds, in place of what it told before, and goes with it', async () => {
    const writer = start();
    await writer.prepare();
    await writer.keepInstalled('shop', [{ name: 'next', version: '16.0.6', within: '' }]);
    await writer.keepInstalled('shop', [{ name: 'next', version: '16.4.6', within: '' }]);
    await writer.keepRecord('shop', 'all');
    await writer.keepRecord('shop', 'errors');
    expect(await query('select app, record from kept')).toEqual([{ app: 'shop', record: 'errors' }]);
    for (const app of ['shop', 'blog']) {
      for (let build = 0; build < 12; build += 1) {
        await writer.keepModules(app, `b${build}`, [['7', 'a.tsx']]);
      }
    }
    await writer.keepModules('shop', 'b11', [['7', 'b.tsx']]);
    expect(await query('select version from installed')).toEqual([{ version: '16.4.6' }]);
    expect(await readNumber("select count(*) from build_modules where app = 'shop'")).toBe(10);
    expect(await query("select files_json as files from build_modules where app = 'shop' and build = 'b11'")).toEqual([
      { files: '[["7","b.tsx"]]' },
    ]);
    await writer.deleteSlice('shop', 100);
    expect(await query('select distinct app from build_modules')).toEqual([{ app: 'blog' }]);
    expect(await readNumber('select count(*) from installed')).toBe(0);
    expect(await readNumber('select count(*) from kept')).toBe(0);
  });
});

describe('writers at once', () => {
  it('share contents, visits and hits without waiting for each other in a circle, and lose nothing', async () => {
    const writers = [start(), start(), start()];
    // Each batch has contents that none of them has written.
    const bodies = Array.from({ length: 12 }, () => Array.from({ length: 40 }, () => randomBytes(300)));
    const [trace, visit] = [id(), id()];
    async function writeMany(writer: FlightWriter, number: number): Promise<void> {
      for (const batch of bodies) {
        const entries = batch.map((body) => createEntry({ traceId: trace, visit, digests: [`d${number}`] }, body));
        // Each in an order of its own.
        await writer.write(number === 1 ? entries.toReversed() : entries);
        await writer.note([{ time: 1, used: entries.map(({ head }) => head.requestId), closedTrace: trace }]);
      }
    }
    await Promise.all(writers.map(writeMany));
    expect(await readNumber('select count(*) from flight')).toBe(3 * 12 * 40);
    expect(await readNumber('select count(*) from body')).toBe(12 * 40);
    expect(await query(loose)).toEqual([]);
  });

  it('give ids that are seen in their order: what is above the newest is all that is new', async () => {
    const writers = [start(), start(), start()];
    await writers[0]?.write([createEntry()]);
    let isWriting = true;
    const seen: { newest: number; known: number }[] = [];
    async function look(): Promise<void> {
      while (isWriting) {
        const [row] = await query('select max(id) as newest, count(*) as known from flight');
        seen.push({ newest: Number(row?.['newest']), known: Number(row?.['known']) });
      }
    }
    async function writeMany(writer: FlightWriter, number: number): Promise<void> {
      // Batches of different lengths take different times to commit.
      for (let batch = 0; batch < 25; batch += 1) {
        await writer.write(Array.from({ length: number === 0 ? 150 : 3 }, () => createEntry({ digests: ['d'] })));
      }
    }
    const looking = look();
    await Promise.all(writers.map(writeMany));
    isWriting = false;
    await looking;
    expect(new Set(seen.map(({ newest }) => newest)).size).toBeGreaterThan(5);
    for (const { newest, known } of seen) {
      expect(await readNumber(`select count(*) from flight where id <= ${newest}`)).toBe(known);
    }
  });

  it('and one who deletes leave no body without a flight, and no flight without its body', async () => {
    const [writer, other, deleter] = [start(), start(), start()];
    const bodies = Array.from({ length: 5 }, () => randomBytes(300));
    await writer.write(bodies.map((body) => createEntry({ app: 'shop' }, body)));
    async function writeMany(one: FlightWriter): Promise<void> {
      for (let batch = 0; batch < 15; batch += 1) {
        await one.write(bodies.map((body) => createEntry({ app: 'shop' }, body)));
      }
    }
    async function deleteMany(): Promise<void> {
      for (let round = 0; round < 20; round += 1) await deleter.deleteSlice('shop', Number.MAX_SAFE_INTEGER);
    }
    await Promise.all([writeMany(writer), writeMany(other), deleteMany()]);
    expect(await query(loose)).toEqual([]);
  });

  it('go on when another has deleted everything', async () => {
    const [one, other] = [start(), start()];
    await one.write([createEntry()]);
    await other.write([createEntry()]);
    await other.addLosses([{ app: 'shop', reason: 'disk', count: 2, time: 1 }]);
    await one.addLosses([{ app: 'shop', reason: 'disk', count: 3, time: 2 }]);
    expect(await query('select count, last_time from loss')).toEqual([{ count: '5', last_time: '2' }]);
    await one.deleteAll();
    expect(await readNumber('select count(*) from flight')).toBe(0);
    expect(await readNumber('select count(*) from loss')).toBe(0);
    await other.write([createEntry()]);
    expect(await query('select id, part from flight')).toEqual([{ id: '3', part: 2 }]);
  });
});

describe('a sender that got no answer', () => {
  it('sends a batch again, of which each flight is kept once', async () => {
    const writer = start();
    const sent = [createEntry({ source: 'received', app: 'shop' }), createEntry({ source: 'received', app: 'shop' })];
    const [first] = sent;
    await writer.write(sent);
    const ofAnother = first ? [{ ...first, head: { ...first.head, app: 'other' } }] : [];
    await writer.write([...sent, ...sent, ...ofAnother]);
    expect(await query('select app from flight order by id')).toEqual([
      { app: 'shop' },
      { app: 'shop' },
      { app: 'other' },
    ]);
  });
});

describe('a document that takes long', () => {
  it('gets the tab that another instance has heard of', async () => {
    const [one, other] = [start(), start()];
    const [traceId, visit] = [id(), id()];
    await other.write([createEntry({ traceId, visit, kind: 'prefetch' })]);
    await one.write([createEntry({ traceId, kind: 'document', durationMs: 900 })]);
    expect(await query('select distinct visit from flight')).toEqual([{ visit }]);
  });
});

describe('deleting', () => {
  it('takes what hangs on a flight, and its body unless another has it', async () => {
    const writer = start();
    const shared = randomBytes(500);
    const args = Buffer.from('["text"]');
    const action = { actionId: 'f#a', actionType: 'text/plain', actionBytes: args.length, digests: ['d'] };
    await writer.write([{ ...createEntry(action, shared), args: new Uint8Array(args) }, createEntry({}, shared)]);
    expect(await readNumber('select count(*) from attachment')).toBe(1);
    await writer.delete(1);
    expect(await query('select id from flight')).toEqual([{ id: '2' }]);
    expect(await readNumber('select count(*) from body')).toBe(1);
    expect(await query(loose)).toEqual([]);
    await writer.delete(2);
    expect(await readNumber('select count(*) from body')).toBe(0);
  });

  it('of an app leaves others, ours, and what came later', async () => {
    const writer = start();
    await writer.write(Array.from({ length: 1_100 }, () => createEntry({ app: 'shop' })));
    await writer.write([
      createEntry({ app: 'flight-recorder' }),
      createEntry({ app: 'shop-2' }),
      createEntry({ app: 'shop' }),
    ]);
    for (let slices = 0; slices < 20; slices += 1) await writer.deleteSlice('shop', 1_102);
    expect(await query('select app from flight order by id')).toEqual([
      { app: 'flight-recorder' },
      { app: 'shop-2' },
      { app: 'shop' },
    ]);
    await writer.deleteSlice('flight-recorder', 9_999);
    expect(await readNumber('select count(*) from flight')).toBe(3);
  });
});

describe('parts', () => {
  const listed = 'select part from flight_part order by part';

  it('are begun with each day, and dropped when all in them is too old', async () => {
    const writer = start();
    await writer.write([createEntry({ path: '/old' })]);
    await query('update flight_part set begun_at = begun_at - $1', [day]);
    expect(await writer.deleteTooOld(Date.now())).toBe(false);
    await writer.write([createEntry({ path: '/new' })]);
    expect(await query('select path, part from flight order by id')).toEqual([
      { path: '/old', part: 1 },
      { path: '/new', part: 2 },
    ]);
    // The newest flight of part 1 may be as young as the beginning of part 2.
    expect(await writer.deleteTooOld(Date.now() + 7 * day - 60_000)).toBe(false);
    expect(await writer.countTooOld(Date.now() + 7 * day + 60_000)).toBe(1);
    expect(await writer.deleteTooOld(Date.now() + 7 * day + 60_000)).toBe(true);
    expect(await writer.deleteTooOld(Date.now() + 700 * day)).toBe(false);
    expect(await query(listed)).toEqual([{ part: 2 }]);
    expect(await query('select path from flight')).toEqual([{ path: '/new' }]);
    expect(await query("select to_regclass('body_1') as table")).toEqual([{ table: null }]);
  });

  it('keep all instances together within the size, the newest flights last to go', async () => {
    const limit = 8 * mebibyte;
    const writers = [start({ bytesLimit: limit }), start({ bytesLimit: limit })];
    for (let round = 0; round < 15; round += 1) {
      for (const writer of writers) {
        await writer.write(Array.from({ length: 4 }, () => createEntry({ path: `/${round}` }, randomBytes(100_000))));
      }
    }
    const [bytes] = await Promise.all(writers.map(async (writer) => (await writer.readState()).bytes));
    expect(bytes).toBeLessThan(limit * 1.1);
    const rounds = (await query('select distinct path from flight')).map(({ path: at }) => Number(String(at).slice(1)));
    expect(Math.max(...rounds)).toBe(14);
    // Some 80 flights of 100 kB fit, of which an eighth may have gone at once.
    expect(await readNumber('select count(*) from flight')).toBeGreaterThan(50);
    expect(Math.min(...rounds)).toBe(15 - rounds.length);
  });

  it('are never all dropped: what is written now is kept, however little the recording may take', async () => {
    const writer = start({ bytesLimit: 50_000 });
    for (let round = 0; round < 3; round += 1) await writer.write([createEntry({}, randomBytes(40_000))]);
    expect(await readNumber('select count(*) from flight')).toBe(3);
    expect(await query(listed)).toEqual([{ part: 1 }]);
  });

  it('stay while somebody reads them for long, and pages do not wait behind that', async () => {
    const writer = start();
    await writer.write([createEntry()]);
    await query('update flight_part set begun_at = begun_at - $1', [day]);
    await writer.deleteTooOld(0);
    await query('begin');
    await query('select * from flight');
    await expect(writer.deleteTooOld(Date.now() + 20 * day)).rejects.toThrow('lock timeout');
    await query('commit');
    expect(await writer.deleteTooOld(Date.now() + 20 * day)).toBe(true);
  });

  it('stay while a backup reads them at the limit, and what is recorded is written at once', async () => {
    // Patient for ever: a drop that were tried again would keep the writer here.
    const writer = start({ bytesLimit: 4 * mebibyte, isPatient: () => true });
    const fill = () => writer.write([createEntry({}, randomBytes(500_000))]);
    await fill();
    const backup = new Client({ connectionString: url });
    await backup.connect();
    try {
      await backup.query('begin; lock table flight_1 in access share mode');
      for (let round = 0; round < 12; round += 1) await fill();
      expect((await query(listed))[0]).toEqual({ part: 1 });
      expect(await readNumber('select count(*) from flight')).toBe(13);
    } finally {
      await backup.end();
    }
    await fill();
    expect((await query(listed))[0]).not.toEqual({ part: 1 });
    expect(gone.filter((reason) => reason !== undefined)).toEqual([]);
  });

  it('whose tables a restored backup has left out are not written into', async () => {
    await start().write([createEntry()]);
    await query('drop table flight_1, body_1, attachment_1, flight_digest_1');
    const writer = start();
    await writer.write([createEntry()]);
    expect(await query('select part from flight')).toEqual([{ part: 2 }]);
  });
});

/** Between the writer and the server: it can be cut off, or lose what the server answers. */
async function createLine() {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  let isCut = false;
  let losesAnswerTo: string | undefined;
  const line: Server = createServer((socket) => {
    if (isCut) return socket.destroy();
    const server = connect(Number(port), hostname);
    for (const one of [socket, server]) {
      sockets.add(one);
      one.on('error', () => undefined);
    }
    let isLost = false;
    socket.on('data', (data) => {
      if (losesAnswerTo !== undefined && data.includes(losesAnswerTo)) {
        isLost = true;
        losesAnswerTo = undefined;
      }
      server.write(data);
    });
    server.on('data', (data) => (isLost ? void socket.destroy() : socket.write(data)));
    socket.on('close', () => server.destroy());
    server.on('close', () => socket.destroy());
    return undefined;
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => line.once('listening', resolve));
  const address: unknown = line.address();
  const through = new URL(url);
  through.port = String(readPort(address));
  return {
    url: through.href,
    cut(): void {
      isCut = true;
      for (const socket of sockets) socket.destroy();
    },
    mend: () => (isCut = false),
    loseAnswerTo: (text: string) => (losesAnswerTo = text),
    close: () => new Promise((resolve) => void line.close(resolve)),
  };
}

function readPort(address: unknown): number {
  const isAddress = (found: unknown): found is AddressInfo =>
    typeof found === 'object' && found !== null && 'port' in found;
  return isAddress(address) ? address.port : 0;
}

describe('a database that is gone', () => {
  it('is waited for, and has everything when it is back', async () => {
    const line = await createLine();
    const writer = start({ url: line.url, isPatient: () => true });
    await writer.write([createEntry()]);
    line.cut();
    const waiting = writer.write([createEntry(), createEntry()]);
    await expect.poll(() => gone.length).toBe(1);
    line.mend();
    await waiting;
    expect(await readNumber('select count(*) from flight')).toBe(3);
    expect(gone).toEqual([expect.any(String), undefined]);
    await writer.close();
    open = [];
    await line.close();
  });

  it('is given up after a while, and what waited is an error', async () => {
    const line = await createLine();
    let tries = 0;
    const writer = start({ url: line.url, isPatient: () => (tries += 1) < 3 });
    await writer.write([createEntry()]);
    line.cut();
    await expect(writer.write([createEntry()])).rejects.toThrow();
    expect(tries).toBe(3);
    line.mend();
    await writer.write([createEntry()]);
    expect(await readNumber('select count(*) from flight')).toBe(2);
    await writer.close();
    open = [];
    await line.close();
  });

  it('and whose follower has given an id to another flight gets what it had not got', async () => {
    const line = await createLine();
    let isTold = false;
    function isPatient(): boolean {
      // A promoted standby without these flights, where another instance was faster.
      if (!isTold) void query("update flight set request_id = 'other', path = '/other' where path = '/lost'");
      isTold = true;
      return true;
    }
    const writer = start({ url: line.url, isPatient });
    await writer.write([createEntry()]);
    line.loseAnswerTo('commit\0');
    await writer.write([createEntry({ path: '/lost' })]);
    expect(await query('select path from flight order by id')).toEqual([
      { path: expect.any(String) },
      { path: '/other' },
      { path: '/lost' },
    ]);
    await writer.close();
    open = [];
    await line.close();
  });

  it('that has committed and could not say so has each flight once', async () => {
    const line = await createLine();
    const writer = start({ url: line.url, isPatient: () => true });
    await writer.write([createEntry()]);
    line.loseAnswerTo('commit\0');
    await writer.write([createEntry({ path: '/once' }), createEntry({ path: '/once' })]);
    expect(await query("select path from flight where path = '/once'")).toHaveLength(2);
    expect(gone).toHaveLength(2);
    await writer.close();
    open = [];
    await line.close();
  });
});
