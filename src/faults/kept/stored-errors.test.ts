import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';

import type { ErrorToKeep, RawErrorRecord, Understanding } from '#src/runtime/errors/error-record.ts';
import { openStore } from '#src/store/open-store.ts';

import { storeAppErrors } from '../app-errors/store-app-errors.ts';
import { completeErrors } from './complete-errors.ts';
import { useStore } from '../grouping/testing/use-store.ts';
import { ingestEnvelope } from '../receive/ingest-envelope.ts';
import { errorStore } from './record-error.ts';
import { onStoredErrors, storedCounts } from './stored-errors.ts';
import type { ExportedError } from '#src/flights/telemetry/exported.ts';

useStore();

let told: ExportedError[];

beforeEach(() => {
  told = [];
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(onStoredErrors((errors) => told.push(...errors)));
});

afterEach(() => vi.restoreAllMocks());

const record: RawErrorRecord = {
  digest: '3F7K2M9QRT',
  time: 1_000,
  phase: 'ssr',
  kind: 'navigation',
  method: 'GET',
  path: '/cart',
  requestId: '0454814822341377cbfdba46041ceca7',
  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
  release: 'build-1',
  name: 'TypeError',
  message: 'no basket at postgres://me:hunter2@db/shop',
  stack: 'TypeError: no basket at postgres://me:hunter2@db/shop\n    at Basket (/a.js:3:1)',
  componentStack: undefined,
  causes: [],
};
const understanding: Understanding = {
  fingerprint: '8c1f0a6b5d2e4970',
  grouping: { fingerprint: '8c1f0a6b5d2e4970', rule: 'frames', parts: ['TypeError', 'a|b'] },
  frames: [],
};

/** Waits for the row, also on a machine that is so busy that a page would not. */
async function keep(parts: Partial<ErrorToKeep> = {}): Promise<void> {
  await errorStore.keep({ record, understanding: undefined, breadcrumbs: [], ...parts });
  const { db } = await openStore();
  const find = db.selectFrom('event').where('side', '=', 'server').select('id').where('id', '=', record.digest);
  await vi.waitFor(async () => expect(await find.executeTakeFirst()).toBeDefined(), { timeout: 5_000 });
}

function count(side: string, phase: string): number {
  return storedCounts.read().find(({ first, second }) => first === side && second === phase)?.value ?? 0;
}

describe('an error of our own', () => {
  it('is told once, when it is committed with its fault, with the texts as they were stored', async () => {
    const before = count('server', 'ssr');
    await keep({ understanding });
    await vi.waitFor(() => expect(told).toHaveLength(1));
    const { db } = await openStore();
    const row = await db
      .selectFrom('event')
      .where('side', '=', 'server')
      .select(['message', 'stack', 'fault'])
      .executeTakeFirstOrThrow();
    expect(told).toEqual([
      {
        digest: record.digest,
        app: 'flight-recorder',
        fault: row.fault,
        time: 1_000,
        phase: 'ssr',
        kind: 'navigation',
        method: 'GET',
        path: '/cart',
        route: '',
        release: 'build-1',
        requestId: record.requestId,
        traceId: record.traceId,
        name: 'TypeError',
        message: row.message,
        stack: row.stack,
        hasFlight: true,
      },
    ]);
    expect(JSON.stringify(told)).not.toContain('hunter2');
    expect(count('server', 'ssr')).toBe(before + 1);
  });

  it('is told when its map has been read, and not before', async () => {
    await keep();
    expect(told).toEqual([]);
    await errorStore.complete({ ...record, ...understanding });
    expect(told).toMatchObject([{ digest: record.digest, fault: expect.any(String), stack: expect.any(String) }]);
    await errorStore.complete({ ...record, ...understanding });
    expect(told).toHaveLength(1);
  });

  it('that a crash left incomplete is told by the process that completes it, once', async () => {
    await keep();
    const store = await openStore();
    await completeErrors(store, 'build-1');
    await completeErrors(store, 'build-1');
    expect(told).toMatchObject([{ digest: record.digest, phase: 'ssr', requestId: record.requestId }]);
  });

  it('that was not committed is not told', async () => {
    await keep({ understanding });
    await vi.waitFor(() => expect(told).toHaveLength(1));
    // The same digest again: the row is refused.
    await keep({ understanding });
    expect(told).toHaveLength(1);
  });
});

const appError = {
  id: 'e1',
  time: Date.now(),
  name: 'Error',
  message: 'boom',
  phase: 'action',
  digest: '123',
} as const;

describe('an error of an app', () => {
  it('is told once, also when it is sent again or described better', async () => {
    await storeAppErrors('shop', [{ ...appError, reporter: 'log' }]);
    await storeAppErrors('shop', [{ ...appError, reporter: 'log' }]);
    await storeAppErrors('shop', [{ ...appError, id: 'e2', reporter: 'next' }]);
    expect(told).toMatchObject([{ app: 'shop', digest: '123', phase: 'action', hasFlight: false }]);
  });

  it('knows its flight where our plugin has sent it', async () => {
    await storeAppErrors('shop', [{ ...appError, id: 'e3', reporter: 'waku', framework: 'waku', digest: '124' }]);
    expect(told).toMatchObject([{ hasFlight: true }]);
  });
});

function toEnvelope(event: object): Uint8Array {
  return Buffer.from(`{}\n{"type":"event"}\n${JSON.stringify(event)}\n`);
}

describe('what SDKs send', () => {
  const exception = { values: [{ type: 'Error', value: 'sent by an SDK', stacktrace: { frames: [] } }] };

  it('is told of servers, and only counted of browsers', async () => {
    const before = count('browser', 'untrusted');
    await ingestEnvelope(toEnvelope({ event_id: 'a'.repeat(32), exception }), { app: 'shop', side: 'server' });
    await ingestEnvelope(toEnvelope({ event_id: 'b'.repeat(32), exception }), { app: 'shop', side: 'browser' });
    await ingestEnvelope(toEnvelope({ event_id: 'b'.repeat(32), exception }), { app: 'shop', side: 'browser' });
    expect(told).toMatchObject([{ app: 'shop', message: 'sent by an SDK' }]);
    expect(count('browser', 'untrusted')).toBe(before + 1);
  });
});
