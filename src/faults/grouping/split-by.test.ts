import { describe, expect, it } from 'vitest';

import { useOperator } from '#src/access/testing/use-operator.ts';
import { computeGrouping } from '#src/runtime/errors/fingerprint.ts';
import type { SourceFrame } from '#src/runtime/errors/source-maps.ts';
import { openStore } from '#src/store/open-store.ts';

import { readPast } from '../digests/find-past.ts';
import { mergeFaults } from './merge-faults.ts';
import { partRest, readTraitChoices, splitFaultBy } from './split-by.ts';
import {
  readFaultRow,
  readSums,
  readActivityTypes,
  storeError,
  storeUntrusted,
  useStore,
} from './testing/use-store.ts';
import { undoActivities } from './undo-activities.ts';

useOperator();
useStore();

function frameAt(text: string): SourceFrame {
  const context = { firstLine: 3, lines: [text] };
  return { fn: 'save', file: '/srv/save.js', source: 'src/save.ts', line: 3, column: 1, inApp: true, context };
}

type Told = { readonly line?: string; readonly cause?: string; readonly at?: number; readonly user?: string };

/** Errors that their sender calls one: so they have one fingerprint, whatever they differ in. */
function tell({ line = 'a();', cause, at = 1_000, user }: Told = {}) {
  const frames = [frameAt(line)];
  const causes = cause === undefined ? [] : [{ name: 'Error', message: cause, stack: '' }];
  return storeError({
    received_at: at,
    frames_json: JSON.stringify(frames),
    causes_json: JSON.stringify(causes),
    grouping: computeGrouping({ name: 'Error', message: 'failed', frames, causes, given: ['save'] }),
    ...(user === undefined ? {} : { user_key: user }),
  });
}

async function countOf(fault: string): Promise<readonly number[]> {
  const { count, untrusted, users } = await readFaultRow(fault);
  return [count, untrusted, users];
}

async function readFaultOf(id: string): Promise<string> {
  const { db } = await openStore();
  const row = await db
    .selectFrom('event')
    .where('side', '=', 'server')
    .select('fault')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return row.fault ?? '';
}

describe('splitFaultBy', () => {
  it('keeps the most frequent in the fault, and makes one of each other', async () => {
    const { fault } = await tell({ user: 'ada' });
    await tell({ user: 'bob' });
    const other = await tell({ line: 'b();', user: 'ada', at: 7_200_000 });
    expect(await countOf(fault)).toEqual([3, 0, 2]);
    expect(await splitFaultBy(fault, 'line')).toMatchObject({ type: 'done' });
    const part = await readFaultOf(other.id);
    expect(part).not.toBe(fault);
    expect(await countOf(fault)).toEqual([2, 0, 2]);
    expect(await countOf(part)).toEqual([1, 0, 1]);
    expect(await readFaultRow(part)).toMatchObject({ first_time: 7_200_000, state: 'open', unseen: null });
    expect(await readActivityTypes(part)).toEqual(['split']);
  });

  it('sorts what comes from now on into the parts, and makes a new one where it fits none', async () => {
    const { fault } = await tell();
    const other = await tell({ line: 'b();', at: 2_000 });
    await splitFaultBy(fault, 'line');
    const part = await readFaultOf(other.id);
    expect((await tell()).fault).toBe(fault);
    expect((await tell({ line: 'b();' })).fault).toBe(part);
    const third = await tell({ line: 'c();' });
    expect([fault, part]).not.toContain(third.fault);
    expect(third.activity).toBe('first-seen');
    expect(await countOf(fault)).toEqual([2, 0, 0]);
  });

  it('splits by causes and by messages, and a part again', async () => {
    const { fault } = await tell({ cause: 'refused at 10.0.0.1' });
    const same = await tell({ cause: 'refused at 10.0.0.2' });
    const other = await tell({ cause: 'is null' });
    const line = await tell({ cause: 'refused at 10.0.0.3', line: 'b();' });
    await splitFaultBy(fault, 'cause');
    expect(await readFaultOf(same.id)).toBe(fault);
    expect(await readFaultOf(other.id)).not.toBe(fault);
    expect(await readFaultOf(line.id)).toBe(fault);
    await splitFaultBy(fault, 'line');
    expect(await readFaultOf(line.id)).not.toBe(fault);
    expect((await tell({ cause: 'refused at 10.0.0.4', line: 'b();' })).fault).toBe(await readFaultOf(line.id));
  });

  it('lets browsers’ errors follow the server’s error', async () => {
    const { fault } = await tell();
    await tell();
    const grouping = computeGrouping({ name: 'Error', message: 'failed', frames: [frameAt('b();')], given: ['save'] });
    const told = { digest: 'D1', grouping, frames_json: JSON.stringify([frameAt('b();')]) };
    const error = await storeError(told);
    const message = 'An error occurred in the Server Components render.';
    const untrusted = await storeUntrusted({ digest: 'D1', message });
    expect(untrusted.fault).toBe(fault);
    await splitFaultBy(fault, 'line');
    const part = await readFaultOf(error.id);
    expect(await countOf(part)).toEqual([1, 1, 0]);
    expect(await storeUntrusted({ digest: 'D1', message })).toMatchObject({ fault: part });
  });

  it('leaves what is counted and not kept where it was', async () => {
    const { fault } = await tell();
    const gone = await tell({ line: 'b();' });
    await tell({ line: 'b();' });
    const { db } = await openStore();
    await db.deleteFrom('event').where('side', '=', 'server').where('id', '=', gone.id).execute();
    await tell();
    await splitFaultBy(fault, 'line');
    expect(await countOf(fault)).toEqual([3, 0, 0]);
  });

  it('refuses a fault whose errors are alike, and one that is gone', async () => {
    const { fault } = await tell();
    await tell();
    expect(await splitFaultBy(fault, 'line')).toEqual({ type: 'refused', reason: 'all-alike' });
    expect(await splitFaultBy('nowhere', 'line')).toEqual({ type: 'refused', reason: 'gone' });
  });

  it('goes on in the background where there are more', async () => {
    const { fault } = await tell({ at: 5_000 });
    const { db, transact } = await openStore();
    const first = await db.selectFrom('event').where('side', '=', 'server').selectAll().executeTakeFirstOrThrow();
    // Where the database numbers rows in a column of its own.
    Reflect.deleteProperty(first, 'rowid');
    await transact(async (trx) => {
      for (let at = 0; at < 1_150; at += 1) {
        const frames_json = JSON.stringify([frameAt(at % 2 === 0 ? 'a();' : 'b();')]);
        await trx
          .insertInto('event')
          .values({ ...first, id: `more${at}`, time: at, frames_json })
          .execute();
      }
    });
    await splitFaultBy(fault, 'line');
    await partRest(await openStore());
    const left = await db.selectFrom('event').where('side', '=', 'server').select('fingerprint').distinct().execute();
    expect(left.map(({ fingerprint }) => fingerprint)).not.toContain(first.fingerprint);
    expect(left).toHaveLength(2);
  });
});

describe('undoing it', () => {
  it('brings all back, also what came since', async () => {
    const { fault } = await tell({ user: 'ada' });
    const other = await tell({ line: 'b();', user: 'bob' });
    await tell({ user: 'ada' });
    const store = await openStore();
    const before = await readSums(store);
    const result = await splitFaultBy(fault, 'line');
    if (result.type !== 'done') throw new Error(result.type);
    const part = await readFaultOf(other.id);
    expect(await undoActivities({ batch: result.batch })).toMatchObject({ type: 'done' });
    const { faults, ...after } = await readSums(store);
    expect(after).toEqual({ hashes: before.hashes, errors: before.errors, untrusted: before.untrusted });
    expect(faults.find(({ id }) => id === fault)).toMatchObject({ count: 3, users: 2 });
    expect(faults.find(({ id }) => id === part)).toMatchObject({ count: 0, merged_into: fault });
    expect((await tell({ line: 'b();' })).fault).toBe(fault);
  });

  it('brings back the digests of what was deleted meanwhile', async () => {
    const { fault } = await tell();
    const grouping = computeGrouping({ name: 'Error', message: 'failed', frames: [frameAt('b();')], given: ['save'] });
    const told = { grouping, frames_json: JSON.stringify([frameAt('b();')]) };
    const { id } = await storeError({ ...told, digest: 'D7' });
    const result = await splitFaultBy(fault, 'line');
    if (result.type !== 'done') throw new Error(result.type);
    const part = await readFaultOf(id);
    const { db } = await openStore();
    await db.deleteFrom('event').where('side', '=', 'server').where('id', '=', id).execute();
    expect(await readPast(db, 'shop', 'D7')).toMatchObject([{ fault: part, count: 1 }]);
    await undoActivities({ batch: result.batch });
    expect(await readPast(db, 'shop', 'D7')).toMatchObject([{ fault, count: 1 }]);
  });

  it('brings back what was made of what came since', async () => {
    const { fault } = await tell();
    await tell({ line: 'b();' });
    const result = await splitFaultBy(fault, 'line');
    if (result.type !== 'done') throw new Error(result.type);
    const third = await tell({ line: 'c();' });
    await undoActivities({ batch: result.batch });
    expect(await readFaultOf(third.id)).toBe(fault);
    expect(await countOf(fault)).toEqual([3, 0, 0]);
  });

  it('is refused while a part is in another fault, or was split again', async () => {
    const { fault } = await tell({ cause: 'one' });
    const other = await tell({ line: 'b();', cause: 'one' });
    await tell({ line: 'b();', cause: 'other' });
    await tell({ cause: 'one' });
    await tell({ cause: 'one' });
    const result = await splitFaultBy(fault, 'line');
    if (result.type !== 'done') throw new Error(result.type);
    const part = await readFaultOf(other.id);
    const again = await splitFaultBy(part, 'cause');
    if (again.type !== 'done') throw new Error(again.type);
    expect(await undoActivities({ batch: result.batch })).toEqual({ type: 'refused', reason: 'changed-since' });
    expect(await undoActivities({ batch: again.batch })).toMatchObject({ type: 'done' });
    const { fault: strange } = await storeError({ name: 'Strange' });
    await mergeFaults([part, strange]);
    expect(await undoActivities({ batch: result.batch })).toEqual({ type: 'refused', reason: 'changed-since' });
  });
});

it('says what the newest errors differ in', async () => {
  const { fault } = await tell();
  await tell({ line: 'b();', cause: 'is null' });
  await tell({ line: 'b();' });
  expect(await readTraitChoices(fault)).toEqual([
    {
      trait: 'line',
      values: [
        { value: 'b();', count: 2 },
        { value: 'a();', count: 1 },
      ],
    },
    {
      trait: 'cause',
      values: [
        { value: '', count: 2 },
        { value: 'Error: is null', count: 1 },
      ],
    },
    { trait: 'message', values: [] },
  ]);
});

it('offers nothing of a merged fault in which only its fingerprints differ, since nothing of it could be split', async () => {
  const { fault } = await tell();
  const { fault: other } = await storeError({
    message: 'another',
    grouping: computeGrouping({ name: 'Error', message: 'another', frames: [] }),
  });
  await mergeFaults([other], fault);
  expect((await readTraitChoices(fault)).map(({ values }) => values)).toEqual([[], [], []]);
  expect(await splitFaultBy(fault, 'message')).toMatchObject({ type: 'refused', reason: 'all-alike' });
});
