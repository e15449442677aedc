import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Kysely, Transaction } from 'kysely';

import type { Tables } from './schema.ts';
import { isNoRoom, type Space } from './space.ts';

/**
 * Writes that arrive in the same turn of the event loop share one transaction, and all transactions that were committed while
 * the disk was busy share one flush. So a write can be answered only when it is on disk, at an acceptable price: measured with a
 * flush for each commit, about 4 000 rows a second one by one, 23 000 in groups of 50. The flush runs in another thread
 * (flush-log.ts): when the disk is slow, those who wait for a write wait longer, and pages are still served.
 *
 * A write that fails rolls back its whole group. The writes of the group are then run again one by one, so that only the one
 * that fails is lost.
 *
 * Errors of the server and reports of strangers never share a group or a queue, and errors go first.
 */
export type Write = (trx: Transaction<Tables>) => Promise<void>;

/** What caused a write: an error of the server, or a posted report. */
export type WriteKind = 'error' | 'report';

export type CommitResult = 'committed' | 'queue-full' | 'no-room';

type Entry = {
  readonly write: Write;
  readonly resolve: (result: CommitResult) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * A group of 200 rows takes some 10 ms of the event loop; a larger one would slow down the pages. A report is up to 150 KiB, so a
 * group of reports has fewer.
 */
const groupLimit = { error: 200, report: 20 } as const satisfies Record<WriteKind, number>;
/**
 * Some 5 s of writing on a slow disk. A longer queue would only hide that the disk is too slow. Reports have a queue of their
 * own: twice what the tunnel lets through in a burst, and 30 MB when all are of the largest size.
 */
const queueLimit = { error: 2_000, report: 200 } as const satisfies Record<WriteKind, number>;

export type GroupCommit = {
  /**
   * Queues one write; `kind` is `error` unless it says otherwise. Resolves after the commit, to `queue-full` when the write
   * was not even queued and to `no-room` when the disk or the budget is used up, and rejects with the database's error when this write could not be committed.
   */
  readonly commit: (write: Write, kind?: WriteKind) => Promise<CommitResult>;
  /** Resolves when nothing that was queued is left to write or to flush. */
  readonly settle: () => Promise<void>;
};

export type Disk = {
  /** Runs `write` so that its commits are handed to the system and not flushed. No other code uses the connection meanwhile. */
  readonly withoutFlush: <T>(write: () => Promise<T>) => Promise<T>;
  /** Resolves when everything that was committed before is on disk. */
  readonly flush: () => Promise<void>;
};

export function createGroupCommit(
  db: Kysely<Tables>,
  space: Pick<Space, 'admitsOrdinary' | 'asOrdinary'>,
  disk: Disk,
): GroupCommit {
  const queues: Record<WriteKind, Entry[]> = { error: [], report: [] };
  let running: Promise<void> | undefined;
  /** Committed, and not on disk yet. They count as waiting: a disk that does not answer must not fill the memory. */
  const unflushed: Record<WriteKind, number> = { error: 0, report: 0 };
  let flushing: Promise<void> | undefined;

  async function tellWhenFlushed(group: readonly Entry[], kind: WriteKind): Promise<void> {
    // Without their writes: the rows are in the log, and must not stay in memory until the disk answers.
    const waiting = group.map(({ resolve, reject }) => ({ resolve, reject }));
    unflushed[kind] += waiting.length;
    try {
      await disk.flush();
      for (const { resolve } of waiting) resolve('committed');
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    } finally {
      unflushed[kind] -= waiting.length;
    }
  }

  async function runTogether(group: readonly Entry[], kind: WriteKind): Promise<void> {
    await db.connection().execute(async (connection) => {
      await disk.withoutFlush(() =>
        connection.transaction().execute(async (trx) => {
          await space.asOrdinary(async () => {
            for (const entry of group) await entry.write(trx);
          });
        }),
      );
    });
    flushing = tellWhenFlushed(group, kind);
  }

  async function runAlone(entry: Entry, kind: WriteKind): Promise<void> {
    try {
      await runTogether([entry], kind);
    } catch (error) {
      entry.reject(error);
    }
  }

  async function drain(): Promise<void> {
    for (;;) {
      const kind = queues.error.length > 0 ? 'error' : 'report';
      const group = queues[kind].splice(0, groupLimit[kind]);
      if (group.length === 0) break;
      try {
        await runTogether(group, kind);
      } catch (error) {
        if (isNoRoom(error)) {
          for (const entry of group) entry.resolve('no-room');
          continue;
        }
        // Each write is run again alone; the one that fails then gets the error.
        for (const entry of group) await runAlone(entry, kind);
      }
    }
    running = undefined;
  }

  function commit(write: Write, kind: WriteKind = 'error'): Promise<CommitResult> {
    const queue = queues[kind];
    if (queue.length + unflushed[kind] >= queueLimit[kind]) return Promise.resolve('queue-full');
    if (!space.admitsOrdinary()) return Promise.resolve('no-room');
    return new Promise((resolve, reject) => {
      queue.push({ write, resolve, reject });
      running ??= nextTurn().then(drain);
    });
  }

  return {
    commit,
    async settle() {
      await running;
      await flushing;
    },
  };
}
