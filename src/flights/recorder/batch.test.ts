import { expect, it } from 'vitest';

import { createBatch, createSlabPool } from './batch.ts';
import { createBudget } from '../flight/budget.ts';
import { travellers, type FlightHead } from '../flight/flight-head.ts';
import { createSampleHead } from './testing/sample-head.ts';
import { unpackEntries } from '../writer/unpack-entries.ts';

const nothing = new Uint8Array();

function createHead(head: Partial<FlightHead> = {}): FlightHead {
  return createSampleHead({
    requestId: '1'.repeat(32),
    traceId: '2'.repeat(32),
    kind: 'action',
    method: 'POST',
    path: '/lab',
    route: '/lab',
    build: 'b',
    startedAt: 1_763_760_000_123,
    durationMs: 12.34,
    bytes: 10,
    keptBytes: 9,
    chunks: [[1.25, 10, 0]],
    elements: ['root'],
    actionId: 'f#a',
    actionType: 'text/plain',
    actionBytes: 4,
    ...head,
  });
}

/** Each differs from the first in one thing. */
const heads: readonly FlightHead[] = [
  createHead(),
  createHead({ requestId: '3'.repeat(32) }),
  createHead({ traceId: '' }),
  createHead({ visit: '4'.repeat(32) }),
  createHead({ kind: 'document' }),
  createHead({ method: 'GET' }),
  createHead({ path: '/\nlab\u{1F6EB}' }),
  createHead({ query: 'a&b' }),
  createHead({ route: '/other' }),
  createHead({ build: '' }),
  createHead({ status: 500 }),
  createHead({ rendering: 'static' }),
  createHead({ content: 'none' }),
  createHead({ outcome: 'failed' }),
  createHead({ startedAt: 5 }),
  createHead({ durationMs: 0 }),
  createHead({ bytes: 2 ** 40 }),
  createHead({ keptBytes: 0 }),
  createHead({ etag: '"e"' }),
  createHead({ digests: ['3F7K2M9QRT', 'ABCDEFGHJK'] }),
  createHead({ chunks: [] }),
  createHead({
    chunks: [
      [1, 2, 1],
      [3.5, 4, 0],
    ],
  }),
  createHead({ elements: [] }),
  createHead({ elements: ['root', 'page:/\n"é'] }),
  createHead({ elided: ['root'] }),
  createHead({ elided: ['layout'] }),
  createHead({ debugBytes: 7 }),
  createHead({ actionId: null, actionType: null, actionBytes: 0 }),
  createHead({ actionId: 'f#b' }),
  createHead({ actionType: 'text/html' }),
  createHead({ actionBytes: 5 }),
  createHead({ secrets: [{ name: 'token\n', value: 'ü\n,"' }] }),
  createHead({ hits: 3, lastAt: 9 }),
  createHead({ hits: 3, lastAt: 0, hitsBefore: 7 }),
];

function send(all: readonly FlightHead[], payload: Uint8Array | string = 'p') {
  const batch = createBatch(createSlabPool(createBudget()));
  for (const head of all) expect(batch.add(head, [payload], ['dé'], Buffer.from('args'))).toBe(true);
  return batch.close();
}

it('heads arrive as they were sent, whatever they share', () => {
  const twice = [...heads, ...heads.toReversed()];
  const closed = send(twice);
  const entries = [...unpackEntries(closed)];
  expect(entries.map(({ head }) => head)).toEqual(twice);
  for (const { payload, debug, args } of entries) {
    expect([payload, debug, args].map((bytes) => Buffer.from(bytes).toString())).toEqual(['p', 'dé', 'args']);
  }
});

/** Another value than the one in `head`, of the same type. */
function change(value: unknown, type: string): unknown {
  if (Array.isArray(value)) return value.length === 0 ? ['changed'] : [];
  return type.startsWith('text') ? `${String(value ?? '')}changed` : Number(value ?? 0) + 1;
}

it('every field of the list arrives, and its change is noticed', () => {
  for (const { field, type } of travellers) {
    if (field === 'chunks') continue;
    const head = createHead();
    const changed = createHead({ [field]: change(head[field], type) });
    expect(changed[field]).not.toEqual(head[field]);
    expect([...unpackEntries(send([head, changed]))].map((entry) => entry.head)).toEqual([head, changed]);
  }
});

it('what flights share is sent once', () => {
  const same = Array.from({ length: 50 }, (_, index) => createHead({ requestId: String(index) }));
  expect(send(same).shapes).toHaveLength(send(same.slice(0, 1)).shapes.length);
});

it('flights of any length come one after the other, in as many slabs as they need', () => {
  const lengths = [1, 700_001, 3, 500_000, 1_500_003, 5];
  const batch = createBatch(createSlabPool(createBudget()));
  for (const [index, length] of lengths.entries()) {
    const head = createHead({ path: `/${index}` });
    expect(batch.add(head, [Buffer.alloc(length, index)], [], nothing)).toBe(true);
  }
  const entries = [...unpackEntries(batch.close())];
  expect(entries.map(({ head }) => head.path)).toEqual(lengths.map((_, index) => `/${index}`));
  for (const [index, { payload }] of entries.entries()) {
    expect(Buffer.compare(payload, Buffer.alloc(lengths[index] ?? 0, index))).toBe(0);
  }
});

it('a head costs what is left of the budget, and no more', () => {
  const budget = createBudget(1024 * 1024);
  const batch = createBatch(createSlabPool(budget));
  expect(batch.add(createHead(), [Buffer.alloc(1_000_000)], [], nothing)).toBe(true);
  expect(batch.add(createHead({ path: '/another' }), [Buffer.alloc(100_000)], [], nothing)).toBe(false);
  expect(batch.add(createHead(), [Buffer.alloc(1_000)], [], nothing)).toBe(true);
  expect([...unpackEntries(batch.close())]).toHaveLength(2);
});
