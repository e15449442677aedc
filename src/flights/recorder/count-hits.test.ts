import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { createContext } from '#src/server/http/create-request-context.ts';
import { runInRequest, type PrerenderedFile, type RequestContext } from '#src/server/http/request-context.ts';
import { prefetchHeader, visitHeader } from '#src/server/http/flight-headers.ts';

import { createHitCounts, hitsPerSecond } from './count-hits.ts';
import type { FlightHead } from '../flight/flight-head.ts';
import { closeFlightsReader } from './flights-reader.ts';
import { countHitsBetween, listFlights, readFlight, listVisit } from '../for-operator/queries.ts';
import { answerRecording, currentWriter, openRecording, startRecorder } from './recorder.ts';
import { createRecording, type Recording } from './recording.ts';
import { readStoredRecording } from '../for-operator/recording-state.ts';
import { readPrefetchLedger } from '../for-operator/prefetch-ledger.ts';
import { sumRoutes } from '../for-operator/summaries.ts';

const pageRow = '0:"prerendered"\n';
const html = `<html><script>(self.__FLIGHT_DATA||=[]).push(${JSON.stringify(pageRow)});</script></html>`;
const file: PrerenderedFile = { body: Buffer.from(html), etag: '"abc"' };
const { signal } = new AbortController();
const visit = 'c'.repeat(32);

type Hit = {
  readonly kind?: 'document' | 'prefetch' | 'navigation';
  readonly path?: string;
  readonly status?: number;
  readonly sentBytes?: number;
  readonly visit?: string;
  readonly url?: string;
  readonly file?: PrerenderedFile | undefined;
  readonly digest?: string;
  /** Milliseconds since the process started. */
  readonly begun?: number;
};

function createRequest({ kind = 'document', path: at = '/guide', digest, ...hit }: Hit): RequestContext {
  const headers = new Headers();
  const context = createContext({ method: 'GET', path: at, headers, address: '', signal }, false);
  const prerendered = 'file' in hit ? hit.file : file;
  if (digest !== undefined) context.digests.push(digest);
  return { ...context, kind, ...(prerendered ? { prerendered } : {}) };
}

function createHeaders(hit: Hit): Headers {
  const from = { host: 'host.test', referer: 'http://host.test/', [prefetchHeader]: 'hover' };
  return new Headers({ ...from, ...(hit.visit === undefined ? {} : { [visitHeader]: hit.visit }) });
}

function createHit(hit: Hit = {}): Recording {
  const request = createRequest(hit);
  const raw = { url: hit.url ?? '/guide', headers: createHeaders(hit) };
  const recording = createRecording(request, { app: 'own', kind: hit.kind ?? 'document', build: 'b' }, raw);
  return {
    ...recording,
    begun: hit.begun ?? 5_000,
    answer: { status: hit.status ?? 200, ms: 1, sentBytes: hit.sentBytes },
  };
}

describe('hits of one file in a second', () => {
  let rows: FlightHead[];
  let counts: ReturnType<typeof createHitCounts>;

  beforeEach(() => {
    rows = [];
    counts = createHitCounts((head) => rows.push(head));
  });

  /** @returns how many of them are flights of their own */
  function hit(times: number, one: Hit = {}): number {
    return Array.from({ length: times }, () => counts.count(createHit(one))).filter((isCounted) => !isCounted).length;
  }

  it('are flights of their own up to the rate, and one row beyond it', () => {
    expect(hit(hitsPerSecond)).toBe(hitsPerSecond);
    counts.drain();
    expect(rows).toEqual([]);
    const [first, last] = [createHit({ begun: 5_500 }), createHit({ begun: 5_999 })];
    expect([counts.count(first), hit(100), counts.count(last)]).toEqual([true, 0, true]);
    counts.drain();
    expect(rows).toMatchObject([
      {
        requestId: first.request.id,
        startedAt: first.request.startedAt,
        path: '/guide',
        status: 200,
        bytes: file.body.byteLength,
        etag: file.etag,
        traceId: '',
        visit: null,
        fromPath: null,
        trigger: null,
        hits: 102,
        lastAt: last.request.startedAt,
        hitsBefore: 0,
      },
    ]);
  });

  it('are counted apart when they were sent as more or fewer bytes', () => {
    hit(hitsPerSecond + 2, { sentBytes: 30 });
    hit(hitsPerSecond + 3, { sentBytes: 40 });
    counts.drain();
    expect(rows).toMatchObject([
      { hits: 2, sentBytes: 30 },
      { hits: 3, sentBytes: 40 },
    ]);
  });

  it('go on in the row that they have, and begin anew with the next second', () => {
    hit(hitsPerSecond + 3);
    counts.drain();
    hit(4);
    // Nobody drained this one when its second ended.
    expect(hit(hitsPerSecond + 1, { begun: 6_000 })).toBe(hitsPerSecond);
    counts.drain();
    counts.drain();
    expect(rows).toMatchObject([
      { hits: 3, hitsBefore: 0 },
      { hits: 4, hitsBefore: 3 },
      { hits: 1, hitsBefore: 0 },
    ]);
    const [one, more, next] = rows.map((row) => row.requestId);
    expect(more).toBe(one);
    expect(next).not.toBe(one);
  });

  it.each<[string, Hit]>([
    ['another path', { path: '/other' }],
    ['another kind', { kind: 'navigation' }],
    ['another status', { status: 304 }],
    ['another file', { file: { ...file } }],
  ])('are counted apart from those of %s', (_, other) => {
    hit(hitsPerSecond * 2);
    expect(hit(hitsPerSecond * 2, other)).toBe(hitsPerSecond);
    counts.drain();
    expect(rows.map((row) => row.hits)).toEqual([hitsPerSecond, hitsPerSecond]);
  });

  it('leave those that name a tab alone while these are few', () => {
    hit(1_000, { kind: 'navigation' });
    expect(hit(hitsPerSecond, { kind: 'navigation', visit })).toBe(hitsPerSecond);
  });

  it.each<[string, Hit]>([
    ['a digest', { digest: '3F7K2M9QRT' }],
    ['a failure', { status: 500 }],
    ['a page that is not found', { status: 404 }],
    ['a query', { url: '/guide?page=2' }],
    ['no file', { file: undefined }],
  ])('are never counted with %s', (_, one) => {
    expect(hit(100, one)).toBe(100);
  });

  it('are not told apart without end', () => {
    for (let index = 0; index < 1_000; index += 1) hit(1, { path: `/${index}` });
    // Whatever else hits this file is a flight of its own, as it would be without any counting.
    expect(hit(100, { path: '/999' })).toBe(100);
    hit(hitsPerSecond, { path: '/0' });
    expect(hit(100, { path: '/0' })).toBe(0);
  });
});

describe('counted hits in the recording', () => {
  let folder: string;
  let stop: (() => Promise<void>) | undefined;

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'flight-hits-'));
    vi.stubEnv('FLIGHT_DATA', folder);
  });

  afterEach(async () => {
    await stop?.();
    stop = undefined;
    await closeFlightsReader(folder);
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });

  /** @returns in how many seconds they fell: in each, that many are flights of their own */
  function serve(times: number, hit: Hit = {}): number {
    const begun = performance.now();
    for (let index = 0; index < times; index += 1) {
      const request = createRequest(hit);
      const recording = openRecording(request, () => ({ url: hit.url ?? '/guide', headers: createHeaders(hit) }));
      if (recording) answerRecording(recording, { status: hit.status ?? 200, sentBytes: hit.sentBytes });
    }
    return Math.floor(performance.now() / 1_000) - Math.floor(begun / 1_000) + 1;
  }

  /** As the operator, after everything so far is written. */
  async function ask<T>(query: () => Promise<T>): Promise<T> {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    await currentWriter().flush();
    return runInRequest({ ...createRequest({ path: '/flights' }), operator: { kind: 'login-off' } }, query);
  }

  it('are as many in every sum as there were, in few rows', async () => {
    stop = await startRecorder();
    const from = Date.now();
    const seconds = serve(500, { sentBytes: 30 });
    const { flights } = await ask(() => listFlights({}, { limit: 500 }));
    expect(flights.length).toBeLessThanOrEqual(seconds * (hitsPerSecond + 1));
    expect(flights.reduce((sum, { hits }) => sum + hits, 0)).toBe(500);
    const counted = flights.find(({ hits }) => hits > 1);
    expect(counted).toMatchObject({ path: '/guide', status: 200, traceId: '', visit: undefined });
    expect(counted?.lastAt).toBeGreaterThanOrEqual(counted?.startedAt ?? Number.NaN);
    const flight = await ask(() => readFlight(counted?.id ?? 0));
    expect(Buffer.from(flight?.body ?? []).toString()).toBe(html);
    const sizes = { flight: pageRow.length, response: html.length, transferred: 30 };
    expect(flights.map((each) => each.sizes)).toEqual(flights.map(() => sizes));
    expect(await ask(() => sumRoutes())).toMatchObject([
      {
        route: '/guide',
        kind: 'document',
        flights: 500,
        failures: 0,
        bytes: 500 * pageRow.length,
        transferredBytes: 15_000,
      },
    ]);
    const larger = async (than: number) => (await ask(() => listFlights({ largerThan: than }, { limit: 1 }))).flights;
    expect(await larger(pageRow.length - 1)).toHaveLength(1);
    expect(await larger(pageRow.length)).toHaveLength(0);
    expect(await ask(readStoredRecording)).toMatchObject({ flights: 500 });
    // They are of nobody's visit, and a visit of that time can say so.
    expect(await ask(() => listVisit({ visit: undefined, traceId: '' }))).toEqual([]);
    const inRows = flights.filter(({ lastAt }) => lastAt !== undefined).reduce((sum, { hits }) => sum + hits, 0);
    expect(await ask(() => countHitsBetween(from, Date.now()))).toBe(inRows);
    expect(await ask(() => countHitsBetween(0, from - 1))).toBe(0);
  });

  it('say that a browser which had it was sent nothing', async () => {
    stop = await startRecorder();
    serve(1, { status: 304, sentBytes: 0 });
    serve(1);
    const { flights } = await ask(() => listFlights({}, { limit: 10 }));
    expect(flights.map(({ sizes }) => sizes)).toEqual([
      { flight: pageRow.length, response: html.length, transferred: undefined },
      { flight: 0, response: 0, transferred: 0 },
    ]);
    expect(await ask(() => sumRoutes())).toMatchObject([
      { flights: 2, bytes: pageRow.length, transferredBytes: undefined },
    ]);
  });

  it('are prefetches of which nobody knows what became', async () => {
    stop = await startRecorder();
    const payload = { body: Buffer.from(pageRow), etag: '"def"' };
    const seconds = serve(300, { kind: 'prefetch', visit, file: payload });
    const [link] = await ask(() => readPrefetchLedger({}, 'link'));
    expect(link).toMatchObject({ name: '/guide', sent: 300, bytes: 300 * pageRow.length, wastedBytes: 0 });
    expect(link?.unknown).toBeGreaterThanOrEqual(300 - seconds * hitsPerSecond);
    expect((link?.unknown ?? 0) + (link?.waiting ?? 0)).toBe(300);
    const [newest] = (await ask(() => listFlights({}, { limit: 1 }))).flights;
    expect(newest).toMatchObject({ prefetchOutcome: 'unknown', visit: undefined });
  });

  it('are all lost, and counted as lost, when the disk is full', async () => {
    stop = await startRecorder({ hasRoom: () => false });
    const log = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    serve(500);
    expect((await ask(readStoredRecording))?.drops.disk).toBe(500);
    log.mockRestore();
  });

  it('are written by themselves, and when the process ends', { timeout: 30_000 }, async () => {
    stop = await startRecorder();
    serve(hitsPerSecond * 3);
    await stop();
    stop = await startRecorder();
    expect((await ask(readStoredRecording))?.flights).toBe(hitsPerSecond * 3);
    serve(hitsPerSecond * 3);
    const operator = { ...createRequest({ path: '/flights' }), operator: { kind: 'login-off' } as const };
    const readCount = async () => (await runInRequest(operator, readStoredRecording))?.flights;
    await expect.poll(readCount, { timeout: 20_000 }).toBe(hitsPerSecond * 6);
    // Also when none of a batch is a flight of its own.
    serve(hitsPerSecond);
    await ask(async () => undefined);
    serve(hitsPerSecond);
    await expect.poll(readCount, { timeout: 20_000 }).toBe(hitsPerSecond * 8);
  });

  it('are not kept where successes are not', async () => {
    vi.stubEnv('RECORD', 'errors');
    stop = await startRecorder();
    serve(100);
    expect((await ask(readStoredRecording))?.flights).toBe(0);
  });
});
