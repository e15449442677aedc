import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { Hono } from 'hono';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { testedEngine } from '../../../e2e/testing/postgres/tested-engine.ts';
import { recordFlights } from '#src/flights/middleware/record-flights.ts';
import { requestContext } from '#src/runtime/middleware/request-context.ts';
import {
  addFlightSink,
  openTap,
  type FlightOutcome,
  type ResponseSize,
} from '#src/runtime/renderer/flight-observer.ts';
import { currentRequest, type RequestContext } from '#src/server/http/request-context.ts';

import { memoryLimit } from '../flight/budget.ts';
import { deleteAllFlights, deleteFlight } from '../for-operator/delete-flights.ts';
import { closeFlightsReader } from './flights-reader.ts';
import { streamFlightCounts } from '../for-operator/flight-events.ts';
import {
  findFlightsByDigest,
  findNewerPage,
  listFlights,
  listVisit,
  readFlight,
  readFlightBody,
} from '../for-operator/queries.ts';
import { subscribeFlights } from './follow-flights.ts';
import { currentWriter, noteUsage, recordAllUntil, startRecorder } from './recorder.ts';
import { readStoredRecording } from '../for-operator/recording-state.ts';
import { readPrefetchLedger } from '../for-operator/prefetch-ledger.ts';
import { sumRoutes } from '../for-operator/summaries.ts';
import { askAsOperator } from './testing/ask-as-operator.ts';

type Page = {
  readonly chunks: readonly (string | Uint8Array)[];
  readonly outcome?: FlightOutcome;
  readonly status?: number;
  readonly digest?: string;
  readonly elements?: readonly string[];
  readonly size?: ResponseSize;
};

/** What is deleted there, docs/postgresql.md says. */
const isPostgres = testedEngine === 'postgres';
let folder: string;
let stop: (() => Promise<void>) | undefined;
let pages: Map<string, Page>;
const visit = 'c'.repeat(32);
const digest = '3F7K2M9QRT';
const text = '0:{"root":"$L1"}\n';

function render(request: RequestContext, page: Page): void {
  const tap = openTap(request, Object.fromEntries((page.elements ?? ['root']).map((id) => [id, true])));
  for (const chunk of page.chunks) tap?.write(chunk, 'payload');
  if (page.digest) request.digests.push(page.digest);
  tap?.end(page.outcome ?? 'complete', page.size);
}

/** Renders into the renderer's seam what `pages` says, and answers as the renderer does. */
function createApp(): Hono {
  const app = new Hono();
  app.use(requestContext());
  app.use(recordFlights());
  app.use(async (c, next) => {
    const request = currentRequest();
    const page = request && pages.get(request.path);
    if (!request || !page) return next();
    render(request, page);
    return c.body('<html>', page.status === 500 ? 500 : 200, { 'content-type': 'text/html; charset=utf-8' });
  });
  app.get('/assets/script.js', (c) => c.body('1', 200, { 'content-type': 'text/javascript' }));
  app.get('/moved', (c) => {
    const request = currentRequest();
    if (request) render(request, { chunks: [text] });
    return c.redirect('/elsewhere');
  });
  return app;
}

async function start(env: Readonly<Record<string, string>> = {}): Promise<Hono> {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  stop = await startRecorder({ addSink: addFlightSink });
  return createApp();
}

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-recorder-'));
  vi.stubEnv('FLIGHT_DATA', folder);
  pages = new Map([['/start', { chunks: [text] }]]);
});

afterEach(async () => {
  await stop?.();
  stop = undefined;
  await closeFlightsReader(folder);
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

/** As the operator, after everything so far is written. */
async function ask<T>(query: () => Promise<T>): Promise<T> {
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  await currentWriter().flush();
  return askAsOperator(query);
}

async function list() {
  return (await ask(() => listFlights({}, { limit: 100 }))).flights;
}

describe('a recorded flight', () => {
  it('has its bytes, its chunks with their times, and what the request was', async () => {
    const app = await start();
    const own = new Uint8Array(5_000).fill(65);
    pages.set('/lab', { chunks: [Buffer.from(text), 'täxt', own], elements: ['root', 'page:/lab'] });
    const response = await app.request('http://host.test/lab?page=2&token=very-secret-value');
    // The page's own array, which it may go on to change.
    own.fill(66);
    const flight = await ask(async () => {
      const [found] = (await listFlights({}, { limit: 1 })).flights;
      return found && readFlight(found.id);
    });
    expect(flight).toMatchObject({
      requestId: response.headers.get('x-request-id'),
      kind: 'document',
      path: '/lab',
      route: '/lab',
      query: ['page', 'token'],
      status: 200,
      rendering: 'dynamic',
      outcome: 'complete',
      bytes: text.length + 5 + 5_000,
      isCut: false,
      elements: ['root', 'page:/lab'],
    });
    expect(Buffer.from(flight?.body ?? []).toString()).toBe(`${text}täxt${'A'.repeat(5_000)}`);
    expect(flight?.chunks.map(([, bytes]) => bytes)).toEqual([text.length, 5, 5_000]);
    const times = flight?.chunks.map(([ms]) => ms) ?? [];
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(JSON.stringify(flight)).not.toContain('very-secret');
  });

  it('says which page asked for it, and what triggered a prefetch', async () => {
    const app = await start();
    const of = (at: string, headers: Record<string, string> = {}) =>
      app.request(`http://host.test${at}`, { headers: { host: 'host.test', ...headers } });
    const referer = 'http://host.test/lab?token=very-secret-value';
    await of('/start', { referer: 'http://other.test/lab' });
    await of('/start', { referer, 'x-flight-prefetch': 'hover' });
    await of('/RSC/R/start.txt', { referer });
    await of('/RSC/R/start.txt', { referer, 'x-flight-prefetch': 'viewport' });
    await of('/RSC/R/start.txt', { referer, 'x-flight-prefetch': 'hovering' });
    expect((await list()).map(({ kind, fromPath, trigger }) => [kind, fromPath, trigger])).toEqual([
      ['prefetch', '/lab', undefined],
      ['prefetch', '/lab', 'viewport'],
      ['navigation', '/lab', undefined],
      ['document', '/lab', undefined],
      ['document', undefined, undefined],
    ]);
  });

  it('has three sizes, each where it is known', async () => {
    const app = await start();
    pages.set('/lab', { chunks: [text], size: { response: 900, transferred: 300 } });
    pages.set('/dev', { chunks: [text], size: { response: 900, transferred: undefined } });
    pages.set('/left', { chunks: [text], outcome: 'left' });
    pages.set('/old', { chunks: [text] });
    const asked = ['/lab', '/dev', '/RSC/R/left.txt', '/RSC/R/old.txt', '/old'];
    for (const at of asked) await app.request(`http://host.test${at}`);
    const flight = text.length;
    const sizes = (await list()).map((each) => each.sizes).toReversed();
    expect(sizes).toEqual([
      { flight, response: 900, transferred: 300 },
      { flight, response: 900, transferred: undefined },
      { flight, response: undefined, transferred: undefined },
      { flight, response: flight, transferred: undefined },
      { flight, response: undefined, transferred: undefined },
    ]);
    expect(await ask(sumRoutes)).toContainEqual(expect.objectContaining({ bytes: flight, transferredBytes: 300 }));
  });

  it('is cut at 1 MiB and says so; what went out is counted', async () => {
    const app = await start();
    const half = randomBytes(700_000);
    pages.set('/start', { chunks: [half, half, 'the end'] });
    await app.request('http://host.test/start');
    const [summary] = await list();
    expect(summary).toMatchObject({ bytes: 1_400_007, isCut: true });
    const flight = await ask(() => readFlight(summary?.id ?? 0));
    expect(flight?.body.length).toBe(1024 * 1024);
    expect(Buffer.from(flight?.body ?? []).equals(Buffer.concat([half, half]).subarray(0, 1024 * 1024))).toBe(true);
    expect(flight?.chunks.length).toBe(3);
  });

  it('has a body that is read alone, as it is kept', async () => {
    const app = await start();
    // Some are compressed in the file, and small ones are not.
    for (const chunk of ['x'.repeat(10_000), text]) {
      pages.set('/start', { chunks: [chunk] });
      await app.request('http://host.test/start');
      const [summary] = await list();
      const { content, body } = (await ask(() => readFlight(summary?.id ?? 0))) ?? {};
      expect(await ask(() => readFlightBody(summary?.id ?? 0))).toEqual({ content, body });
      expect(new TextDecoder().decode(body)).toBe(chunk);
    }
    pages.set('/none', { chunks: [], digest, status: 500 });
    await app.request('http://host.test/none');
    const [empty] = await list();
    expect(await ask(() => readFlightBody(empty?.id ?? 0))).toMatchObject({ body: new Uint8Array() });
    expect(await ask(() => readFlightBody(999_999))).toBeUndefined();
  });

  it('is found by its digest', async () => {
    const app = await start();
    pages.set('/late', { chunks: [text], digest });
    await app.request('http://host.test/late');
    await app.request('http://host.test/start');
    expect(await ask(() => findFlightsByDigest(digest))).toMatchObject([{ path: '/late', digests: [digest] }]);
    const failed = await ask(() => listFlights({ isFailed: true }, { limit: 10 }));
    expect(failed.flights.map(({ path: at }) => at)).toEqual(['/late']);
  });

  it('is none for files, redirects, uploads, and pages nobody made', async () => {
    const app = await start();
    await app.request('http://host.test/assets/script.js');
    await app.request('http://host.test/moved');
    await app.request('http://host.test/nowhere');
    await app.request('http://host.test/start', { method: 'HEAD' });
    const form = new FormData();
    form.append('file', new Blob(['x']));
    await app.request('http://host.test/api/0/organizations/x/chunk-upload/', { method: 'POST', body: form });
    expect(await list()).toEqual([]);
    expect((await ask(readStoredRecording))?.memoryBytes).toBe(0);
  });
});

describe('lists', () => {
  it('go from page to page, newest first, and tell what is new', async () => {
    const app = await start();
    for (let index = 0; index < 5; index += 1) {
      pages.set(`/${index}`, { chunks: ['x'.repeat(1 + index * 100)] });
      await app.request(`http://host.test/${index}`);
    }
    const first = await ask(() => listFlights({}, { limit: 2 }));
    expect(first.flights.map(({ path: at }) => at)).toEqual(['/4', '/3']);
    const second = await ask(() => listFlights({}, { limit: 10, before: first.next ?? 0 }));
    expect(second.flights.map(({ path: at }) => at)).toEqual(['/2', '/1', '/0']);
    expect(second.next).toBeUndefined();
    const since = await ask(() => listFlights({}, { limit: 10, since: second.flights[0]?.id ?? 0 }));
    expect(since.flights.map(({ path: at }) => at)).toEqual(['/4', '/3']);
    const large = await ask(() => listFlights({ largerThan: 250, kinds: ['document'] }, { limit: 10 }));
    expect(large.flights.map(({ path: at }) => at)).toEqual(['/4', '/3']);
    expect((await ask(() => listFlights({ statusClass: 5 }, { limit: 10 }))).flights).toEqual([]);
    expect((await ask(() => listFlights({ route: '/3', slowerThanMs: 60_000 }, { limit: 10 }))).flights).toEqual([]);
  });

  it('tell their subscribers what was written', async () => {
    const app = await start();
    const newest: number[] = [];
    const unsubscribe = subscribeFlights((id) => newest.push(id));
    await app.request('http://host.test/start');
    const [summary] = await list();
    unsubscribe();
    expect(newest).toEqual([summary?.id]);
    await app.request('http://host.test/start');
    await list();
    expect(newest).toHaveLength(1);
  });

  it('are found by a digest, and by the page that is newer than an old one', async () => {
    const app = await start();
    for (let number = 1; number <= 5; number++) {
      pages.set(`/${number}`, { chunks: [text], ...(number === 2 ? { digest } : {}) });
      await app.request(`http://host.test/${number}`);
    }
    const all = await list();
    const failed = await ask(() => listFlights({ digest, kinds: ['document'] }, { limit: 10 }));
    expect(failed.flights.map(({ path: at }) => at)).toEqual(['/2']);
    expect(failed.newest).toBe(all[0]?.id);
    expect((await ask(() => listFlights({ digest, kinds: ['action'] }, { limit: 10 }))).flights).toEqual([]);
    // Pages of two, newest first: 5 4 | 3 2 | 1.
    const third = all[3]?.id ?? 0;
    const second = await ask(() => findNewerPage({}, third, 2));
    expect(
      (await ask(() => listFlights({}, { limit: 2, before: second ?? 0 }))).flights.map((each) => each.path),
    ).toEqual(['/3', '/2']);
    expect(await ask(() => findNewerPage({}, second ?? 0, 2))).toBeUndefined();
  });

  it('are told to a reader as they are written, for as long as the process lives', async () => {
    const app = await start();
    await app.request('http://host.test/start');
    const [first] = await list();
    let drain = () => {};
    const onDraining = (listener: () => void) => {
      drain = listener;
      return () => {};
    };
    const response = await ask(async () => streamFlightCounts({}, first?.id ?? 0, { onDraining }));
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    const read = async () => (await reader?.read())?.value;
    expect(await read()).toBe('retry: 1000\n\n');
    expect(await read()).toBe('data: {"count":0}\n\n');
    await app.request('http://host.test/start');
    await list();
    expect(await read()).toBe('data: {"count":1}\n\n');
    drain();
    expect(await read()).toBeUndefined();
  });

  it('are for the operator alone', async () => {
    await start();
    expect(() => streamFlightCounts({}, 0, { onDraining: () => () => {} })).toThrow(/not signed in/);
    await expect(listFlights({}, { limit: 1 })).rejects.toThrow(/not signed in/);
    await expect(deleteAllFlights()).rejects.toThrow(/not signed in/);
    await expect(readStoredRecording()).rejects.toThrow(/not signed in/);
  });
});

describe('a visit', () => {
  const trace = 'a'.repeat(32);
  const headers = { 'sentry-trace': `${trace}-${'b'.repeat(16)}`, 'x-flight-visit': visit };

  it('is the document, its prefetches with what became of them, and its navigations', async () => {
    const app = await start();
    pages.set('/one', { chunks: [text], elements: ['root', 'page:/one'] });
    pages.set('/two', { chunks: [text], elements: ['page:/two'] });
    await app.request('http://host.test/start', { headers: { 'sentry-trace': headers['sentry-trace'] } });
    const prefetch = { ...headers, 'x-flight-prefetch': '1' };
    const shown = await app.request('http://host.test/RSC/R/one.txt', { headers: prefetch });
    await app.request('http://host.test/RSC/R/two.txt', { headers: prefetch });
    const used = {
      'x-flight-used': shown.headers.get('x-request-id') ?? '',
      'x-waku-etags': '{"root":1,"layout:/x":1}',
    };
    await app.request('http://host.test/RSC/R/two.txt?query=page%3D3', { headers: { ...headers, ...used } });
    noteUsage({ time: Date.now(), used: [], closedTrace: trace });
    const [newest] = await list();
    const timeline = await ask(() => listVisit(newest ?? { visit: undefined, traceId: '' }));
    expect(timeline.map(({ kind, path: at, prefetchOutcome }) => [kind, at, prefetchOutcome])).toEqual([
      ['document', '/start', undefined],
      ['prefetch', '/one', 'used'],
      ['prefetch', '/two', 'unused'],
      ['navigation', '/two', undefined],
    ]);
    expect(new Set(timeline.map((flight) => flight.visit))).toEqual(new Set([visit]));
    expect(newest?.query).toEqual(['page']);
    const navigation = await ask(() => readFlight(newest?.id ?? 0));
    expect(navigation?.elided).toEqual([
      { element: 'root', from: { id: timeline[1]?.id, isCertain: true } },
      { element: 'layout:/x', from: undefined },
    ]);
    const ledger = await ask(() => readPrefetchLedger({ visit }, 'link'));
    expect(ledger).toMatchObject([
      { name: '/two', sent: 1, used: 0, unused: 1, bytes: text.length, wastedBytes: text.length },
      { name: '/one', sent: 1, used: 1, unused: 0, bytes: text.length, wastedBytes: 0 },
    ]);
    const totals = await ask(() => sumRoutes());
    expect(totals.find(({ kind, route }) => kind === 'prefetch' && route === '/one')).toMatchObject({ flights: 1 });
  });
});

describe('what RECORD says', () => {
  it.each([
    ['errors', ['/failed', '/late']],
    ['sample:0', ['/failed', '/late']],
    ['off', []],
    ['all', ['/failed', '/late', '/start']],
  ])('%s keeps %o', async (policy, expected) => {
    const app = await start({ RECORD: policy });
    pages.set('/late', { chunks: [text], digest });
    pages.set('/failed', { chunks: [text], status: 500 });
    for (const at of ['/start', '/late', '/failed']) await app.request(`http://host.test${at}`);
    expect((await list()).map(({ path: at }) => at)).toEqual(expected);
    expect((await ask(readStoredRecording))?.memoryBytes).toBe(0);
  });

  it("leaves the recorder's own pages out, unless they fail", async () => {
    const app = await start({ RECORD: 'all' });
    pages.set('/flights', { chunks: [text] });
    pages.set('/flights/7', { chunks: [text], digest });
    await app.request('http://host.test/flights');
    await app.request('http://host.test/flights/7');
    expect((await list()).map(({ path: at }) => at)).toEqual(['/flights/7']);
  });

  it('stops the start when it cannot be understood', async () => {
    vi.stubEnv('RECORD', 'everything');
    await expect(startRecorder()).rejects.toThrow('RECORD is everything');
  });
});

describe('everything for a while', () => {
  it.each(['errors', 'off'])('is recorded whatever RECORD=%s says, until its end or a stop', async (policy) => {
    const app = await start({ RECORD: policy });
    await app.request('http://host.test/start');
    expect((await ask(readStoredRecording))?.flights).toBe(0);
    recordAllUntil(Date.now() + 600_000);
    await app.request('http://host.test/start');
    expect(await ask(readStoredRecording)).toMatchObject({
      flights: 1,
      policy: { mode: 'all' },
      standard: { mode: policy },
    });
    recordAllUntil(0);
    await app.request('http://host.test/start');
    recordAllUntil(Date.now() - 1);
    await app.request('http://host.test/start');
    expect(await ask(readStoredRecording)).toMatchObject({ flights: 1, policy: { mode: policy } });
  });

  it('goes on over a restart', async () => {
    vi.stubEnv('RECORD', 'off');
    stop = await startRecorder({ addSink: addFlightSink, allUntil: Date.now() + 600_000 });
    await createApp().request('http://host.test/start');
    expect((await ask(readStoredRecording))?.flights).toBe(1);
  });
});

describe('memory', () => {
  it('is bounded: what does not fit is counted, and the rest goes on', async () => {
    const app = await start();
    const open: (() => void)[] = [];
    app.get('/slow', (c) => {
      const request = currentRequest();
      const tap = request && openTap(request, { root: true });
      // As long as its response is in flight, a recording is in memory.
      tap?.write(Buffer.alloc(1024 * 1024, open.length), 'payload');
      open.push(() => tap?.end('complete'));
      return c.body('<html>', 200, { 'content-type': 'text/html' });
    });
    const count = memoryLimit / (1024 * 1024) + 8;
    for (let index = 0; index < count; index += 1) await app.request('http://host.test/slow');
    const state = await ask(readStoredRecording);
    expect(state?.memoryBytes).toBeLessThanOrEqual(memoryLimit);
    expect(state?.memoryBytes).toBeGreaterThan(memoryLimit - 2 * 1024 * 1024);
    for (const end of open) {
      end();
      await ask(async () => undefined);
    }
    const after = await ask(readStoredRecording);
    expect(after?.drops.memory).toBeGreaterThanOrEqual(8);
    expect((after?.flights ?? 0) + (after?.drops.memory ?? 0)).toBe(count);
    expect(after?.flights).toBeGreaterThan(0);
    expect(after?.memoryBytes).toBe(0);
  }, 30_000);
});

describe("a recording's file", () => {
  it.skipIf(isPostgres)('that is damaged while it is read is empty, and goes on with what comes', async () => {
    const app = await start();
    const log = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const file = path.join(folder, 'flights.db');
    for (let index = 0; index < 40; index += 1) {
      pages.set(`/${index}`, { chunks: [randomBytes(3_000)] });
      await app.request(`http://host.test/${index}`);
    }
    await stop?.();
    await closeFlightsReader(folder);
    // Its first page is whole, so it opens.
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.fill('x', 8_192));
    stop = await startRecorder({ addSink: addFlightSink });
    expect(await list()).toEqual([]);
    await app.request('http://host.test/start');
    expect((await list()).map(({ path: at }) => at)).toEqual(['/start']);
    log.mockRestore();
  });
});

describe('deleting', () => {
  it('one, and all', async () => {
    const app = await start();
    const secret = randomBytes(3_000);
    pages.set('/secret', { chunks: [secret] });
    await app.request('http://host.test/start');
    await app.request('http://host.test/secret');
    const [newest] = await list();
    const isOnDisk = () =>
      readdirSync(folder).some((name) => readFileSync(path.join(folder, name)).includes(secret.subarray(0, 500)));
    expect(isOnDisk()).toBe(!isPostgres);
    await ask(() => deleteFlight(newest?.id ?? 0));
    expect(isOnDisk()).toBe(false);
    expect((await list()).map(({ path: at }) => at)).toEqual(['/start']);
    await ask(deleteAllFlights);
    expect(await list()).toEqual([]);
  });
});
