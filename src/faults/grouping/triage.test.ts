import { describe, expect, it } from 'vitest';

import { useOperator } from '#src/access/testing/use-operator.ts';
import { openStore } from '#src/store/open-store.ts';

import { hourMs } from './hours.ts';
import { readTriageNotice } from './read-notice.ts';
import { readFaultRow, readActivityTypes, storeError, storeUntrusted, useStore } from './testing/use-store.ts';
import { triageFaults, type TriageChange } from './triage.ts';
import type { TriageResult } from './triage-result.ts';
import { undoActivities } from './undo-activities.ts';

useOperator();
useStore();

function batchOf(result: TriageResult): string {
  if (result.type !== 'done') throw new Error(`Nothing was done: ${JSON.stringify(result)}`);
  return result.batch;
}

/** A fault, first seen at 1,000, changed at 10,000. */
async function startWith(change: TriageChange, parts: Parameters<typeof storeError>[0] = {}) {
  const { fault } = await storeError({ release: 'v1', ...parts });
  const result = await triageFaults([fault], change, 10_000);
  return { fault, batch: batchOf(result) };
}

async function activityAt(received_at: number, release = ''): Promise<string | undefined> {
  return (await storeError({ received_at, release })).activity;
}

describe('resolved now', () => {
  it('is reopened by what is received later, with a turn that names the error', async () => {
    const { fault } = await startWith({ type: 'resolve' });
    expect(await readFaultRow(fault)).toMatchObject({ state: 'resolved', state_time: 10_000, unseen: null });
    expect(await activityAt(9_000)).toBeUndefined();
    expect(await activityAt(10_000)).toBeUndefined();
    const again = await storeError({ received_at: 10_001, time: 500 });
    expect(again.activity).toBe('regressed');
    expect(await readFaultRow(fault)).toMatchObject({
      state: 'open',
      state_time: 10_001,
      unseen: 'regressed',
      count: 4,
    });
    const { db } = await openStore();
    const activities = await db.selectFrom('fault_activity').selectAll().where('type', '=', 'regressed').execute();
    expect(activities).toMatchObject([{ fault, error: again.id, by: 'system', batch: null }]);
    expect(await activityAt(10_002)).toBeUndefined();
  });

  it('of a server is not reopened by an untrusted error; of browsers it is', async () => {
    const { fault } = await startWith({ type: 'resolve' });
    expect((await storeUntrusted({ received_at: 20_000 })).activity).toBeUndefined();
    expect(await readFaultRow(fault)).toMatchObject({ state: 'resolved', untrusted: 1 });
    const { fault: ofBrowsers } = await storeUntrusted({ message: 'other' });
    await triageFaults([ofBrowsers ?? ''], { type: 'resolve' }, 10_000);
    expect((await storeUntrusted({ message: 'other', received_at: 20_000 })).activity).toBe('regressed');
  });
});

describe('resolved in a release', () => {
  it('is not reopened by releases first heard of before', async () => {
    await activityAt(2_000, 'v2');
    await activityAt(3_000, 'v3');
    const { fault } = await startWith({ type: 'resolve-in', release: 'v2' });
    expect(await activityAt(20_000, 'v1')).toBeUndefined();
    expect(await readFaultRow(fault)).toMatchObject({ state: 'resolved', count: 4 });
    expect(await activityAt(20_001, 'v3')).toBe('regressed');
  });

  it.each(['v2', 'v9', ''])(
    'is reopened by that release, by a new one and by one that names none: %s',
    async (release) => {
      await activityAt(2_000, 'v2');
      await startWith({ type: 'resolve-in', release: 'v2' });
      expect(await activityAt(20_000, release)).toBe('regressed');
    },
  );

  it('is reopened by another release that was first heard of in the same millisecond', async () => {
    await activityAt(2_000, 'v2');
    await storeError({ message: 'other', received_at: 2_000, release: 'v2b' });
    await startWith({ type: 'resolve-in', release: 'v2' });
    expect(await activityAt(20_000, 'v2b')).toBe('regressed');
  });

  it('may name a release that nobody has heard of: what comes after it reopens', async () => {
    await startWith({ type: 'resolve-in', release: 'v7' });
    expect(await activityAt(20_000, 'v1')).toBeUndefined();
    expect(await activityAt(20_001, 'v8')).toBe('regressed');
  });
});

describe('resolved in the next release', () => {
  it('is reopened by any release first heard of after that', async () => {
    const { fault } = await startWith({ type: 'resolve-next' });
    expect(await activityAt(20_000, 'v1')).toBeUndefined();
    // Heard of through another fault.
    await storeError({ message: 'other', received_at: 10_000, release: 'v2' });
    expect(await activityAt(20_001, 'v2')).toBeUndefined();
    expect(await readFaultRow(fault)).toMatchObject({ state: 'resolved' });
    await storeError({ message: 'other', received_at: 10_001, release: 'v3' });
    expect(await activityAt(20_002, 'v3')).toBe('regressed');
  });
});

describe('a release that is a version', () => {
  it('does not reopen what was resolved in the next, when it is heard of later and is older', async () => {
    const { fault } = await startWith({ type: 'resolve-next' }, { release: 'shop@1.4.2' });
    for (const [index, older] of ['shop@1.4.1', 'shop@v1.4.2', 'shop@1.4.2+b7', 'shop@1.4.2-rc.9'].entries()) {
      expect(await activityAt(20_000 + index, older)).toBeUndefined();
    }
    expect(await readFaultRow(fault)).toMatchObject({ state: 'resolved' });
    expect(await activityAt(30_000, 'shop@1.4.10')).toBe('regressed');
  });

  it('is compared with the newest that the app had, whichever fault came with it', async () => {
    await storeError({ message: 'other', received_at: 1_000, release: '1.10.0' });
    await storeError({ message: 'other', received_at: 2_000, release: '1.8.0' });
    await startWith({ type: 'resolve-next' }, { release: '1.7.0' });
    expect(await activityAt(20_000, '1.9.0')).toBeUndefined();
    // It was known, so it is not the next.
    expect(await activityAt(20_001, '1.10.0')).toBeUndefined();
    expect(await activityAt(20_002, '1.10.1')).toBe('regressed');
  });

  it('reopens what was resolved in the next, though a preview of a later one runs beside it', async () => {
    await storeError({ message: 'other', received_at: 1_000, release: '2.0.0-beta.2' });
    await startWith({ type: 'resolve-next' }, { release: '1.9.5' });
    expect(await activityAt(20_000, '2.0.0-beta.1')).toBeUndefined();
    expect(await activityAt(20_001, '1.9.4')).toBeUndefined();
    expect(await activityAt(20_002, '1.9.6')).toBe('regressed');
  });

  it('of one package says nothing of another, and a name without an order is judged by its time', async () => {
    for (const release of ['web@1.0.0', '4f2d81c', '2026.07.01']) {
      const { fault } = await startWith({ type: 'resolve-next' }, { release: 'shop@1.4.2' });
      expect(await activityAt(20_000, release)).toBe('regressed');
      expect(await readFaultRow(fault)).toMatchObject({ state: 'open' });
      const { db } = await openStore();
      await db.deleteFrom('app_release').execute();
    }
  });

  it('is not older because a browser reports a newer one', async () => {
    await storeUntrusted({ message: 'junk', received_at: 5_000, release: '99.0.0' });
    await startWith({ type: 'resolve-next' }, { release: '1.4.2' });
    expect(await activityAt(20_000, '1.4.3')).toBe('regressed');
  });

  it('reopens what was resolved in a release by its version, not by when it was heard of', async () => {
    await activityAt(2_000, '1.10.0');
    await startWith({ type: 'resolve-in', release: 'v1.9.0' }, { release: '1.8.0' });
    expect(await activityAt(20_000, '1.8.9')).toBeUndefined();
    expect(await activityAt(20_001, '1.9.0-rc.1')).toBeUndefined();
    // Heard of before the release with the fix was.
    expect(await activityAt(20_002, '1.10.0')).toBe('regressed');
  });

  it('reopens what was resolved in another build of the same version', async () => {
    await startWith({ type: 'resolve-in', release: '1.9.0+a' }, { release: '1.9.0+b' });
    expect(await activityAt(20_000, '1.9.0+b')).toBe('regressed');
  });
});

describe('a release that browsers reported', () => {
  it('is new when a server first has it', async () => {
    await storeUntrusted({ message: 'junk', received_at: 9_000, release: 'v2' });
    const { fault } = await startWith({ type: 'resolve-next' });
    await storeUntrusted({ received_at: 11_000, release: 'v3' });
    expect(await readFaultRow(fault)).toMatchObject({ state: 'resolved' });
    expect(await activityAt(20_000, 'v2')).toBe('regressed');
  });

  it('is new when a server takes over the fault that browsers had reported with it', async () => {
    await storeUntrusted({ message: 'other', received_at: 9_000, release: 'v2' });
    await startWith({ type: 'resolve-next' });
    await storeError({ message: 'other', received_at: 11_000, release: 'v2' });
    expect(await activityAt(20_000, 'v2')).toBe('regressed');
    const { db } = await openStore();
    const heard = await db.selectFrom('app_release').select(['side', 'first_time']).where('name', '=', 'v2').execute();
    expect(heard).toEqual([
      { side: 'browser', first_time: 9_000 },
      { side: 'server', first_time: 11_000 },
    ]);
  });

  it('is an old one for faults that only browsers have', async () => {
    const { fault } = await storeUntrusted({ message: 'theirs', received_at: 1_000, release: 'v2' });
    await triageFaults([fault ?? ''], { type: 'resolve-next' }, 10_000);
    expect((await storeUntrusted({ message: 'theirs', received_at: 20_000, release: 'v2' })).activity).toBeUndefined();
    expect((await storeUntrusted({ message: 'theirs', received_at: 20_001, release: 'v3' })).activity).toBe(
      'regressed',
    );
  });
});

describe('snoozed', () => {
  it('until a time: the first error at or after it wakes it', async () => {
    const { fault } = await startWith({ type: 'snooze', hours: 2 });
    expect(await activityAt(10_000 + 2 * hourMs - 1)).toBeUndefined();
    expect(await readFaultRow(fault)).toMatchObject({ state: 'snoozed', unseen: null });
    expect(await activityAt(10_000 + 2 * hourMs)).toBe('woke');
    expect(await readFaultRow(fault)).toMatchObject({ state: 'open', unseen: 'woke' });
  });

  it('until a volume: what came before, or too long ago, does not count', async () => {
    await activityAt(9_000);
    const { fault } = await startWith({ type: 'snooze-volume', count: 3, hours: 2 });
    expect(await activityAt(11_000)).toBeUndefined();
    expect(await activityAt(12_000)).toBeUndefined();
    // Two hours later the first two are too old.
    expect(await activityAt(2 * hourMs)).toBeUndefined();
    expect(await activityAt(2 * hourMs + 1)).toBeUndefined();
    expect(await readFaultRow(fault)).toMatchObject({ state: 'snoozed' });
    expect(await activityAt(3 * hourMs)).toBe('woke');
  });

  it('until a volume within the hour in which it was snoozed', async () => {
    await startWith({ type: 'snooze-volume', count: 2, hours: 1 });
    expect(await activityAt(11_000)).toBeUndefined();
    expect(await activityAt(12_000)).toBe('woke');
  });

  it('until a volume: of a server’s fault untrusted errors do not count, of browsers’ they do', async () => {
    const { fault } = await startWith({ type: 'snooze-volume', count: 1, hours: 1 });
    await storeUntrusted({ received_at: 11_000 });
    expect(await readFaultRow(fault)).toMatchObject({ state: 'snoozed' });
    const { fault: other } = await storeUntrusted({ message: 'other' });
    await triageFaults([other ?? ''], { type: 'snooze-volume', count: 2, hours: 1 }, 10_000);
    expect((await storeUntrusted({ message: 'other', received_at: 11_000 })).activity).toBeUndefined();
    expect((await storeUntrusted({ message: 'other', received_at: 11_001 })).activity).toBe('woke');
  });
});

it('counts what is muted, and does not make it unseen', async () => {
  const { fault } = await startWith({ type: 'mute' });
  for (const at of [11_000, 12_000]) expect(await activityAt(at)).toBeUndefined();
  expect(await readFaultRow(fault)).toMatchObject({ state: 'muted', unseen: null, count: 3 });
});

describe('a fault that only browsers reported', () => {
  it.each([{ type: 'mute' }, { type: 'snooze', hours: 24 }, { type: 'resolve-next' }] as const)(
    'is opened by the first error of a server, as a new one: $type',
    async (change) => {
      const fault = (await storeUntrusted({ release: 'v1' })).fault ?? '';
      await triageFaults([fault], change, 10_000);
      expect((await storeUntrusted({ received_at: 11_000, release: 'v1' })).activity).toBeUndefined();
      const confirming = await storeError({ received_at: 9_000, release: 'v1' });
      expect(confirming).toMatchObject({ fault, activity: 'confirmed' });
      expect(await readFaultRow(fault)).toMatchObject({
        side: 'server',
        state: 'open',
        state_json: '{}',
        unseen: 'new',
      });
      const { db } = await openStore();
      expect(await db.selectFrom('fault_activity').selectAll().where('type', '=', 'confirmed').execute()).toMatchObject(
        [{ fault, error: confirming.id, by: 'system', batch: null }],
      );
      // What is decided now is about a server's error.
      await triageFaults([fault], { type: 'mute' }, 20_000);
      expect(await activityAt(30_000)).toBeUndefined();
      expect(await readFaultRow(fault)).toMatchObject({ state: 'muted', unseen: null });
    },
  );

  it('and is open stays as it is', async () => {
    const fault = (await storeUntrusted()).fault ?? '';
    await triageFaults([fault], { type: 'open' }, 10_000);
    expect(await activityAt(11_000)).toBeUndefined();
    expect(await readActivityTypes(fault)).toEqual(['first-seen', 'noted']);
  });
});

describe('triage', () => {
  it('changes several at once, with one batch of activities', async () => {
    const faults = [(await storeError({ message: 'a' })).fault, (await storeError({ message: 'b' })).fault];
    const result = await triageFaults([...faults, ...faults], { type: 'mute' });
    expect(result).toMatchObject({ type: 'done', activities: [expect.any(String), expect.any(String)] });
    expect(await readTriageNotice(batchOf(result))).toMatchObject({ activity: 'muted', count: 2, isUndone: false });
    for (const fault of faults) expect(await readActivityTypes(fault)).toEqual(['first-seen', 'muted']);
  });

  it('to open reopens, or says that an open one was seen', async () => {
    const { fault } = await storeError();
    await triageFaults([fault], { type: 'open' }, 5_000);
    expect(await readFaultRow(fault)).toMatchObject({ state: 'open', unseen: null, state_time: 1_000 });
    expect(await triageFaults([fault], { type: 'open' })).toEqual({ type: 'unchanged' });
    await triageFaults([fault], { type: 'mute' });
    await triageFaults([fault], { type: 'open' }, 6_000);
    expect(await readFaultRow(fault)).toMatchObject({ state: 'open', state_time: 6_000 });
    expect(await readActivityTypes(fault)).toEqual(['first-seen', 'noted', 'muted', 'reopened']);
  });

  it('again is no activity, unless a snooze is to begin anew', async () => {
    const { fault } = await startWith({ type: 'resolve' });
    expect(await triageFaults([fault], { type: 'resolve' })).toEqual({ type: 'unchanged' });
    expect(await triageFaults([fault], { type: 'resolve-next' })).toMatchObject({ type: 'done' });
    const snooze = { type: 'snooze-volume', count: 9, hours: 1 } as const;
    expect(await triageFaults([fault], snooze)).toMatchObject({ type: 'done' });
    expect(await triageFaults([fault], snooze)).toMatchObject({ type: 'done' });
  });

  it('changes nothing when one of them is not there, and takes a bounded number', async () => {
    const { fault } = await storeError();
    expect(await triageFaults([fault, 'nothere1'], { type: 'mute' })).toEqual({ type: 'refused', reason: 'gone' });
    expect(await triageFaults([], { type: 'mute' })).toEqual({ type: 'refused', reason: 'nothing-chosen' });
    const many = Array.from({ length: 1_001 }, (_, at) => `f${at}`);
    expect(await triageFaults(many, { type: 'mute' })).toEqual({ type: 'refused', reason: 'too-many' });
    expect(await readFaultRow(fault)).toMatchObject({ state: 'open', unseen: 'new' });
  });
});

describe('undo', () => {
  it('restores state, time and unseen of a whole batch', async () => {
    const faults = [(await storeError({ message: 'a' })).fault, (await storeError({ message: 'b' })).fault];
    await triageFaults(faults.slice(0, 1), { type: 'snooze', hours: 1 }, 2_000);
    const before = await Promise.all(faults.map(readFaultRow));
    const batch = batchOf(await triageFaults(faults, { type: 'resolve' }, 3_000));
    expect(await undoActivities({ batch })).toMatchObject({ type: 'done', batch });
    expect(await Promise.all(faults.map(readFaultRow))).toEqual(before);
    expect(await readTriageNotice(batch)).toMatchObject({ isUndone: true, count: 2 });
    expect(await undoActivities({ batch })).toEqual({ type: 'unchanged' });
  });

  it('keeps what came since', async () => {
    const { fault, batch } = await startWith({ type: 'mute' });
    await activityAt(20_000);
    await undoActivities({ batch });
    expect(await readFaultRow(fault)).toMatchObject({ state: 'open', unseen: 'new', count: 2, last_time: 20_000 });
  });

  it('of one turn of a batch leaves the others', async () => {
    const faults = [(await storeError({ message: 'a' })).fault, (await storeError({ message: 'b' })).fault];
    const result = await triageFaults(faults, { type: 'resolve' });
    const [, second = ''] = result.type === 'done' ? result.activities : [];
    await undoActivities({ activities: [second] });
    const states = await Promise.all(faults.map(async (fault) => (await readFaultRow(fault)).state));
    expect(states.toSorted()).toEqual(['open', 'resolved']);
    await undoActivities({ batch: batchOf(result) });
    for (const fault of faults) expect(await readFaultRow(fault)).toMatchObject({ state: 'open' });
  });

  it('is refused as a whole when one of them was changed since', async () => {
    const faults = [(await storeError({ message: 'a' })).fault, (await storeError({ message: 'b' })).fault];
    const batch = batchOf(await triageFaults(faults, { type: 'resolve' }, 2_000));
    await triageFaults(faults.slice(0, 1), { type: 'mute' });
    expect(await undoActivities({ batch })).toEqual({ type: 'refused', reason: 'changed-since' });
    expect(await readFaultRow(faults[1] ?? '')).toMatchObject({ state: 'resolved' });
    expect(await readTriageNotice(batch)).toMatchObject({ isUndone: false });
  });

  it('is refused after a regression, and for what the system did', async () => {
    const { fault, batch } = await startWith({ type: 'resolve' });
    await activityAt(20_000);
    expect(await undoActivities({ batch })).toEqual({ type: 'refused', reason: 'changed-since' });
    const { db } = await openStore();
    const activities = await db
      .selectFrom('fault_activity')
      .select('id')
      .where('fault', '=', fault)
      .where('by', '=', 'system')
      .execute();
    expect(await undoActivities({ activities: activities.map(({ id }) => id) })).toEqual({
      type: 'refused',
      reason: 'changed-since',
    });
    expect(await undoActivities({ activities: ['nothere'] })).toEqual({ type: 'refused', reason: 'gone' });
    expect(await undoActivities({ activities: [] })).toEqual({ type: 'refused', reason: 'nothing-chosen' });
  });
});

it('shows no notice for an address that somebody made up', async () => {
  for (const done of ['', 'x', '0'.repeat(20), '__proto__', 'toString']) {
    expect(await readTriageNotice(done)).toBeUndefined();
  }
  expect(await readTriageNotice('gone')).toEqual({ type: 'refused', reason: 'gone' });
});
