import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { testedEngine } from '../../e2e/testing/postgres/tested-engine.ts';
import { createGroupCommit, type Write, type WriteKind } from './group-commit.ts';
import { openStore, type Store } from './open-store.ts';
import { isDatabaseGone } from './postgres/postgres-errors.ts';
import { CommitUnknown, createCommitMarks, type CommitMark } from './spool/commit-marks.ts';

let folder: string;
let store: Store;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-commit-'));
  store = await openStore(folder);
});

afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

function insert(type: string): Write {
  return async (trx) => {
    await trx.insertInto('outcome').values({ source: 'client', type, reason: 'r', last_time: 1 }).execute();
  };
}

/** What another connection sees, so only what was committed. */
async function listCommitted(): Promise<unknown[]> {
  if (store.engine === 'postgres') {
    const found = await store.db.selectFrom('outcome').select('type').orderBy('type').execute();
    return found.map(({ type }) => type);
  }
  const reader = new DatabaseSync(path.join(folder, 'flight.db'), { readOnly: true });
  const rows = reader.prepare('select type from outcome order by type').all();
  reader.close();
  return rows.map((row) => row['type']);
}

describe('commit', () => {
  it('is committed when it resolves', async () => {
    expect(await store.commit(insert('a'))).toBe('committed');
    expect(await listCommitted()).toEqual(['a']);
  });

  it('shares one transaction among the writes of one turn', async () => {
    let transactions = 0;
    const seen = new Set<unknown>();
    const writes = ['a', 'b', 'c'].map((type) =>
      store.commit(async (trx) => {
        seen.add(trx);
        await insert(type)(trx);
        if (type === 'a') transactions = seen.size;
        expect(await listCommitted()).toEqual([]);
      }),
    );
    await Promise.all(writes);
    expect(transactions).toBe(1);
    expect(seen.size).toBe(1);
    expect(await listCommitted()).toEqual(['a', 'b', 'c']);
  });

  it('lets one write of a group fail alone', async () => {
    const results = await Promise.allSettled(['a', 'b', 'b', 'c'].map((type) => store.commit(insert(type))));
    expect(results.map((result) => result.status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    expect(await listCommitted()).toEqual(['a', 'b', 'c']);
  });

  it('takes writes that arrive while a group is being written', async () => {
    let later: Promise<unknown> = Promise.resolve();
    await store.commit(async (trx) => {
      await insert('a')(trx);
      later = store.commit(insert('b'));
    });
    await later;
    expect(await listCommitted()).toEqual(['a', 'b']);
  });

  it('writes what was queued before the store closes', async () => {
    const writes = ['a', 'b'].map((type) => store.commit(insert(type)));
    await store.close();
    expect(await Promise.all(writes)).toEqual(['committed', 'committed']);
    store = await openStore(folder);
    expect(await listCommitted()).toEqual(['a', 'b']);
  });

  it('lets errors go first, and no untrusted error fails with or for them', async () => {
    const order: string[] = [];
    async function noted(type: string, kind: WriteKind): Promise<string> {
      const result = await store.commit(insert(type), kind);
      order.push(type);
      return result;
    }
    const failing = store.commit(() => Promise.reject(new Error('this untrusted error')), 'untrusted');
    const untrusted = ['r1', 'r2'].map((type) => noted(type, 'untrusted'));
    const errors = ['e1', 'e2'].map((type) => noted(type, 'error'));
    await expect(failing).rejects.toThrow('this untrusted error');
    expect(await Promise.all([...untrusted, ...errors])).toEqual(Array(4).fill('committed'));
    expect(order).toEqual(['e1', 'e2', 'r1', 'r2']);
  });

  it('has a queue for untrusted errors that is full long before that of errors', async () => {
    const untrusted = Array.from({ length: 201 }, (_, index) => store.commit(insert(`${index}`), 'untrusted'));
    const error = store.commit(insert('error'));
    expect((await Promise.all(untrusted)).filter((result) => result === 'queue-full')).toEqual(['queue-full']);
    expect(await error).toBe('committed');
    expect(await listCommitted()).toHaveLength(201);
  });

  it("writes errors of apps behind our own and before strangers' untrusted errors, each in groups of their own", async () => {
    const order: string[] = [];
    const groups = new Map<unknown, string[]>();
    async function noted(type: string, kind: WriteKind): Promise<void> {
      await store.commit(async (trx) => {
        groups.set(trx, [...(groups.get(trx) ?? []), type]);
        await insert(type)(trx);
      }, kind);
      order.push(type);
    }
    const kinds = ['untrusted', 'app-error', 'error'] as const;
    await Promise.all(kinds.flatMap((kind) => [noted(`${kind} 1`, kind), noted(`${kind} 2`, kind)]));
    expect(order).toEqual(['error 1', 'error 2', 'app-error 1', 'app-error 2', 'untrusted 1', 'untrusted 2']);
    expect([...groups.values()].map((group) => group.length)).toEqual([2, 2, 2]);
  });

  it('has a queue for errors of apps that strangers cannot fill, bounded by number and by bytes', async () => {
    const untrusted = Array.from({ length: 201 }, (_, index) => store.commit(insert(`r${index}`), 'untrusted'));
    const errors = Array.from({ length: 1_001 }, (_, index) => store.commit(insert(`e${index}`), 'app-error', 1));
    expect((await Promise.all(untrusted)).filter((result) => result === 'queue-full')).toHaveLength(1);
    expect((await Promise.all(errors)).filter((result) => result === 'queue-full')).toHaveLength(1);
    const large = ['a', 'b', 'c', 'd'].map((type) => store.commit(insert(type), 'app-error', 10 * 2 ** 20));
    expect(await Promise.all(large)).toEqual(['committed', 'committed', 'committed', 'queue-full']);
    // What was written is not counted any more.
    expect(await store.commit(insert('after'), 'app-error', 30 * 2 ** 20)).toBe('committed');
  });

  it('ends a group of large writes early', async () => {
    const groups = new Map<unknown, number>();
    const writes = Array.from({ length: 4 }, (_, index) =>
      store.commit(
        async (trx) => {
          groups.set(trx, (groups.get(trx) ?? 0) + 1);
          await insert(`${index}`)(trx);
        },
        'app-error',
        200 * 1024,
      ),
    );
    await Promise.all(writes);
    expect([...groups.values()]).toEqual([2, 2]);
  });

  it('refuses what it cannot queue, and works on', async () => {
    const results = await Promise.all(Array.from({ length: 2_001 }, (_, index) => store.commit(insert(`${index}`))));
    expect(results.filter((result) => result === 'queue-full')).toEqual(['queue-full']);
    expect(await store.commit(insert('after'))).toBe('committed');
    expect(await listCommitted()).toHaveLength(2_001);
  });
});

const roomy = { admitsOrdinary: () => true, asOrdinary: <T>(run: () => Promise<T>) => run() };

describe('a sender that can keep it elsewhere', () => {
  const patienceMs = 20;

  function openCommit() {
    const marks = createCommitMarks();
    const readMark = () => marks.leave(undefined).mark;
    const written: CommitMark[] = [];
    const disk = { withoutFlush: <T>(run: () => Promise<T>) => run(), flush: async () => undefined };
    const write = async () => void written.push(readMark());
    const { commit } = createGroupCommit(store.db, roomy, disk, async () => undefined, { marks: { ...marks, write } });
    return { commit, written };
  }

  async function readLeft(kept: Promise<unknown>): Promise<CommitMark | undefined> {
    const error: unknown = await kept.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(isDatabaseGone(error)).toBe(true);
    return error instanceof CommitUnknown ? error.mark : undefined;
  }

  it('gets a write back that was not begun, which is not done then', async () => {
    const { commit } = openCommit();
    const gate = Promise.withResolvers<void>();
    const first = commit(() => gate.promise, 'error');
    const onLate = vi.fn();
    expect(await readLeft(commit(insert('left'), 'untrusted', 0, { ms: patienceMs, onLate }))).toBe(undefined);
    gate.resolve();
    await first;
    expect(await commit(insert('next'), 'untrusted')).toBe('committed');
    expect(await listCommitted()).toEqual(['next']);
    expect(onLate).not.toHaveBeenCalled();
  });

  it('is told with which group it may be committed, and when it was', async () => {
    const { commit, written } = openCommit();
    const gate = Promise.withResolvers<void>();
    const onLate = vi.fn();
    const left = commit(() => gate.promise.then(() => undefined), 'untrusted', 0, { ms: patienceMs, onLate });
    const mark = await readLeft(left);
    gate.resolve();
    await vi.waitFor(() => expect(onLate).toHaveBeenCalledTimes(1));
    expect(written).toEqual([mark]);
  });

  it('is not told later that a write was committed that was undone', async () => {
    const { commit, written } = openCommit();
    const gate = Promise.withResolvers<void>();
    const onLate = vi.fn();
    const left = commit(() => gate.promise, 'untrusted', 0, { ms: patienceMs, onLate });
    const mark = await readLeft(left);
    gate.reject(new Error('undone'));
    expect(await commit(insert('next'), 'untrusted')).toBe('committed');
    expect(written).toEqual([{ writer: expect.not.stringMatching(mark?.writer ?? '.'), sequence: 1 }]);
    expect(onLate).not.toHaveBeenCalled();
    expect(await listCommitted()).toEqual(['next']);
  });
});

describe('a disk that takes its time', () => {
  function openCommit() {
    const flushes: PromiseWithResolvers<void>[] = [];
    const disk = {
      withoutFlush: <T>(run: () => Promise<T>) => run(),
      async flush() {
        const one = Promise.withResolvers<void>();
        flushes.push(one);
        await one.promise;
      },
    };
    return { flushes, ...createGroupCommit(store.db, roomy, disk, async () => undefined) };
  }

  async function waitForFlush(flushes: readonly unknown[], count: number): Promise<void> {
    // Each row is a round trip on PostgreSQL.
    await vi.waitFor(() => expect(flushes).toHaveLength(count), 20_000);
  }

  it('is waited for before a write counts as committed, and does not stop the next group', async () => {
    const { commit, flushes, settle } = openCommit();
    const told: string[] = [];
    const first = commit(insert('a')).then((result) => told.push(`a ${result}`));
    await waitForFlush(flushes, 1);
    const second = commit(insert('b')).then((result) => told.push(`b ${result}`));
    await waitForFlush(flushes, 2);
    expect([told, await listCommitted()]).toEqual([[], ['a', 'b']]);
    flushes[0]?.resolve();
    await first;
    expect(told).toEqual(['a committed']);
    let isSettled = false;
    const settled = settle().then(() => (isSettled = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(isSettled).toBe(false);
    flushes[1]?.resolve();
    await second;
    await settled;
  });

  it('is told of when it fails', async () => {
    const { commit, flushes } = openCommit();
    const write = commit(insert('a'));
    await waitForFlush(flushes, 1);
    flushes[0]?.reject(new Error('EIO'));
    await expect(write).rejects.toThrow('EIO');
  });

  it('counts what it has not taken among what waits', async () => {
    const { commit, flushes } = openCommit();
    const writes = Array.from({ length: 2_000 }, (_, index) => commit(insert(`${index}`)));
    await waitForFlush(flushes, 10);
    expect(await commit(insert('one more'))).toBe('queue-full');
    for (const flush of flushes) flush.resolve();
    await Promise.all(writes);
    const after = commit(insert('after'));
    await waitForFlush(flushes, 11);
    flushes[10]?.resolve();
    expect(await after).toBe('committed');
  });

  it.skipIf(testedEngine === 'postgres')(
    'is asked by the store: grouped commits leave the flush to it, others do not',
    async () => {
      const modes: unknown[] = [];
      await store.commit(async (trx) => {
        const { rows } = await sql<{ synchronous: number }>`pragma synchronous`.execute(trx);
        modes.push(rows[0]?.synchronous);
      });
      const { rows } = await sql<{ synchronous: number }>`pragma synchronous`.execute(store.db);
      modes.push(rows[0]?.synchronous);
      expect(modes).toEqual([1, 2]);
    },
  );
});
