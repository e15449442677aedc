import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Worker } from 'node:worker_threads';

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { testedEngine } from '../../../e2e/testing/postgres/tested-engine.ts';
import type { Watch } from '#src/proxy/watch.ts';

import { closeFlightsReader, openFlightsReader } from '../recorder/flights-reader.ts';
import { subscribeFlights } from '../recorder/follow-flights.ts';
import { listFlights, listVisit, readFlight } from '../for-operator/queries.ts';
import { readStoredRecording } from '../for-operator/recording-state.ts';
import { readPrefetchLedger } from '../for-operator/prefetch-ledger.ts';
import { sumRoutes } from '../for-operator/summaries.ts';
import type { Policy } from '#src/apps/policy.ts';
import { startRecorder } from '../recorder/recorder.ts';
import { flightsFile } from '../writer/open-flights.ts';
import { readFixture, type Fixture } from './testing/read-fixture.ts';
import { startWatch, type RunningWatch, type WatchOptions } from './start-watch.ts';
import { askAsOperator } from '../recorder/testing/ask-as-operator.ts';

let folder: string;
let running: RunningWatch | undefined;
let stop: () => Promise<void>;
let policy: Policy;

const mebibyte = 1024 * 1024;

async function ask<T>(query: () => Promise<T>): Promise<T> {
  await running?.flush();
  return askAsOperator(query);
}

async function start(options: Partial<WatchOptions> = {}): Promise<RunningWatch> {
  const limits = { bytes: 64 * mebibyte, ageMs: 1e9 };
  running = await startWatch({ app: 'shop', folder, readPolicy: () => policy, limits, ...options });
  return running;
}

type Played = {
  readonly fixture: Fixture;
  readonly outcome?: 'complete' | 'broken' | 'left';
  readonly peer?: string;
  readonly startedAt?: number;
};

/** As the proxy calls a tap. False: it was not wanted. */
function play(watch: Watch, { fixture, outcome = 'complete', peer = '192.0.2.7', startedAt = Date.now() }: Played) {
  const { request, response, chunks } = fixture;
  const tap = watch({ method: request.method, target: request.target, headers: request.headers, startedAt, peer });
  if (request.body !== undefined) tap?.requestBody?.(Buffer.from(request.body, 'base64'));
  const isWanted = tap?.response(response.status, response.headers) ?? false;
  if (isWanted) for (const [, text] of chunks) tap?.body(Buffer.from(text, 'base64'));
  tap?.end(outcome);
  return isWanted;
}

const payload = (text: string) => [[1, Buffer.from(text).toString('base64')] as const];

function createFixture(fixture: Partial<Fixture['request'] & Fixture['response']> & { body?: string; text: string }) {
  const { method = 'GET', target = '/page', headers = ['Content-Type', 'text/x-component'], status = 200 } = fixture;
  return {
    request: { method, target, headers: ['Accept', 'text/x-component', 'Host', 'app.example'] },
    response: { status, headers },
    chunks: payload(fixture.text),
    expected: { framework: '', kind: '', route: null, digests: [] },
  } satisfies Fixture;
}

const failing = createFixture({ text: '0:["$","p",null,{}]\n1:E{"digest":"a, 100 % \\"digest\\""}\n' });
const plain = createFixture({ text: '0:["$","p",null,{}]\n' });

const isPostgres = testedEngine === 'postgres';

async function countStored(): Promise<number | undefined> {
  return (await ask(readStoredRecording))?.flights;
}

/** Everything that was written, as text. */
async function readAll(): Promise<string[]> {
  const db = await openFlightsReader();
  if (!db) return [];
  const tables = ['flight', 'body', 'attachment', 'flight_digest'] as const;
  const rows = await Promise.all(tables.map((table) => db.selectFrom(table).selectAll().execute()));
  return rows
    .flat()
    .flatMap((row): unknown[] => Object.values(row))
    .map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value)));
}

function runTool(name: string, ...args: readonly string[]): boolean {
  return spawnSync(name, args, { stdio: 'ignore' }).status === 0;
}

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-watch-'));
  vi.stubEnv('FLIGHT_DATA', folder);
  policy = { mode: 'all' };
  stop = await startRecorder();
});

afterEach(async () => {
  await running?.close();
  running = undefined;
  await stop();
  await closeFlightsReader(folder);
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

describe("another app's responses", () => {
  it('are listed and read as our own are', async () => {
    const { watch } = await start();
    play(watch, { fixture: readFixture('next-16/navigation-late-error.json') });
    const [summary] = (await ask(() => listFlights({}, { limit: 10 }))).flights;
    const sent = readFixture('next-16/navigation-late-error.json').chunks;
    expect(summary).toMatchObject({
      app: 'shop',
      source: 'proxy',
      framework: 'next',
      kind: 'navigation',
      path: '/late',
      route: '/late',
      query: [],
      digests: ['1995396785'],
      rendering: 'dynamic',
      isCut: false,
      sentBytes: sent.reduce((sum, [, text]) => sum + Buffer.from(text, 'base64').length, 0),
    });
    const flight = await ask(() => readFlight(summary?.id ?? 0));
    expect(flight?.body.length).toBe(flight?.bytes);
    expect(flight?.decodedBytes).toBe(flight?.bytes);
    expect(Buffer.from(flight?.body ?? []).toString()).toContain('E{"digest":"1995396785"}');
    expect((await ask(() => listFlights({ digest: '1995396785' }, { limit: 10 }))).flights).toHaveLength(1);
    expect(await ask(() => sumRoutes({ app: 'shop' }))).toMatchObject([
      { route: '/late', kind: 'navigation', failures: 1 },
    ]);
    expect(await ask(() => listVisit({ visit: summary?.visit, traceId: '' }))).toHaveLength(1);
  });

  it('keep a digest of any characters, and no address, cookie or value of the query', async () => {
    const { watch } = await start();
    const target = '/page?token=very-secret-value&page=2&_rsc=x1';
    const secret = createFixture({ target, text: '0:["$","p",null,{"q":"token=very-secret-value"}]\n' });
    play(watch, { fixture: failing });
    const cookie = ['Cookie', 'session=abcdef', 'Accept', 'text/x-component', 'User-Agent', 'agent-7'];
    play(watch, { fixture: { ...secret, request: { ...secret.request, headers: cookie } }, peer: '203.0.113.99' });
    const { flights } = await ask(() => listFlights({}, { limit: 10 }));
    expect(flights.map(({ digests }) => digests)).toEqual([[], ['a, 100 % "digest"']]);
    expect(flights[0]?.query).toEqual(['token', 'page']);
    const written = await readAll();
    expect(written.length).toBeGreaterThan(50);
    for (const text of ['very-secret', 'abcdef', '203.0.113.99', 'agent-7']) {
      expect(written.filter((value) => value.includes(text))).toEqual([]);
    }
  });

  it('keep no value of the query that has no name, or is spelled in another way', async () => {
    const { watch } = await start();
    const text = '0:["$","p",null,{"q":"?9fK2x81aQ&t=1","r":"ab%2fcd%3D9x","s":"ab/cd=9x"}]\n';
    play(watch, { fixture: createFixture({ target: '/a?9fK2x81aQ&draft&_rsc=x1', text }) });
    play(watch, { fixture: createFixture({ target: '/b?pass%2577ord=ab%2fcd%3d9x', text }) });
    const { flights } = await ask(() => listFlights({}, { limit: 10 }));
    expect(flights.map(({ query }) => query)).toEqual([['pass%77ord'], ['[Filtered]', 'draft']]);
    const bodies = await Promise.all(
      flights.map(async ({ id }) => Buffer.from((await ask(() => readFlight(id)))?.body ?? []).toString()),
    );
    expect(bodies[0]).toContain('"r":"************","s":"********"');
    expect(bodies[1]).toContain('"q":"?*********&t=1"');
    expect(bodies[1]).toHaveLength(text.length);
  });

  it('of files, and of what carries no Flight, are not kept', async () => {
    const { watch } = await start();
    const seen = { method: 'GET', headers: ['Accept', '*/*'], startedAt: 0, peer: '' };
    const files = ['/_next/static/chunks/a.map', '/logo.png', '/_next/image?url=x', '/@vite/client'];
    for (const target of files) {
      // What is named like a file may be a page: its answer says so.
      expect(watch({ ...seen, target })?.response(200, ['Content-Type', 'application/octet-stream']) ?? false).toBe(
        false,
      );
    }
    expect(watch({ ...seen, target: '/x', headers: ['Sec-Fetch-Dest', 'script'] })).toBeUndefined();
    expect(watch({ ...seen, target: '/x', headers: ['Upgrade', 'websocket'] })).toBeUndefined();
    expect(watch({ ...seen, target: '/x', method: 'HEAD' })?.response(200, ['Content-Type', 'text/html'])).toBe(false);
    expect(watch({ ...seen, target: '/page' })).toBeDefined();
    const json = createFixture({ text: '{"a":1}', headers: ['Content-Type', 'application/json'] });
    const asked = { ...json, request: { ...json.request, headers: ['Accept', '*/*'] } };
    expect(play(watch, { fixture: asked })).toBe(false);
    const page = createFixture({ text: '<!doctype html><p>no Flight', headers: ['Content-Type', 'text/html'] });
    play(watch, { fixture: page });
    expect((await ask(() => listFlights({}, { limit: 10 }))).flights).toEqual([]);
  });

  it('to a HEAD are kept where they failed, and begin no visit', async () => {
    const { watch } = await start();
    for (const status of [200, 304, 404, 500]) {
      const fixture = createFixture({ method: 'HEAD', text: '', status, headers: ['Content-Type', 'text/html'] });
      expect(play(watch, { fixture })).toBe(status === 500);
    }
    const { flights } = await ask(() => listFlights({}, { limit: 10 }));
    expect(flights).toMatchObject([{ method: 'HEAD', kind: 'other', path: '/page', status: 500 }]);
  });

  it('of a page that is named like a file are kept, once the answer says that it is one', async () => {
    const { watch } = await start();
    const playAs = (type: string, status = 200) => {
      const file = createFixture({
        target: '/fail.zip',
        status,
        text: '0:["$","p",null,{}]\n',
        headers: ['Content-Type', type],
      });
      return play(watch, { fixture: { ...file, request: { ...file.request, headers: ['Accept', '*/*'] } } });
    };
    expect(playAs('text/x-component')).toBe(true);
    expect(playAs('text/x-component', 500)).toBe(true);
    expect(playAs('application/zip')).toBe(false);
    expect(playAs('text/html', 404)).toBe(false);
  });

  it('that failed are kept without Flight, with what is known', async () => {
    const { watch } = await start();
    const text = {
      request: { headers: ['Accept', 'text/html'] },
      response: { headers: ['Content-Type', 'text/plain'] },
    };
    const failed = createFixture({ text: 'Internal Server Error', status: 500, headers: text.response.headers });
    const fixture = { ...failed, request: { ...failed.request, ...text.request } };
    play(watch, { fixture });
    watch({ method: 'GET', target: '/gone', headers: text.request.headers, startedAt: 1, peer: '' })?.end('broken');
    play(watch, { fixture: plain, outcome: 'broken' });
    const { flights } = await ask(() => listFlights({ isFailed: true }, { limit: 10 }));
    expect(flights.map(({ kind, status, content, outcome }) => [kind, status, content, outcome])).toEqual([
      ['navigation', 200, 'flight', 'failed'],
      ['document', 0, 'none', 'failed'],
      ['document', 500, 'none', 'none'],
    ]);
  });

  it.each<[Policy, number]>([
    [{ mode: 'all' }, 2],
    [{ mode: 'errors' }, 1],
    [{ mode: 'sample', share: 0 }, 1],
    [{ mode: 'off' }, 0],
  ])('are kept as RECORD says, which may change: %o', async (mode, kept) => {
    const { watch } = await start();
    play(watch, { fixture: plain });
    policy = mode;
    play(watch, { fixture: plain });
    play(watch, { fixture: failing });
    expect((await ask(() => listFlights({}, { limit: 10 }))).flights).toHaveLength(1 + kept);
  });

  it('of scripts and style sheets are kept where they are gone, and a tab of another build asks for them', async () => {
    const { watch } = await start();
    const headers = ['Accept', 'text/html', 'Host', 'app.example'];
    const load = (build: string, peer: string) => {
      const rows = JSON.stringify(`0:{"q":"","i":false,"S":true,"b":"${build}"}\n`);
      const text = `<script>(self.__FLIGHT_DATA||=[]).push(${rows})</script>`;
      const page = createFixture({ text, headers: ['Content-Type', 'text/html'] });
      play(watch, { fixture: { ...page, request: { ...page.request, headers } }, peer });
    };
    load('before', '192.0.2.7');
    load('after', '198.51.100.1');
    const plainText = ['Content-Type', 'text/plain; charset=utf-8'];
    const ask404 = (target: string, status = 404, destination = 'script') => {
      const file = createFixture({ target, status, headers: plainText, text: 'Not Found' });
      const asked = [...headers, 'Sec-Fetch-Dest', destination];
      return play(watch, { fixture: { ...file, request: { ...file.request, headers: asked } } });
    };
    expect(ask404('/_next/static/chunks/there.js', 200)).toBe(false);
    expect(ask404('/picture.png', 404, 'image')).toBe(false);
    expect(ask404('/_next/static/chunks/gone.js')).toBe(true);
    const { flights } = await ask(() => listFlights({}, { limit: 10 }));
    const [gone, ...others] = flights.filter(({ status }) => status !== 200);
    expect(others).toEqual([]);
    expect(gone).toMatchObject({ kind: 'other', path: '/_next/static/chunks/gone.js', status: 404, sentBytes: 9 });
    expect(gone).toMatchObject({ build: 'after', tabBuild: 'before' });
  });

  it('leave the outcome of a prefetch unknown, unless it is seen to be used', async () => {
    const { watch } = await start();
    const at = Date.now();
    const names = ['document-static', 'prefetch-tree', 'prefetch-head', 'prefetch-segment', 'navigation-dynamic'];
    for (const [index, name] of names.entries()) {
      play(watch, { fixture: readFixture(`next-16/${name}.json`), startedAt: at + index * 10 });
    }
    const ledger = await ask(() => readPrefetchLedger({ filter: { app: 'shop' } }, 'link'));
    expect(
      ledger.map(({ name: to, sent, used, unused, expired, unknown }) => [to, sent, used, unused, expired, unknown]),
    ).toEqual([
      ['/act', 1, 0, 0, 0, 1],
      ['/blog/first', 2, 2, 0, 0, 0],
    ]);
    const { flights } = await ask(() => listFlights({ kinds: ['prefetch'] }, { limit: 10 }));
    expect(flights.map(({ prefetchOutcome }) => prefetchOutcome)).toEqual(['unknown', 'used', 'used']);
    const [first] = flights;
    expect(await ask(() => listVisit({ visit: first?.visit, traceId: '' }))).toHaveLength(5);
  });

  it('are summed by the link that a browser told of a prefetch', async () => {
    const { watch, noteReported } = await start();
    const fixture = readFixture('next-16/prefetch-tree.json');
    for (let at = 0; at < 3; at += 1) play(watch, { fixture });
    const { flights } = await ask(() => listFlights({ kinds: ['prefetch'] }, { limit: 10 }));
    const [top, bottom] = flights.map(({ requestId }) => requestId);
    const links = [
      { id: top ?? '', trigger: 'viewport', text: 'First', place: 'nav > a' },
      { id: bottom ?? '', trigger: 'hover', text: 'Read on', place: 'footer > a' },
    ] as const;
    noteReported({ used: [top ?? ''], unused: [bottom ?? ''], clicks: [], links });
    const [link] = await ask(() => readPrefetchLedger({ filter: { app: 'shop' } }, 'link'));
    expect(link?.parts).toMatchObject([
      { trigger: 'hover', told: { text: 'Read on', place: 'footer > a' }, unused: 1 },
      { trigger: undefined, told: undefined, unknown: 1 },
      { trigger: 'viewport', told: { text: 'First', place: 'nav > a' }, used: 1 },
    ]);
  });
});

describe('what cannot be recorded is counted, and the site goes on', () => {
  async function readLosses() {
    return (await ask(readStoredRecording))?.losses;
  }

  it('without memory', async () => {
    const logged = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const { watch, readLosses: read } = await start({ memory: 2 * mebibyte });
    const large = createFixture({ text: `0:"${'x'.repeat(1_900_000)}"\n` });
    for (let count = 0; count < 3; count += 1) expect(play(watch, { fixture: large })).toBe(true);
    // Each head takes the memory of one that came before, until one is left.
    const taps = Array.from({ length: 200 }, () => {
      return watch({ method: 'GET', target: '/', headers: [], startedAt: 0, peer: '' });
    });
    expect(taps.at(0)).toBeDefined();
    for (const tap of taps) tap?.end('left');
    expect(read().memory).toBeGreaterThan(70);
    expect(await readLosses()).toEqual([
      {
        app: 'shop',
        lastAt: expect.any(Number),
        counts: { memory: read().memory, disk: 0, thread: 0, usage: 0, database: 0, unreadable: 0 },
      },
    ]);
    const lines = logged.mock.calls.map(([line]) => JSON.parse(String(line)));
    expect(lines).toEqual([expect.objectContaining({ level: 'warn', event: 'flights-not-recorded', app: 'shop' })]);
    logged.mockRestore();
    // The memory came back.
    play(watch, { fixture: plain });
    expect((await ask(() => listFlights({}, { limit: 10 }))).flights).toHaveLength(1);
  });

  it('that has a query name with half an emoji at its cut, with U+FFFD for it', async () => {
    const { watch, readLosses: read } = await start();
    const target = `/page?${'a'.repeat(99)}%F0%9F%98%80=1`;
    play(watch, { fixture: plain });
    play(watch, { fixture: createFixture({ target, text: '0:["$","p",null,{}]\n' }) });
    play(watch, { fixture: plain });
    const { flights } = await ask(() => listFlights({}, { limit: 10 }));
    expect(flights.map(({ query }) => query)).toEqual([[], [`${'a'.repeat(99)}\uFFFD`], []]);
    expect(read().unreadable).toBe(0);
  });

  it('when nothing can be made of it: those of the same batch are kept', async () => {
    const errors = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const { watch, readLosses: read } = await start();
    const times = [Date.now(), Number.NaN, Date.now(), Date.now()];
    for (const startedAt of times) play(watch, { fixture: plain, startedAt });
    expect((await ask(() => listFlights({}, { limit: 10 }))).flights).toHaveLength(3);
    expect(read()).toEqual({ memory: 0, disk: 0, thread: 0, usage: 0, database: 0, unreadable: 1 });
    expect(await readLosses()).toMatchObject([{ app: 'shop', counts: { unreadable: 1 } }]);
    errors.mockRestore();
  });

  it('without room on the disk, and shown as soon as there is some', async () => {
    let hasRoom = false;
    const { watch, readLosses: read } = await start({ hasRoom: () => hasRoom });
    expect(play(watch, { fixture: plain })).toBe(true);
    await running?.flush();
    expect(read().disk).toBe(1);
    hasRoom = true;
    expect(await readLosses()).toMatchObject([{ app: 'shop', counts: { disk: 1 } }]);
  });

  it.skipIf(isPostgres)(
    'while another process holds the file for too long',
    async () => {
      const { watch, readLosses: read } = await start();
      play(watch, { fixture: plain });
      await running?.flush();
      const other = new DatabaseSync(path.join(folder, flightsFile));
      other.exec('begin immediate');
      play(watch, { fixture: plain });
      play(watch, { fixture: plain });
      await running?.flush();
      other.exec('rollback');
      other.close();
      expect(read().disk).toBe(2);
      expect(await readLosses()).toMatchObject([{ counts: { disk: 2 } }]);
      expect(await countStored()).toBe(1);
    },
    20_000,
  );

  it.skipIf(isPostgres)(
    'on a disk that is full',
    async (context) => {
      const disk = path.join(folder, 'disk');
      mkdirSync(disk);
      const isMounted = runTool('mount', '-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk);
      if (!isMounted) return context.skip('a small disk can only be mounted by root');
      try {
        const full = await start({ folder: disk, hasRoom: () => true });
        for (let count = 0; count < 40; count += 1) {
          const text = Array.from({ length: 4_000 }, () => Math.random().toString(36)).join('');
          play(full.watch, { fixture: createFixture({ text: `0:"${text}"\n` }) });
          await full.flush();
        }
        expect(full.readLosses().disk).toBeGreaterThan(0);
        expect(full.readLosses().disk).toBeLessThan(40);
        await full.close();
        running = undefined;
      } finally {
        runTool('umount', disk);
      }
    },
    20_000,
  );

  it('when the writing thread ends, and another is started', async () => {
    const workers: Worker[] = [];
    const collect = (worker: Worker) => workers.push(worker);
    process.on('worker', collect);
    const { watch, readLosses: read } = await start();
    play(watch, { fixture: plain });
    await running?.flush();
    expect(workers).toHaveLength(1);
    const ended = workers[0]?.terminate();
    play(watch, { fixture: plain });
    await running?.flush();
    await ended;
    expect(read().thread).toBe(1);
    await vi.waitFor(
      async () => {
        play(watch, { fixture: plain });
        await running?.flush();
        expect(await countStored()).toBeGreaterThan(1);
      },
      { timeout: 10_000, interval: 100 },
    );
    process.off('worker', collect);
    expect(workers.length).toBeGreaterThan(1);
    expect((await readLosses())?.[0]?.counts.thread).toBe(read().thread);
  }, 20_000);
});

it('a list that somebody looks at hears of what another process wrote', async () => {
  const { watch } = await start();
  play(watch, { fixture: plain });
  await running?.flush();
  const newest: number[] = [];
  const unsubscribe = subscribeFlights((id) => newest.push(id));
  await vi.waitFor(
    async () => {
      play(watch, { fixture: plain });
      await running?.flush();
      expect(newest.length).toBeGreaterThan(0);
    },
    { timeout: 5_000, interval: 300 },
  );
  unsubscribe();
  expect(newest[0]).toBeGreaterThan(1);
});
