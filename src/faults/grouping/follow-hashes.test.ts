import { describe, expect, it, vi } from 'vitest';

import { useOperator } from '#src/access/testing/use-operator.ts';
import { computeGrouping } from '#src/runtime/errors/fingerprint.ts';
import { openStore } from '#src/store/open-store.ts';

import { readPast } from '../digests/find-past.ts';
import { findFaultPage } from './find-fault-page.ts';
import { followedAtOnce, followRest } from './follow-hashes.ts';
import { mergeFaults, splitFault } from './merge-faults.ts';
import { partRest, splitFaultBy } from './split-by.ts';
import { readFaultRow, readSums, storeError, storeUntrusted, useStore } from './testing/use-store.ts';
import type { TriageResult } from './triage-result.ts';
import { undoActivities } from './undo-activities.ts';

useOperator();
vi.mock('#src/access/require-reader.ts', () => ({ requireReader: () => ({ kind: 'login-off' }) }));
// As if the process ended with the form's answer: what is left is for the next start.
const isKilled = vi.hoisted(() => ({ value: false }));
vi.mock('node:timers/promises', async (importActual) => {
  const actual = await importActual<typeof import('node:timers/promises')>();
  return { ...actual, setTimeout: () => (isKilled.value ? new Promise(() => undefined) : Promise.resolve()) };
});
useStore();

function batchOf(result: TriageResult): string {
  if (result.type !== 'done') throw new Error(JSON.stringify(result));
  return result.batch;
}

const rows = 5 * followedAtOnce;

/** One as told, and copies of it: its line of source differs in every third. */
async function storeMany(message: string) {
  const frame = { fn: 'save', file: '/srv/save.js', source: 'src/save.ts', line: 3, column: 1, inApp: true };
  const lines = ['a();', 'a();', 'b();'].map((text) =>
    JSON.stringify([{ ...frame, context: { firstLine: 3, lines: [text] } }]),
  );
  const grouping = computeGrouping({ name: 'Error', message, frames: [], given: [message] });
  const one = await storeError({ message, grouping, received_at: 9_000, frames_json: lines[0] ?? '' });
  await storeUntrusted({ message, grouping, received_at: 9_500 });
  const { db, transact } = await openStore();
  const row = await db
    .selectFrom('event')
    .where('side', '=', 'server')
    .selectAll()
    .where('id', '=', one.id)
    .executeTakeFirstOrThrow();
  // Where the database numbers rows in a column of its own.
  Reflect.deleteProperty(row, 'rowid');
  await transact(async (trx) => {
    for (let at = 1; at < rows; at += 1) {
      const copy = {
        ...row,
        id: `${message}${at}`,
        digest: `${message}-${at}`,
        time: at,
        frames_json: lines[at % 3] ?? '',
      };
      await trx.insertInto('event').values(copy).execute();
    }
  });
  return one;
}

/** Without the faults: they are called by what these rows say, which were not noted one by one. */
async function readPlaces() {
  const { hashes, errors, untrusted } = await readSums(await openStore());
  return { hashes, errors, untrusted };
}

async function countKept(fault: string): Promise<number> {
  const { db } = await openStore();
  const kept = await db.selectFrom('kept_fault').select('rows').where('fault', '=', fault).execute();
  return kept.reduce((sum, one) => sum + one.rows, 0);
}

async function killed<T>(run: () => Promise<T>): Promise<T> {
  isKilled.value = true;
  const result = await run();
  isKilled.value = false;
  const { close } = await openStore();
  await close();
  return result;
}

async function startAgain(): Promise<void> {
  const store = await openStore();
  await followRest(store);
  await partRest(store);
}

describe('the rows of a fault that has many', () => {
  it('follow in slices, and after the next start where the process ended', async () => {
    const large = await storeMany('large');
    const small = await storeError({ message: 'small' });
    const before = await readPlaces();
    const batch = batchOf(await killed(() => mergeFaults([large.fault], small.fault)));
    const moved = await countKept(small.fault);
    expect(moved).toBeGreaterThan(followedAtOnce / 2);
    expect(moved + (await countKept(large.fault))).toBe(rows + 2);
    expect(await countKept(large.fault)).toBeGreaterThan(rows / 2);
    expect(await readFaultRow(small.fault)).toMatchObject({ count: 2, untrusted: 1, message: 'large' });
    const late = { type: 'found', isAskedGone: false, shown: { shown: { key: 'large1' } } };
    expect(await findFaultPage(small.fault, 'large1')).toMatchObject(late);

    await startAgain();
    expect([await countKept(large.fault), await countKept(small.fault)]).toEqual([0, rows + 2]);
    await killed(() => undoActivities({ batch }));
    expect(await countKept(small.fault)).toBeGreaterThan(rows / 2);
    await startAgain();
    expect(await readPlaces()).toEqual(before);
  });

  it('turn round where a merge is undone before all have followed', async () => {
    const large = await storeMany('large');
    const small = await storeError({ message: 'small' });
    const before = await readPlaces();
    const batch = batchOf(await killed(() => mergeFaults([large.fault], small.fault)));
    await killed(() => undoActivities({ batch }));
    await startAgain();
    expect(await readPlaces()).toEqual(before);
  });

  it('leave their digests to their hash, also when they are deleted before they followed', async () => {
    const large = await storeMany('large');
    const small = await storeError({ message: 'small' });
    await killed(() => mergeFaults([large.fault], small.fault));
    const { db } = await openStore();
    await db.deleteFrom('event').where('side', '=', 'server').where('id', '=', 'large1').execute();
    expect(await readPast(db, 'shop', 'large-1')).toMatchObject([{ fault: small.fault }]);
  });

  it('follow a hash that is split off', async () => {
    const large = await storeMany('large');
    const small = await storeError({ message: 'small', received_at: 1 });
    await mergeFaults([large.fault], small.fault);
    await startAgain();
    const split = batchOf(await killed(() => splitFault(small.fault, [large.hash])));
    expect(await countKept(small.fault)).toBeGreaterThan(rows / 2);
    await startAgain();
    expect(await countKept(small.fault)).toBe(1);
    expect(await readFaultRow(small.fault)).toMatchObject({ count: 1, message: 'small' });
    await undoActivities({ batch: split });
    await startAgain();
    expect(await countKept(small.fault)).toBe(rows + 2);
  });
});

describe('undoing a split by what tells errors apart', () => {
  it('joins parts in slices, and refuses what else is done to the fault until then', async () => {
    const large = await storeMany('large');
    const small = await storeError({ message: 'small' });
    const store = await openStore();
    const before = await readPlaces();
    const batch = batchOf(await splitFaultBy(large.fault, 'line'));
    await partRest(store);
    const users = Array.from({ length: 3 * followedAtOnce }, (_, at) => `u${at}`);
    const part = await store.db
      .selectFrom('fault_hash')
      .select(['app', 'hash'])
      .where('split_of', '=', large.hash)
      .executeTakeFirstOrThrow();
    await store.db
      .insertInto('fault_user')
      .values(users.map((user_key) => ({ ...part, user_key })))
      .execute();
    await killed(() => undoActivities({ batch }));
    const { errors } = await readPlaces();
    const joined = errors.filter(({ fingerprint }) => fingerprint === large.hash);
    expect(joined.length).toBeLessThan(rows / 2);
    const refused = { type: 'refused', reason: 'still-joining' };
    expect(await mergeFaults([large.fault, small.fault])).toEqual(refused);
    expect(await splitFault(large.fault, [part.hash])).toEqual(refused);
    expect(await splitFaultBy(large.fault, 'line')).toEqual(refused);
    expect(await undoActivities({ batch })).toEqual({ type: 'unchanged' });

    await startAgain();
    expect(await readPlaces()).toEqual(before);
    expect(await readFaultRow(large.fault)).toMatchObject({ untrusted: 1 });
    const { db } = await openStore();
    expect(await db.selectFrom('fault_user').select('hash').distinct().execute()).toEqual([{ hash: large.hash }]);
    expect(await splitFaultBy(large.fault, 'line')).toMatchObject({ type: 'done' });
  });
});
