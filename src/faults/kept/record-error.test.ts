import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { useOperator } from '#src/access/testing/use-operator.ts';
import type { ErrorToKeep, RawErrorRecord, Understanding } from '#src/runtime/errors/error-record.ts';
import { openStore } from '#src/store/open-store.ts';

import { completeErrors } from './complete-errors.ts';
import { countUnstoredErrors, errorStore } from './record-error.ts';
import { findErrorDetails } from '../digests/find-error-details.ts';
import { findUnkept } from '../digests/unkept-digests.ts';

useOperator();

let folder: string;
let lines: unknown[];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-record-'));
  process.env['FLIGHT_DATA'] = folder;
  lines = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(JSON.parse(String(text))) > 0);
});

afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  delete process.env['FLIGHT_DATA'];
  for (const store of globalThis.__FLIGHT_STORES__?.values() ?? []) await (await store).close();
  rmSync(folder, { recursive: true });
});

const record: RawErrorRecord = {
  digest: '3F7K2M9QRT',
  time: 1_000,
  phase: 'rsc',
  kind: 'document',
  method: 'GET',
  path: '/',
  requestId: 'r',
  traceId: 't',
  release: 'build-1',
  name: 'TypeError',
  message: 'no basket',
  stack: `TypeError: no basket\n    at Basket (${path.join(process.cwd(), 'src/faults/kept/record-error.ts')}:3:1)`,
  componentStack: undefined,
  causes: [],
};
const understanding: Understanding = {
  fingerprint: '8c1f0a6b5d2e4970',
  grouping: {
    fingerprint: '8c1f0a6b5d2e4970',
    rule: 'frames',
    parts: ['TypeError', 'src/basket.tsx|Basket'],
  },
  frames: [{ fn: 'Basket', file: '/a.js', line: 1, column: 1, source: 'src/basket.tsx', inApp: true }],
};

function toKeep(parts: Partial<ErrorToKeep> = {}): ErrorToKeep {
  return { record, understanding: undefined, breadcrumbs: [], ...parts };
}

/** Reads as another process would: only what was committed. */
async function readCommitted(): Promise<Record<string, unknown> | undefined> {
  const { db, engine } = await openStore();
  // Outside a transaction PostgreSQL shows what was committed, and nothing else.
  if (engine === 'postgres') return db.selectFrom('event').where('side', '=', 'server').selectAll().executeTakeFirst();
  const reader = new DatabaseSync(path.join(folder, 'flight.db'), { readOnly: true });
  const row = reader.prepare('select * from event').get();
  reader.close();
  return row;
}

describe('an error', () => {
  it('is on disk, as it was thrown, when keeping it resolves', async () => {
    await errorStore.keep(toKeep());
    expect(await readCommitted()).toMatchObject({ digest: record.digest, fingerprint: '', message: 'no basket' });
  });

  it('gets what source maps say into the same row; who reads it meanwhile waits', async () => {
    await errorStore.keep(toKeep());
    let isRead = false;
    const reading = findErrorDetails(record.digest).then((details) => {
      isRead = true;
      return details;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isRead).toBe(false);
    await errorStore.complete({ ...record, ...understanding });
    const { grouping: _, ...stored } = understanding;
    expect((await reading)?.server).toMatchObject({ ...record, ...stored });
    const texts = record.name + record.path + record.message + record.stack + JSON.stringify(understanding.frames);
    const size = Buffer.byteLength(`${texts}[][][]`);
    expect((await readCommitted())?.['bytes']).toBe(size);
  });

  it('is shown as far as it is known when what is to come takes longer than a second', async () => {
    await errorStore.keep(toKeep());
    await openStore();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const reading = findErrorDetails(record.digest);
    await vi.advanceTimersByTimeAsync(1_000);
    expect((await reading)?.server).toMatchObject({ digest: record.digest, fingerprint: '', frames: [] });
    vi.useRealTimers();
    await errorStore.complete({ ...record, ...understanding });
  });

  it('is one write when no map has to be read for it', async () => {
    await errorStore.keep(toKeep({ understanding }));
    expect(await readCommitted()).toMatchObject({ fingerprint: understanding.fingerprint });
    const texts = record.name + record.path + record.message + record.stack + JSON.stringify(understanding.frames);
    const size = Buffer.byteLength(`${texts}[][]`);
    expect((await readCommitted())?.['bytes']).toBe(size);
    const store = await openStore();
    const commit = vi.spyOn(store, 'commit');
    await errorStore.complete({ ...record, ...understanding });
    expect(commit).not.toHaveBeenCalled();
  });

  it('keeps the breadcrumbs of its request, without secrets, the newest within 64 KiB', async () => {
    const long = Array.from({ length: 100 }, (_, index) => ({
      time: index,
      category: 'page-data',
      message: `${index} ${'x'.repeat(2_000)}`,
      level: 'info' as const,
      data: { url: 'http://127.0.0.1:1/a', token: 'abc', status: 502 },
    }));
    await errorStore.keep(toKeep({ understanding, breadcrumbs: long }));
    const breadcrumbs = (await findErrorDetails(record.digest))?.breadcrumbs ?? [];
    expect(breadcrumbs.at(-1)).toMatchObject({
      side: 'server',
      time: 99,
      data: { url: 'http://127.0.0.1:1/a', token: '[Filtered]', status: '502' },
    });
    expect(breadcrumbs.length).toBeGreaterThan(20);
    expect(String((await readCommitted())?.['breadcrumbs_json']).length).toBeLessThan(64 * 1024 + 200);
  });

  it('whose process ended before its stack was read is completed by the next one, by its own build alone', async () => {
    const foreign = { ...record, digest: '0000000001', release: 'build-0' };
    await errorStore.keep(toKeep());
    // The stack is cut before the message ends, so its lines may be the message's.
    const cut = { ...record, digest: '0000000002', message: 'another message than the stack begins with' };
    await errorStore.keep(toKeep({ record: foreign }));
    await errorStore.keep(toKeep({ record: cut }));
    const store = await openStore();
    expect(await completeErrors(store, 'build-1')).toBe(3);
    const rows = await store.db
      .selectFrom('event')
      .where('side', '=', 'server')
      .select(['fingerprint', 'frames_json'])
      .orderBy('digest')
      .execute();
    expect(rows.map(({ frames_json }) => JSON.parse(frames_json).length)).toEqual([0, 0, 1]);
    expect(rows.map(({ fingerprint }) => /^[\da-f]{16}$/.test(fingerprint))).toEqual([true, true, true]);
    expect(await completeErrors(store, 'build-1')).toBe(0);
    await errorStore.complete({ ...record, ...understanding });
    await errorStore.complete({ ...foreign, ...understanding });
    await errorStore.complete({ ...cut, ...understanding });
  });
});

it('what a crash left is left to the next start when there is no room for it', async () => {
  await errorStore.keep(toKeep());
  const store = await openStore();
  const commit = vi.spyOn(store, 'commit').mockResolvedValue('no-room');
  expect(await completeErrors(store, 'build-1')).toBe(1);
  expect(commit).toHaveBeenCalledOnce();
  commit.mockRestore();
  await errorStore.complete({ ...record, ...understanding });
});

describe('a disk that does not answer', () => {
  it('lets the digest go after a second; the log line is the record, and who looks it up is told', async () => {
    const store = await openStore();
    const disk = Promise.withResolvers<'committed'>();
    vi.spyOn(store, 'commit').mockReturnValue(disk.promise);
    vi.useFakeTimers();
    let isOut = false;
    const out = errorStore.keep(toKeep({ understanding })).then(() => (isOut = true));
    await vi.advanceTimersByTimeAsync(999);
    expect([isOut, findUnkept(record.digest)]).toEqual([false, undefined]);
    await vi.advanceTimersByTimeAsync(1);
    await out;
    expect(findUnkept(record.digest)).toEqual({
      time: 1_000,
      type: 'logged',
      reason: 'the disk did not take it within 1 s',
    });
    expect(lines).toMatchObject([{ event: 'error-not-stored-in-time', digest: record.digest }]);
    disk.resolve('committed');
    await vi.advanceTimersByTimeAsync(0);
    expect(findUnkept(record.digest)).toBeUndefined();
    expect(lines).toHaveLength(1);
  });

  it('or has no room does not hold the digest at all', async () => {
    const before = countUnstoredErrors();
    const store = await openStore();
    vi.spyOn(store, 'commit').mockResolvedValue('no-room');
    await errorStore.keep(toKeep({ understanding }));
    expect(countUnstoredErrors()).toBe(before + 1);
    expect(findUnkept(record.digest)).toMatchObject({ type: 'logged', reason: 'the data folder has no room left' });
    expect(lines).toMatchObject([{ event: 'error-not-stored', digest: record.digest }]);
  });
});
