import { describe, expect, it, vi } from 'vitest';

import { openStore } from '#src/store/open-store.ts';

import { hourMs } from './hours.ts';
import { readTriageNotice } from './read-notice.ts';
import { readFaultRow, readTurnTypes, storeError, storeReport, useStore } from './testing/use-store.ts';
import { triageFaults, type TriageChange } from './triage.ts';
import type { TriageResult } from './triage-result.ts';
import { undoTurns } from './undo-turns.ts';

vi.mock('#src/operator/require-operator.ts', () => ({ requireOperator: () => ({ kind: 'login-off' }) }));

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

async function turnAt(received_at: number, release = ''): Promise<string | undefined> {
  return (await storeError({ received_at, release })).turn;
}

describe('resolved now', () => {
  it('is reopened by what is received later, with a turn that names the occurrence', async () => {
    const { fault } = await startWith({ type: 'resolve' });
    expect(await readFaultRow(fault)).toMatchObject({ state: 'resolved', state_time: 10_000, news: null });
    expect(await turnAt(9_000)).toBeUndefined();
    expect(await turnAt(10_000)).toBeUndefined();
    const again = await storeError({ received_at: 10_001, time: 500 });
    expect(again.turn).toBe('regressed');
    expect(await readFaultRow(fault)).toMatchObject({ state: 'open', state_time: 10_001, news: 'regressed', count: 4 });
    const { db } = await openStore();
    const turns = await db.selectFrom('fault_turn').selectAll().where('type', '=', 'regressed').execute();
    expect(turns).toMatchObject([{ fault, occurrence: again.id, by: 'system', batch: null }]);
    expect(await turnAt(10_002)).toBeUndefined();
  });

  it('of a server is not reopened by a browser’s claim; of browsers it is', async () => {
    const { fault } = await startWith({ type: 'resolve' });
    expect((await storeReport({ received_at: 20_000 })).turn).toBeUndefined();
    expect(await readFaultRow(fault)).toMatchObject({ state: 'resolved', claims: 1 });
    const { fault: ofBrowsers } = await storeReport({ message: 'other' });
    await triageFaults([ofBrowsers ?? ''], { type: 'resolve' }, 10_000);
    expect((await storeReport({ message: 'other', received_at: 20_000 })).turn).toBe('regressed');
  });
});

describe('resolved in a release', () => {
  it('is not reopened by releases first heard of before', async () => {
    await turnAt(2_000, 'v2');
    await turnAt(3_000, 'v3');
    const { fault } = await startWith({ type: 'resolve-in', release: 'v2' });
    expect(await turnAt(20_000, 'v1')).toBeUndefined();
    expect(await readFaultRow(fault)).toMatchObject({ state: 'resolved', count: 4 });
    expect(await turnAt(20_001, 'v3')).toBe('regressed');
  });

  it.each(['v2', 'v9', ''])(
    'is reopened by that release, by a new one and by one that names none: %s',
    async (release) => {
      await turnAt(2_000, 'v2');
      await startWith({ type: 'resolve-in', release: 'v2' });
      expect(await turnAt(20_000, release)).toBe('regressed');
    },
  );

  it('is reopened by another release that was first heard of in the same millisecond', async () => {
    await turnAt(2_000, 'v2');
    await storeError({ message: 'other', received_at: 2_000, release: 'v2b' });
    await startWith({ type: 'resolve-in', release: 'v2' });
    expect(await turnAt(20_000, 'v2b')).toBe('regressed');
  });

  it('may name a release that nobody has heard of: what comes after it reopens', async () => {
    await startWith({ type: 'resolve-in', release: 'v7' });
    expect(await turnAt(20_000, 'v1')).toBeUndefined();
    expect(await turnAt(20_001, 'v8')).toBe('regressed');
  });
});

describe('resolved in the next release', () => {
  it('is reopened by any release first heard of after that', async () => {
    const { fault } = await startWith({ type: 'resolve-next' });
    expect(await turnAt(20_000, 'v1')).toBeUndefined();
    // Heard of through another fault.
    await storeError({ message: 'other', received_at: 10_000, release: 'v2' });
    expect(await turnAt(20_001, 'v2')).toBeUndefined();
    expect(await readFaultRow(fault)).toMatchObject({ state: 'resolved' });
    await storeError({ message: 'other', received_at: 10_001, release: 'v3' });
    expect(await turnAt(20_002, 'v3')).toBe('regressed');
  });
});

describe('a release that browsers claimed', () => {
  it('is new when a server first has it', async () => {
    await storeReport({ message: 'junk', received_at: 9_000, release: 'v2' });
    const { fault } = await startWith({ type: 'resolve-next' });
    await storeReport({ received_at: 11_000, release: 'v3' });
    expect(await readFaultRow(fault)).toMatchObject({ state: 'resolved' });
    expect(await turnAt(20_000, 'v2')).toBe('regressed');
  });

  it('is new when a server takes over the fault that browsers had claimed with it', async () => {
    await storeReport({ message: 'other', received_at: 9_000, release: 'v2' });
    await startWith({ type: 'resolve-next' });
    await storeError({ message: 'other', received_at: 11_000, release: 'v2' });
    expect(await turnAt(20_000, 'v2')).toBe('regressed');
    const { db } = await openStore();
    const heard = await db.selectFrom('app_release').select(['side', 'first_time']).where('name', '=', 'v2').execute();
    expect(heard).toEqual([
      { side: 'browser', first_time: 9_000 },
      { side: 'server', first_time: 11_000 },
    ]);
  });

  it('is an old one for faults that only browsers have', async () => {
    const { fault } = await storeReport({ message: 'theirs', received_at: 1_000, release: 'v2' });
    await triageFaults([fault ?? ''], { type: 'resolve-next' }, 10_000);
    expect((await storeReport({ message: 'theirs', received_at: 20_000, release: 'v2' })).turn).toBeUndefined();
    expect((await storeReport({ message: 'theirs', received_at: 20_001, release: 'v3' })).turn).toBe('regressed');
  });
});

describe('snoozed', () => {
  it('until a time: the first occurrence at or after it wakes it', async () => {
    const { fault } = await startWith({ type: 'snooze', hours: 2 });
    expect(await turnAt(10_000 + 2 * hourMs - 1)).toBeUndefined();
    expect(await readFaultRow(fault)).toMatchObject({ state: 'snoozed', news: null });
    expect(await turnAt(10_000 + 2 * hourMs)).toBe('woke');
    expect(await readFaultRow(fault)).toMatchObject({ state: 'open', news: 'woke' });
  });

  it('until a volume: what came before, or too long ago, does not count', async () => {
    await turnAt(9_000);
    const { fault } = await startWith({ type: 'snooze-volume', count: 3, hours: 2 });
    expect(await turnAt(11_000)).toBeUndefined();
    expect(await turnAt(12_000)).toBeUndefined();
    // Two hours later the first two are too old.
    expect(await turnAt(2 * hourMs)).toBeUndefined();
    expect(await turnAt(2 * hourMs + 1)).toBeUndefined();
    expect(await readFaultRow(fault)).toMatchObject({ state: 'snoozed' });
    expect(await turnAt(3 * hourMs)).toBe('woke');
  });

  it('until a volume within the hour in which it was snoozed', async () => {
    await startWith({ type: 'snooze-volume', count: 2, hours: 1 });
    expect(await turnAt(11_000)).toBeUndefined();
    expect(await turnAt(12_000)).toBe('woke');
  });

  it('until a volume: of a server’s fault claims do not count, of browsers’ they do', async () => {
    const { fault } = await startWith({ type: 'snooze-volume', count: 1, hours: 1 });
    await storeReport({ received_at: 11_000 });
    expect(await readFaultRow(fault)).toMatchObject({ state: 'snoozed' });
    const { fault: other } = await storeReport({ message: 'other' });
    await triageFaults([other ?? ''], { type: 'snooze-volume', count: 2, hours: 1 }, 10_000);
    expect((await storeReport({ message: 'other', received_at: 11_000 })).turn).toBeUndefined();
    expect((await storeReport({ message: 'other', received_at: 11_001 })).turn).toBe('woke');
  });
});

it('counts what is muted, and makes no news of it', async () => {
  const { fault } = await startWith({ type: 'mute' });
  for (const at of [11_000, 12_000]) expect(await turnAt(at)).toBeUndefined();
  expect(await readFaultRow(fault)).toMatchObject({ state: 'muted', news: null, count: 3 });
});

describe('a fault that only browsers claimed', () => {
  it.each([{ type: 'mute' }, { type: 'snooze', hours: 24 }, { type: 'resolve-next' }] as const)(
    'is opened by the first error of a server, as a new one: $type',
    async (change) => {
      const fault = (await storeReport({ release: 'v1' })).fault ?? '';
      await triageFaults([fault], change, 10_000);
      expect((await storeReport({ received_at: 11_000, release: 'v1' })).turn).toBeUndefined();
      const confirming = await storeError({ received_at: 9_000, release: 'v1' });
      expect(confirming).toMatchObject({ fault, turn: 'confirmed' });
      expect(await readFaultRow(fault)).toMatchObject({ side: 'server', state: 'open', state_json: '{}', news: 'new' });
      const { db } = await openStore();
      expect(await db.selectFrom('fault_turn').selectAll().where('type', '=', 'confirmed').execute()).toMatchObject([
        { fault, occurrence: confirming.id, by: 'system', batch: null },
      ]);
      // What is decided now is about a server's error.
      await triageFaults([fault], { type: 'mute' }, 20_000);
      expect(await turnAt(30_000)).toBeUndefined();
      expect(await readFaultRow(fault)).toMatchObject({ state: 'muted', news: null });
    },
  );

  it('and is open stays as it is', async () => {
    const fault = (await storeReport()).fault ?? '';
    await triageFaults([fault], { type: 'open' }, 10_000);
    expect(await turnAt(11_000)).toBeUndefined();
    expect(await readTurnTypes(fault)).toEqual(['first-seen', 'noted']);
  });
});

describe('triage', () => {
  it('changes several at once, with one batch of turns', async () => {
    const faults = [(await storeError({ message: 'a' })).fault, (await storeError({ message: 'b' })).fault];
    const result = await triageFaults([...faults, ...faults], { type: 'mute' });
    expect(result).toMatchObject({ type: 'done', turns: [expect.any(String), expect.any(String)] });
    expect(await readTriageNotice(batchOf(result))).toMatchObject({ turn: 'muted', count: 2, isUndone: false });
    for (const fault of faults) expect(await readTurnTypes(fault)).toEqual(['first-seen', 'muted']);
  });

  it('to open reopens, or says that an open one was seen', async () => {
    const { fault } = await storeError();
    await triageFaults([fault], { type: 'open' }, 5_000);
    expect(await readFaultRow(fault)).toMatchObject({ state: 'open', news: null, state_time: 1_000 });
    expect(await triageFaults([fault], { type: 'open' })).toEqual({ type: 'unchanged' });
    await triageFaults([fault], { type: 'mute' });
    await triageFaults([fault], { type: 'open' }, 6_000);
    expect(await readFaultRow(fault)).toMatchObject({ state: 'open', state_time: 6_000 });
    expect(await readTurnTypes(fault)).toEqual(['first-seen', 'noted', 'muted', 'reopened']);
  });

  it('again is no turn, unless a snooze is to begin anew', async () => {
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
    expect(await readFaultRow(fault)).toMatchObject({ state: 'open', news: 'new' });
  });
});

describe('undo', () => {
  it('restores state, time and news of a whole batch', async () => {
    const faults = [(await storeError({ message: 'a' })).fault, (await storeError({ message: 'b' })).fault];
    await triageFaults(faults.slice(0, 1), { type: 'snooze', hours: 1 }, 2_000);
    const before = await Promise.all(faults.map(readFaultRow));
    const batch = batchOf(await triageFaults(faults, { type: 'resolve' }, 3_000));
    expect(await undoTurns({ batch })).toMatchObject({ type: 'done', batch });
    expect(await Promise.all(faults.map(readFaultRow))).toEqual(before);
    expect(await readTriageNotice(batch)).toMatchObject({ isUndone: true, count: 2 });
    expect(await undoTurns({ batch })).toEqual({ type: 'unchanged' });
  });

  it('keeps what came since', async () => {
    const { fault, batch } = await startWith({ type: 'mute' });
    await turnAt(20_000);
    await undoTurns({ batch });
    expect(await readFaultRow(fault)).toMatchObject({ state: 'open', news: 'new', count: 2, last_time: 20_000 });
  });

  it('of one turn of a batch leaves the others', async () => {
    const faults = [(await storeError({ message: 'a' })).fault, (await storeError({ message: 'b' })).fault];
    const result = await triageFaults(faults, { type: 'resolve' });
    const [, second = ''] = result.type === 'done' ? result.turns : [];
    await undoTurns({ turns: [second] });
    const states = await Promise.all(faults.map(async (fault) => (await readFaultRow(fault)).state));
    expect(states.toSorted()).toEqual(['open', 'resolved']);
    await undoTurns({ batch: batchOf(result) });
    for (const fault of faults) expect(await readFaultRow(fault)).toMatchObject({ state: 'open' });
  });

  it('is refused as a whole when one of them was changed since', async () => {
    const faults = [(await storeError({ message: 'a' })).fault, (await storeError({ message: 'b' })).fault];
    const batch = batchOf(await triageFaults(faults, { type: 'resolve' }, 2_000));
    await triageFaults(faults.slice(0, 1), { type: 'mute' });
    expect(await undoTurns({ batch })).toEqual({ type: 'refused', reason: 'changed-since' });
    expect(await readFaultRow(faults[1] ?? '')).toMatchObject({ state: 'resolved' });
    expect(await readTriageNotice(batch)).toMatchObject({ isUndone: false });
  });

  it('is refused after a regression, and for what the system did', async () => {
    const { fault, batch } = await startWith({ type: 'resolve' });
    await turnAt(20_000);
    expect(await undoTurns({ batch })).toEqual({ type: 'refused', reason: 'changed-since' });
    const { db } = await openStore();
    const turns = await db
      .selectFrom('fault_turn')
      .select('id')
      .where('fault', '=', fault)
      .where('by', '=', 'system')
      .execute();
    expect(await undoTurns({ turns: turns.map(({ id }) => id) })).toEqual({ type: 'refused', reason: 'changed-since' });
    expect(await undoTurns({ turns: ['nothere'] })).toEqual({ type: 'refused', reason: 'gone' });
    expect(await undoTurns({ turns: [] })).toEqual({ type: 'refused', reason: 'nothing-chosen' });
  });
});

it('shows no notice for an address that somebody made up', async () => {
  for (const done of ['', 'x', '0'.repeat(20), '__proto__', 'toString']) {
    expect(await readTriageNotice(done)).toBeUndefined();
  }
  expect(await readTriageNotice('gone')).toEqual({ type: 'refused', reason: 'gone' });
});
