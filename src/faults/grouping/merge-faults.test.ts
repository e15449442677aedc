import { describe, expect, it } from 'vitest';

import { useOperator } from '#src/access/testing/use-operator.ts';
import { openStore } from '#src/store/open-store.ts';

import { mergeFaults, splitFault } from './merge-faults.ts';
import { readFault } from './read-faults.ts';
import { readTriageNotice } from './read-notice.ts';
import {
  readFaultRow,
  readSums,
  readActivityTypes,
  storeError,
  storeUntrusted,
  useStore,
} from './testing/use-store.ts';
import { triageFaults } from './triage.ts';
import type { TriageResult } from './triage-result.ts';
import { undoActivities } from './undo-activities.ts';

useOperator();
useStore();

function batchOf(result: TriageResult): string {
  if (result.type !== 'done') throw new Error(`Nothing was done: ${JSON.stringify(result)}`);
  return result.batch;
}

async function storeTwo() {
  const one = await storeError({ message: 'one', received_at: 1_000, release: 'v1', user_key: 'a' });
  await storeError({ message: 'one', received_at: 5_000, release: 'v5', user_key: 'b' });
  const other = await storeError({ message: 'other', received_at: 3_000, release: 'v3', user_key: 'b' });
  return { one, other };
}

describe('merging', () => {
  it('adds up what both have, in the older one; the other’s address leads there', async () => {
    const { one, other } = await storeTwo();
    const batch = batchOf(await mergeFaults([other.fault, one.fault]));
    expect(await readFaultRow(one.fault)).toMatchObject({
      count: 3,
      users: 2,
      first_time: 1e3,
      last_time: 5e3,
      first_release: 'v1',
      last_release: 'v5',
      unseen: null,
    });
    expect(await readFaultRow(other.fault)).toMatchObject({ merged_into: one.fault, count: 0, users: 0, unseen: null });
    expect(await readFault(other.fault)).toMatchObject({ id: one.fault });
    const { db } = await openStore();
    expect(await db.selectFrom('event').where('side', '=', 'server').select('fault').distinct().execute()).toEqual([
      { fault: one.fault },
    ]);
    expect(await readTriageNotice(batch)).toMatchObject({ activity: 'merged', count: 2 });
    expect(await readActivityTypes(other.fault)).toEqual(['first-seen', 'merged']);
    const next = await storeError({ message: 'other', received_at: 6_000 });
    expect(next.fault).toBe(one.fault);
  });

  it('keeps the one that is named', async () => {
    const { one, other } = await storeTwo();
    await mergeFaults([one.fault], other.fault);
    expect(await readFaultRow(one.fault)).toMatchObject({ merged_into: other.fault });
    expect(await readFaultRow(other.fault)).toMatchObject({ count: 3, message: 'one' });
  });

  it('is undone exactly', async () => {
    const { one, other } = await storeTwo();
    const store = await openStore();
    const before = await readSums(store);
    const batch = batchOf(await mergeFaults([one.fault, other.fault]));
    expect(await undoActivities({ batch })).toMatchObject({ type: 'done', batch });
    expect(await readSums(store)).toEqual(before);
  });

  it('is undone with what came since, by any of its activities', async () => {
    const { one, other } = await storeTwo();
    const result = await mergeFaults([one.fault, other.fault]);
    await storeError({ message: 'other', received_at: 9_000, release: 'v9', user_key: 'c' });
    await storeError({ message: 'one', received_at: 8_000, release: 'v8' });
    const [, second = ''] = result.type === 'done' ? result.activities : [];
    await undoActivities({ activities: [second] });
    expect(await readFaultRow(other.fault)).toMatchObject({
      merged_into: null,
      count: 2,
      users: 2,
      first_time: 3e3,
      last_time: 9e3,
      last_release: 'v9',
      unseen: 'new',
    });
    expect(await readFaultRow(one.fault)).toMatchObject({ count: 3, users: 2, last_time: 8_000, message: 'one' });
    const { db } = await openStore();
    const rows = await db
      .selectFrom('event')
      .where('side', '=', 'server')
      .select(['message', 'fault'])
      .distinct()
      .orderBy('message')
      .execute();
    expect(rows).toEqual([
      { message: 'one', fault: one.fault },
      { message: 'other', fault: other.fault },
    ]);
  });

  it('into a resolved fault reopens it when the other is open, and undoing resolves it again', async () => {
    const { one, other } = await storeTwo();
    await triageFaults([one.fault], { type: 'resolve' }, 6_000);
    const batch = batchOf(await mergeFaults([one.fault, other.fault], undefined, 7_000));
    expect(await readFaultRow(one.fault)).toMatchObject({ state: 'open', state_time: 7_000 });
    await undoActivities({ batch });
    expect(await readFaultRow(one.fault)).toMatchObject({ state: 'resolved', state_time: 6_000 });
  });

  it('is undone also when its state was changed since; the state stays', async () => {
    const { one, other } = await storeTwo();
    const batch = batchOf(await mergeFaults([one.fault, other.fault]));
    await triageFaults([one.fault], { type: 'mute' });
    expect(await undoActivities({ batch })).toMatchObject({ type: 'done' });
    expect(await readFaultRow(one.fault)).toMatchObject({ state: 'muted', count: 2 });
    expect(await readFaultRow(other.fault)).toMatchObject({ state: 'open', count: 1, merged_into: null });
  });

  it('says when undone that a resolved fault has regressed meanwhile', async () => {
    const { one, other } = await storeTwo();
    await triageFaults([other.fault], { type: 'resolve' }, 6_000);
    const batch = batchOf(await mergeFaults([one.fault, other.fault], undefined, 7_000));
    await storeError({ message: 'other', received_at: 8_000 });
    await undoActivities({ batch });
    expect(await readFaultRow(other.fault)).toMatchObject({ state: 'open', unseen: 'regressed' });
    expect(await readActivityTypes(other.fault)).toEqual(['first-seen', 'resolved', 'merged', 'regressed']);
  });

  it('cannot be undone before what was merged or split after it', async () => {
    const { one, other } = await storeTwo();
    const third = await storeError({ message: 'third', received_at: 500 });
    const inner = batchOf(await mergeFaults([one.fault, other.fault]));
    const outer = batchOf(await mergeFaults([one.fault, third.fault]));
    expect(await readFault(other.fault)).toMatchObject({ id: third.fault, count: 4 });
    expect(await undoActivities({ batch: inner })).toEqual({ type: 'refused', reason: 'changed-since' });
    await undoActivities({ batch: outer });
    expect(await undoActivities({ batch: inner })).toMatchObject({ type: 'done' });
    for (const [fault, count] of [
      [one.fault, 2],
      [other.fault, 1],
      [third.fault, 1],
    ] as const) {
      expect(await readFaultRow(fault)).toMatchObject({ count, merged_into: null });
    }
  });

  it('cannot be undone while it would leave the other fault with nothing', async () => {
    const { one, other } = await storeTwo();
    const batch = batchOf(await mergeFaults([one.fault, other.fault]));
    const split = batchOf(await splitFault(one.fault, [one.hash]));
    expect(await undoActivities({ batch })).toEqual({ type: 'refused', reason: 'changed-since' });
    await undoActivities({ batch: split });
    expect(await undoActivities({ batch })).toMatchObject({ type: 'done' });
  });

  it('is refused across apps, of one, and of what is gone', async () => {
    const { one, other } = await storeTwo();
    const blog = await storeError({ app: 'blog' });
    expect(await mergeFaults([one.fault, blog.fault])).toEqual({ type: 'refused', reason: 'different-apps' });
    expect(await mergeFaults([one.fault, one.fault])).toEqual({ type: 'refused', reason: 'only-one' });
    expect(await mergeFaults([])).toEqual({ type: 'refused', reason: 'nothing-chosen' });
    expect(await mergeFaults([one.fault, 'nothere1'])).toEqual({ type: 'refused', reason: 'gone' });
    await mergeFaults([one.fault, other.fault]);
    expect(await mergeFaults([one.fault, other.fault])).toEqual({ type: 'refused', reason: 'gone' });
    expect(await triageFaults([other.fault], { type: 'mute' })).toEqual({ type: 'refused', reason: 'gone' });
  });

  it('of a fault of browsers into a server’s makes its errors untrusted there', async () => {
    const server = await storeError({ message: 'one', received_at: 5_000 });
    const untrusted = await storeUntrusted({ message: 'seen', received_at: 1_000 });
    await mergeFaults([server.fault, untrusted.fault ?? '']);
    expect(await readFaultRow(untrusted.fault ?? '')).toMatchObject({
      side: 'server',
      count: 1,
      untrusted: 1,
      message: 'one',
    });
    await triageFaults([untrusted.fault ?? ''], { type: 'resolve' }, 6_000);
    expect((await storeUntrusted({ message: 'seen', received_at: 7_000 })).activity).toBeUndefined();
  });

  it('takes feedback along, and gives it back', async () => {
    const { one, other } = await storeTwo();
    const { db } = await openStore();
    const given = {
      name: '',
      email: '',
      message: '',
      path: '',
      bytes: 0,
      source: 'sdk',
      received_at: 1,
      app: 'shop',
    } as const;
    await db
      .insertInto('feedback')
      .values({ ...given, id: 'f1', fault: other.fault, event_id: null, digest: null, trace_id: null })
      .execute();
    const batch = batchOf(await mergeFaults([one.fault, other.fault]));
    expect(await db.selectFrom('feedback').select('fault').execute()).toEqual([{ fault: one.fault }]);
    await undoActivities({ batch });
    expect(await db.selectFrom('feedback').select('fault').execute()).toEqual([{ fault: other.fault }]);
  });
});

describe('splitting', () => {
  async function storeMerged() {
    const { one, other } = await storeTwo();
    await mergeFaults([one.fault, other.fault]);
    return { fault: one.fault, hashes: [one.hash, other.hash] };
  }

  it('makes a fault of the chosen hashes, with their counts and rows', async () => {
    const { fault, hashes } = await storeMerged();
    const result = await splitFault(fault, hashes.slice(1));
    expect(await readTriageNotice(batchOf(result))).toMatchObject({ activity: 'split', count: 2 });
    expect(await readFaultRow(fault)).toMatchObject({ count: 2, users: 2 });
    const { db } = await openStore();
    const other = await db.selectFrom('fault').selectAll().where('count', '=', 1).executeTakeFirstOrThrow();
    expect(other).toMatchObject({
      message: 'other',
      users: 1,
      first_time: 3_000,
      last_time: 3_000,
      state: 'open',
      unseen: null,
    });
    expect((await storeError({ message: 'other' })).fault).toBe(other.id);
  });

  it('is undone exactly, with what came since', async () => {
    const { fault, hashes } = await storeMerged();
    const before = await readFaultRow(fault);
    const batch = batchOf(await splitFault(fault, hashes.slice(0, 1)));
    const since = await storeError({ message: 'one', received_at: 5_000, user_key: 'b', release: 'v5' });
    expect(since.fault).not.toBe(fault);
    await undoActivities({ batch });
    expect(await readFaultRow(fault)).toEqual({ ...before, count: 4 });
    expect(await readFaultRow(since.fault)).toMatchObject({ merged_into: fault, count: 0 });
    expect(await readFault(since.fault)).toMatchObject({ id: fault });
  });

  it('leaves at least one hash, and takes only hashes that are there', async () => {
    const { fault, hashes } = await storeMerged();
    expect(await splitFault(fault, hashes)).toEqual({ type: 'refused', reason: 'all-hashes' });
    expect(await splitFault(fault, ['nothere'])).toEqual({ type: 'refused', reason: 'gone' });
    expect(await splitFault(fault, [])).toEqual({ type: 'refused', reason: 'nothing-chosen' });
    expect(await splitFault('nothere1', hashes.slice(1))).toEqual({ type: 'refused', reason: 'gone' });
  });
});

/** A small generator of the same numbers each time. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

/** What the sums have to be, from the rows alone. */
async function checkSums(): Promise<void> {
  const { db } = await openStore();
  const errors = await db
    .selectFrom('event')
    .where('side', '=', 'server')
    .select(['fault', 'fingerprint', 'received_at', 'user_key'])
    .execute();
  const ofBrowsers = await db
    .selectFrom('event')
    .where('side', '=', 'browser')
    .select(['fault', 'fingerprint', 'received_at', 'user_key'])
    .execute();
  const hashes = new Map(
    (await db.selectFrom('fault_hash').select(['hash', 'fault']).execute()).map((row) => [row.hash, row.fault]),
  );
  for (const row of [...errors, ...ofBrowsers]) expect(row.fault).toBe(hashes.get(row.fingerprint));
  for (const fault of await db.selectFrom('fault').selectAll().execute()) {
    const [own, untrusted] = [
      errors.filter((row) => row.fault === fault.id),
      ofBrowsers.filter((row) => row.fault === fault.id),
    ];
    // Of a hash that a server had, what browsers report names no users.
    const told = new Set(own.map(({ fingerprint }) => fingerprint));
    const counted = [...own, ...untrusted.filter(({ fingerprint }) => !told.has(fingerprint))];
    const users = new Set(counted.flatMap(({ user_key }) => user_key ?? []));
    expect([fault.count, fault.untrusted]).toEqual([own.length, untrusted.length]);
    if (fault.merged_into !== null) expect(own.length + untrusted.length).toBe(0);
    else {
      expect(fault.users).toBe(users.size);
      const telling = own.length > 0 ? own : untrusted;
      expect(fault.first_time).toBe(Math.min(...telling.map(({ received_at }) => received_at)));
      expect(fault.side).toBe(own.length > 0 ? 'server' : 'browser');
    }
  }
}

it.each([1, 2, 3, 4])('keeps sums equal to rows, whatever is merged, split and undone: %i', async (seed) => {
  const random = createRandom(seed);
  const { db } = await openStore();
  const batches: string[] = [];
  let time = 1_000;
  async function pick(): Promise<string> {
    const faults = await db.selectFrom('fault').select('id').where('merged_into', 'is', null).orderBy('id').execute();
    return faults[random(faults.length)]?.id ?? '';
  }
  async function step(): Promise<TriageResult | undefined> {
    time += 1 + random(3_000_000);
    const parts = { message: `m${'abcdef'.charAt(random(6))}`, received_at: time, user_key: `u${random(4)}` };
    const action = random(10);
    if (action < 4) return void (await storeError(parts));
    if (action < 6) return void (await storeUntrusted(parts));
    if (action < 8) return mergeFaults([await pick(), await pick(), await pick()]);
    if (action < 9) {
      const fault = await pick();
      const hashes = await db.selectFrom('fault_hash').select('hash').where('fault', '=', fault).execute();
      return splitFault(
        fault,
        hashes.slice(1).map(({ hash }) => hash),
      );
    }
    const batch = batches[random(batches.length)];
    return batch === undefined ? undefined : void (await undoActivities({ batch }));
  }
  for (let at = 0; at < 80; at += 1) {
    const result = await step();
    if (result?.type === 'done') batches.push(result.batch);
    if (at % 8 === 0) await checkSums();
  }
  // Backwards, all that was done can be undone.
  for (const batch of batches.toReversed()) expect((await undoActivities({ batch })).type).not.toBe('refused');
  await checkSums();
  const merged = await db
    .selectFrom('fault')
    .select('id')
    .where('merged_into', 'is not', null)
    .where('first_time', '>', 0)
    .execute();
  const split = await db
    .selectFrom('fault_activity')
    .select('id')
    .where('type', '=', 'split')
    .where('undone', 'is', null)
    .execute();
  expect(split).toEqual([]);
  const splitFaults = await db.selectFrom('fault_activity').select('fault').where('type', '=', 'first-seen').execute();
  expect(merged.every(({ id }) => !splitFaults.some(({ fault }) => fault === id))).toBe(true);
});
