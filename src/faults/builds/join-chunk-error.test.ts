import { randomBytes } from 'node:crypto';

import { afterEach, expect, it } from 'vitest';

import { useOperator } from '#src/access/testing/use-operator.ts';
import type { FlightHead } from '#src/flights/flight/flight-head.ts';
import { currentWriter } from '#src/flights/recorder/recorder.ts';
import { createSampleHead } from '#src/flights/recorder/testing/sample-head.ts';
import { useRecorder } from '#src/flights/recorder/testing/use-recorder.ts';
import { openStore } from '#src/store/open-store.ts';

import { ingestEnvelope } from '../receive/ingest-envelope.ts';
import { storeOldTabs } from './store-old-tabs.ts';

useOperator();

useRecorder();

afterEach(async () => {
  for (const store of globalThis.__FLIGHT_STORES__?.values() ?? []) await (await store).close();
});

const hex = () => randomBytes(16).toString('hex');

async function answer(build: string, more: Partial<FlightHead> = {}): Promise<string> {
  const writer = currentWriter();
  const requestId = hex();
  const none = { payload: [], debug: [], args: new Uint8Array() };
  writer.add(
    createSampleHead({ requestId, app: 'shop', build, source: 'proxy', startedAt: Date.now(), ...more }),
    none,
  );
  await writer.flush();
  return requestId;
}

type Told = { readonly type?: string; readonly value?: string; readonly release?: string; readonly document?: string };

async function tell({ type = 'ChunkLoadError', value = 'Loading chunk 817 failed.', release, document }: Told = {}) {
  const frames = [{ function: 'r', filename: 'http://app/_next/static/chunks/main.js', lineno: 1, colno: 9 }];
  const exception = { values: [{ type, value, stacktrace: { frames } }] };
  const contexts = document === undefined ? {} : { trace: { trace_id: document, span_id: 'a'.repeat(16) } };
  const lines = [{ event_id: hex() }, { type: 'event' }, { exception, release, contexts }];
  const bytes = new TextEncoder().encode(lines.map((line) => JSON.stringify(line)).join('\n'));
  expect(await ingestEnvelope(bytes, { app: 'shop', side: 'browser' })).toMatchObject({ status: 'stored' });
}

async function readFaults() {
  const { db } = await openStore();
  const rows = await db
    .selectFrom('fault')
    .select(['name', 'message', 'level', 'side', 'count', 'untrusted'])
    .orderBy('first_time')
    .execute();
  return rows.map(({ name, message, level, side, count, untrusted }) => [name, message, level, side, count, untrusted]);
}

it('a chunk that is gone for a tab of an earlier build is told with its old tabs, and says which it was', async () => {
  await answer('a');
  await answer('b');
  await answer('a', { kind: 'prefetch' });
  await tell({ release: 'a' });
  const message = 'This tab is from build a, you serve build b';
  expect(await readFaults()).toEqual([['OldTab', message, 'warning', 'browser', 0, 1]]);
  const { db } = await openStore();
  const [row] = await db.selectFrom('event').select(['causes_json', 'frames_json']).execute();
  expect(row?.causes_json).toContain('Loading chunk 817 failed.');
  expect(row?.causes_json).toContain('/_next/static/chunks/main.js');
  const request = { app: 'shop', build: 'b', tabBuild: 'a', kind: 'slice', method: 'GET', path: '/a.js' } as const;
  const seen = { route: '/a.js', status: 404, framework: 'next', requestId: hex(), traceId: hex(), visit: 'ada' };
  await storeOldTabs([{ ...request, ...seen, startedAt: Date.now() }], Date.now());
  expect(await readFaults()).toEqual([['OldTab', message, 'warning', 'server', 1, 1]]);
});

it.each([
  'Failed to fetch dynamically imported module: https://shop.example/assets/page-1.js',
  'error loading dynamically imported module: https://shop.example/assets/page-1.js',
  'Importing a module script failed.',
  'Unable to preload CSS for /assets/page-1.css',
])('whatever bundlers and browsers call it: %s', async (value) => {
  await answer('b');
  await tell({ type: 'TypeError', value, release: 'a' });
  expect((await readFaults()).map(([name]) => name)).toEqual(['OldTab']);
});

it('an action that the build does not have, as a browser of Next.js tells it', async () => {
  await answer('b');
  await tell({
    type: 'UnrecognizedActionError',
    value: 'Server Action "40" was not found on the server.',
    release: 'a',
  });
  expect((await readFaults()).map(([name]) => name)).toEqual(['OldTab']);
});

it('the document’s own flight knows its build better than a report says it', async () => {
  const document = await answer('a');
  const other = await answer('b');
  await tell({ document });
  await tell({ document: other, release: 'a' });
  expect((await readFaults()).map(([name, , , , , untrusted]) => [name, untrusted])).toEqual([
    ['OldTab', 1],
    ['ChunkLoadError', 1],
  ]);
});

it('is a fault of its own in a tab of the build that is served, where no build is known, and for other errors', async () => {
  await tell({ release: 'a' });
  await answer('b');
  await tell({ release: 'b' });
  await tell();
  await tell({ release: 'a', type: 'TypeError', value: 'x is not a function' });
  expect((await readFaults()).map(([name]) => name)).toEqual(['ChunkLoadError', 'TypeError']);
});
