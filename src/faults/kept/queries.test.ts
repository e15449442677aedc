import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { useOperator } from '#src/access/testing/use-operator.ts';
import { mintDigest } from '#report/digest.ts';
import type { ErrorToKeep, ServerErrorRecord } from '#src/runtime/errors/error-record.ts';
import { openStore } from '#src/store/open-store.ts';
import type { NewEvent } from '#src/store/schema.ts';

import { findErrorDetails } from '../digests/find-error-details.ts';
import { countStored, listUngroupedErrors } from './queries.ts';
import { countUnstoredErrors, errorStore } from './record-error.ts';

/** These tests are about what is read. src/faults/kept/queries-guard.test.ts tests who may read it. */
useOperator();

let folder: string;
const noon = Date.UTC(2026, 10, 20, 12);
const minute = 60_000;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-queries-'));
  process.env['FLIGHT_DATA'] = folder;
});

afterEach(async () => {
  delete process.env['FLIGHT_DATA'];
  for (const store of globalThis.__FLIGHT_STORES__?.values() ?? []) await (await store).close();
  rmSync(folder, { recursive: true });
});

const checkoutFailure: ServerErrorRecord = {
  digest: '3F7K2M9QRT',
  fingerprint: '8c1f0a6b5d2e4970',
  grouping: {
    fingerprint: '8c1f0a6b5d2e4970',
    rule: 'frames',
    parts: ['TypeError', 'src/basket.tsx|Basket'],
  },
  time: noon,
  phase: 'rsc',
  kind: 'document',
  method: 'GET',
  path: '/checkout/basket',
  requestId: '0af7651916cd43dd8448eb211c80319c',
  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
  release: '2026-11-20-1',
  name: 'TypeError',
  message: "Cannot read properties of undefined (reading 'price')",
  stack:
    "TypeError: Cannot read properties of undefined (reading 'price')\n    at Basket (file:///app/dist/server/a.js:9:1)",
  frames: [
    {
      fn: 'Basket',
      file: 'file:///app/dist/server/a.js',
      line: 41,
      column: 22,
      source: 'src/components/basket.tsx',
      inApp: true,
      context: { firstLine: 40, lines: ['const first = items[0];', 'return <b>{first.price}</b>;'] },
    },
    { fn: 'renderWithHooks', file: 'node:internal', line: 1, column: 1, inApp: false },
  ],
  componentStack: '\n    at Basket\n    at Checkout',
  causes: [{ name: 'Error', message: 'basket service answered 502', stack: 'Error: basket service answered 502' }],
};

function toKeep(error: ServerErrorRecord, breadcrumbs: ErrorToKeep['breadcrumbs'] = []): ErrorToKeep {
  return { record: error, understanding: error, breadcrumbs };
}

async function record(...records: ServerErrorRecord[]): Promise<void> {
  await Promise.all(records.map((one) => errorStore.keep(toKeep(one))));
}

const browserError: NewEvent = {
  id: 'f1d2d2f924e986ac86fdf7b36c94bcdf',
  digest: checkoutFailure.digest,
  side: 'browser',
  fingerprint: 'aaaaaaaaaaaaaaaa',
  time: noon + 200,
  received_at: noon + 900,
  name: 'Error',
  message: 'An error occurred in the Server Components render.',
  path: '/checkout/basket',
  frames_json: JSON.stringify([{ fn: 'a', file: 'assets/index.js', line: 1, column: 2, inApp: false }]),
  component_stack: null,
  user_agent: 'Mozilla/5.0 (X11; Linux x86_64) Chrome/142.0.0.0',
  trace_id: checkoutFailure.traceId,
  breadcrumbs_json: JSON.stringify([
    { time: noon - 4000, category: 'navigation', level: 'info', message: '', data: { from: '/', to: '/checkout' } },
    { time: noon - 100, category: 'ui.click', level: 'info', message: 'button#pay', data: {} },
  ]),
};

async function storeErrors(...untrusted: Partial<NewEvent>[]): Promise<void> {
  const { db } = await openStore();
  for (const one of untrusted) {
    await db
      .insertInto('event')
      .values({ ...browserError, ...one })
      .execute();
  }
}

describe('errorStore and findErrorDetails', () => {
  it('gives back every field of the error', async () => {
    await record(checkoutFailure);
    const details = await findErrorDetails(checkoutFailure.digest);
    const own = {
      id: checkoutFailure.digest,
      app: 'flight-recorder',
      framework: '',
      route: '',
      runtime: '',
      printedDigest: null,
    };
    const said = { level: 'error', environment: '', sdk: '', user: '', tags: {}, extra: {} };
    const { grouping: _, causes, ...stored } = checkoutFailure;
    const shownCauses = causes.map((cause) => ({ ...cause, frames: [] }));
    expect(details?.server).toEqual({ ...stored, ...own, said, causes: shownCauses });
    expect(details?.fault).toMatch(/^[\da-z]{8}$/);
    expect(details).toMatchObject({ digest: checkoutFailure.digest, fingerprint: checkoutFailure.fingerprint });
    expect(details?.browser).toEqual([]);
  });

  it('knows nothing of a digest that was never recorded', async () => {
    await record(checkoutFailure);
    expect(await findErrorDetails('0000000000')).toBeUndefined();
  });

  it('writes all errors of one turn', async () => {
    const digests = Array.from({ length: 30 }, mintDigest);
    await record(...digests.map((digest) => ({ ...checkoutFailure, digest })));
    await vi.waitFor(async () => expect((await countStored()).errors).toBe(30));
    expect(countUnstoredErrors()).toBe(0);
  });

  it('takes credentials out before they reach the disk, and leaves the address that failed', async () => {
    await record({
      ...checkoutFailure,
      message: 'connect ECONNREFUSED postgres://app:hunter2@10.0.0.7/shop',
      stack: 'Error: connect ECONNREFUSED postgres://app:hunter2@10.0.0.7/shop\n    at connect (node:net:1:1)',
      causes: [{ name: 'Error', message: 'password=hunter2', stack: 'Error: password=hunter2' }],
    });
    const stored = (await findErrorDetails(checkoutFailure.digest))?.server;
    expect(stored?.message).toBe('connect ECONNREFUSED postgres://[Filtered]@10.0.0.7/shop');
    expect(JSON.stringify(stored)).not.toContain('hunter2');
  });

  it('turns a failing disk into one log line and a count, never into an exception', async ({ skip }) => {
    skip((await openStore()).engine === 'postgres', 'the folder that cannot be written is that of SQLite’s file');
    const before = countUnstoredErrors();
    const lines: string[] = [];
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
    writeFileSync(path.join(folder, 'file'), '');
    process.env['FLIGHT_DATA'] = path.join(folder, 'file', 'data');
    await record(checkoutFailure);
    expect(countUnstoredErrors()).toBe(before + 1);
    vi.restoreAllMocks();
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: 'error',
      event: 'error-not-stored',
      digest: checkoutFailure.digest,
      reason: expect.stringContaining('cannot be written'),
    });
  });

  it('joins what both sides sent, their breadcrumbs on one timeline without repetition', async () => {
    await errorStore.keep(
      toKeep(checkoutFailure, [
        { time: noon - 2000, category: 'http', level: 'warning', message: 'GET basket → 502', data: { status: 502 } },
      ]),
    );
    await storeErrors(
      {},
      { id: 'second', received_at: noon + 1000 },
      { id: 'another', digest: '0000000000', path: '/elsewhere' },
    );
    const details = await findErrorDetails(checkoutFailure.digest);
    expect(details?.browser.map((one) => one.eventId)).toEqual([browserError.id, 'second']);
    expect(details?.browser[0]).toMatchObject({
      userAgent: browserError.user_agent,
      traceId: checkoutFailure.traceId,
      componentStack: undefined,
      frames: [{ fn: 'a', file: 'assets/index.js', line: 1, column: 2, inApp: false }],
    });
    expect(details?.breadcrumbs).toEqual([
      expect.objectContaining({ side: 'browser', category: 'navigation', data: { from: '/', to: '/checkout' } }),
      expect.objectContaining({ side: 'server', level: 'warning', message: 'GET basket → 502' }),
      expect.objectContaining({ side: 'browser', category: 'ui.click', time: noon - 100 }),
    ]);
  });

  it('keeps the first untrusted errors of a digest, whoever posts more later', async () => {
    await record(checkoutFailure);
    await storeErrors(...Array.from({ length: 25 }, (_, index) => ({ id: `e${index}`, received_at: noon + index })));
    const details = await findErrorDetails(checkoutFailure.digest);
    expect(details?.browser.map((one) => one.eventId)).toEqual(Array.from({ length: 20 }, (_, index) => `e${index}`));
  });
});

describe('errors that only a browser reported', () => {
  const inBrowser = { name: 'RangeError', message: 'Invalid array length', fingerprint: 'bbbbbbbbbbbbbbbb' };

  it('are found by their digest, and counted once however often they were reported', async () => {
    await storeErrors(
      { ...inBrowser, id: 'a1', digest: 'AAAAAAAAAA', time: noon },
      { ...inBrowser, id: 'a2', digest: 'AAAAAAAAAA', time: noon + 5, received_at: noon + 2000 },
      { ...inBrowser, id: 'b', digest: 'BBBBBBBBBB', time: noon + minute },
      { ...inBrowser, id: 'c', digest: null, time: noon + minute },
    );
    const details = await findErrorDetails('AAAAAAAAAA');
    expect(details).toMatchObject({ server: undefined, fingerprint: 'bbbbbbbbbbbbbbbb' });
    expect(details?.browser).toHaveLength(2);
  });
});

describe('errors without a fault', () => {
  async function list(app?: string): Promise<(string | null)[]> {
    return (await listUngroupedErrors(app, noon + minute)).map(({ digest }) => digest);
  }

  it('are listed until their stacks are read, the newest first', async () => {
    await record(checkoutFailure);
    expect(await list()).toEqual([]);
    for (const [digest, time] of [
      ['AAAAAAAAAA', noon],
      ['BBBBBBBBBB', noon + 1],
    ] as const) {
      await errorStore.keep({ ...toKeep({ ...checkoutFailure, digest, time }), understanding: undefined });
    }
    expect(await list()).toEqual(['BBBBBBBBBB', 'AAAAAAAAAA']);
    expect(await list('flight-recorder')).toHaveLength(2);
    expect(await list('shop')).toEqual([]);
    await errorStore.complete({ ...checkoutFailure, digest: 'AAAAAAAAAA' });
    expect(await list()).toEqual(['BBBBBBBBBB']);
  });

  it('are not those that have waited for long, and no more than a few', async () => {
    const old = { ...checkoutFailure, digest: 'AAAAAAAAAA', time: noon - 10 * minute };
    await errorStore.keep({ ...toKeep(old), understanding: undefined });
    expect(await list()).toEqual([]);
    for (let n = 0; n < 8; n += 1) {
      const one = { ...checkoutFailure, digest: String(n).padStart(10, 'B') };
      await errorStore.keep({ ...toKeep(one), understanding: undefined });
    }
    expect(await list()).toHaveLength(5);
  });
});

describe('countStored', () => {
  it('counts nothing in a new store', async () => {
    expect(await countStored()).toMatchObject({
      errors: 0,
      browserErrors: 0,
      outcomes: [],
      oldestTime: undefined,
    });
    if ((await openStore()).engine === 'sqlite') expect(readdirSync(folder)).toContain('flight.db');
  });

  it('counts what is there', async () => {
    await record(checkoutFailure);
    await storeErrors({ received_at: noon - minute });
    const { db } = await openStore();
    const outcome = { source: 'receiver', reason: 'not_stored', last_time: noon } as const;
    await db
      .insertInto('outcome')
      .values([
        { ...outcome, type: 'session', count: 2 },
        { ...outcome, type: 'transaction', count: 40 },
      ])
      .execute();
    const counts = await countStored();
    expect(counts).toMatchObject({ errors: 1, browserErrors: 1, oldestTime: noon - minute });
    expect(counts.outcomes).toEqual([
      { source: 'receiver', type: 'transaction', reason: 'not_stored', count: 40, lastTime: noon },
      { source: 'receiver', type: 'session', reason: 'not_stored', count: 2, lastTime: noon },
    ]);
    const { engine } = await openStore();
    expect(counts.database).toMatch(engine === 'sqlite' ? /^SQLite 3[.\d]+$/ : /^PostgreSQL [1-9][.\d]+$/);
    expect(counts.databaseBytes).toBeGreaterThan(8192);
  });
});
