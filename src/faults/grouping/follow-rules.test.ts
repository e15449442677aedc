import { expect, it } from 'vitest';

import { useOperator } from '#src/access/testing/use-operator.ts';
import { computeGrouping, groupingAlgorithm } from '#src/runtime/errors/fingerprint.ts';
import type { SourceFrame } from '#src/runtime/errors/source-maps.ts';
import { openStore } from '#src/store/open-store.ts';

import { followRules } from './follow-rules.ts';
import { mergeFaults } from './merge-faults.ts';
import { readFaultRow, storeError, useStore } from './testing/use-store.ts';

useOperator();
useStore();

const older = groupingAlgorithm - 1;
const frames: readonly SourceFrame[] = [
  { fn: 'save', file: '/srv/save.js', source: 'src/save.ts', line: 3, column: 1, inApp: true },
];

/** An error as today's rules group it. */
function store(name: string, at = 1_000, given?: string) {
  const causes = [{ name: 'TypeError', message: 'inner', stack: '' }];
  const route = '/cart';
  return storeError({
    name,
    route,
    received_at: at,
    frames_json: JSON.stringify(frames),
    causes_json: JSON.stringify(causes),
    grouping: computeGrouping({
      name,
      message: 'failed',
      frames,
      causes,
      culprit: route,
      ...(given === undefined ? {} : { given: [given] }),
    }),
  });
}

/** As the rules before today's had grouped it. */
async function makeOlder(hash: string, old: string): Promise<void> {
  const { db } = await openStore();
  await db.updateTable('fault_hash').set({ hash: old, algorithm: older }).where('hash', '=', hash).execute();
  await db.updateTable('event').set({ fingerprint: old }).where('fingerprint', '=', hash).execute();
}

async function listHashes(): Promise<readonly unknown[]> {
  const { db } = await openStore();
  return db
    .selectFrom('fault_hash')
    .select(['hash', 'fault', 'algorithm'])
    .orderBy('algorithm')
    .orderBy('hash')
    .execute();
}

it('leads an error whose rules have changed to the fault that it had, with its state', async () => {
  const { fault, hash } = await store('QueryError');
  await makeOlder(hash, 'old');
  const { db } = await openStore();
  await db
    .updateTable('fault')
    .set({ state: 'muted', state_json: '{"type":"forever"}' })
    .where('id', '=', fault)
    .execute();
  expect(await followRules(await openStore())).toBe(1);
  const again = await store('QueryError', 2_000);
  expect(again).toMatchObject({ fault, hash, activity: undefined });
  expect(await readFaultRow(fault)).toMatchObject({ count: 2, last_time: 2_000, state: 'muted' });
});

it('does not lead it there without having looked', async () => {
  const { fault, hash } = await store('QueryError');
  await makeOlder(hash, 'old');
  expect((await store('QueryError', 2_000)).fault).not.toBe(fault);
});

it('keeps merged faults merged, and looks at each hash once', async () => {
  const one = await store('QueryError');
  const other = await store('OrderError', 2_000);
  await mergeFaults([one.fault, other.fault]);
  await makeOlder(one.hash, 'old one');
  await makeOlder(other.hash, 'old other');
  expect(await followRules(await openStore())).toBe(2);
  expect(await followRules(await openStore())).toBe(0);
  expect((await store('OrderError', 3_000)).fault).toBe(one.fault);
  expect((await store('QueryError', 4_000)).fault).toBe(one.fault);
});

it('gives the hash of two faults that are one now to the one with the later error', async () => {
  const first = await store('QueryError');
  await makeOlder(first.hash, 'old first');
  const second = await store('QueryError', 2_000);
  await makeOlder(second.hash, 'old second');
  expect(second.fault).not.toBe(first.fault);
  expect(await followRules(await openStore())).toBe(1);
  expect((await store('QueryError', 3_000)).fault).toBe(second.fault);
});

it('leaves what a sender has named, what is of today, and what has no errors any more', async () => {
  const given = await store('QueryError', 1_000, 'mine');
  await makeOlder(given.hash, 'old given');
  const today = await store('QueryError', 2_000);
  const gone = await store('OrderError', 3_000);
  await makeOlder(gone.hash, 'old gone');
  const { db } = await openStore();
  await db.deleteFrom('event').where('id', '=', gone.id).execute();
  expect(await followRules(await openStore())).toBe(0);
  expect(await listHashes()).toEqual(
    [
      { hash: 'old given', fault: given.fault, algorithm: groupingAlgorithm },
      { hash: 'old gone', fault: gone.fault, algorithm: groupingAlgorithm },
      { hash: today.hash, fault: today.fault, algorithm: groupingAlgorithm },
    ].toSorted((a, b) => (a.hash < b.hash ? -1 : 1)),
  );
});

it('takes no hash from what a visitor has sent for a server’s fault, nor from React’s text', async () => {
  const { hash } = await store('QueryError');
  await makeOlder(hash, 'old');
  const { db } = await openStore();
  await db.updateTable('event').set({ side: 'browser' }).where('fingerprint', '=', 'old').execute();
  const masked = await store('Error', 2_000);
  await makeOlder(masked.hash, 'old masked');
  const text =
    'An error occurred in the Server Components render. The specific message is omitted in production builds.';
  await db.updateTable('event').set({ message: text }).where('fingerprint', '=', 'old masked').execute();
  expect(await followRules(await openStore())).toBe(0);
});
