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
 * Errors of this server, errors of apps' servers and reports of strangers never share a group or a queue, and they go in this
 * order: our own errors first, since an answer waits for each of them.
 *
 * What a group stored is indexed for the search at its end, in its transaction: what is on disk can be found.
 */
export type Write = (trx: Transaction<Tables>) => Promise<void>;

/** What caused a write: an error of this server, one that an app's server sent with its key, or a report that anybody may post. */
const writeKinds = ['error', 'app-error', 'report'] as const;

export type WriteKind = (typeof writeKinds)[number];

export type CommitResult = 'committed' | 'queue-full' | 'no-room';

type Entry = {
  readonly write: Write;
  readonly bytes: number;
  readonly resolve: (result: CommitResult) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * A group of 200 rows takes some 10 ms of the event loop; a larger one would slow down the pages. A report is up to 150 KiB, so a
 * group of reports has fewer. An app's error may be as large and mostly has a few KiB, so its group ends at a number of bytes, too.
 */
const groupLimit = { error: 200, 'app-error': 50, report: 20 } as const satisfies Record<WriteKind, number>;
const groupBytes = 512 * 1024;
/**
 * Some 5 s of writing on a slow disk. A longer queue would only hide that the disk is too slow. Reports have a queue of their
 * own: twice what the tunnel lets through in a burst, and 30 MB when all are of the largest size. Errors of apps may take the
 * same 30 MB: a thousand of usual size, or two hundred of the largest.
 */
const queueLimit = { error: 2_000, 'app-error': 1_000, report: 200 } as const satisfies Record<WriteKind, number>;
const queueBytes = 30 * 1024 * 1024;

export type GroupCommit = {
  /**
   * Queues one write; `kind` is `error` unless it says otherwise, and `bytes` what the write holds in memory, where its sender
   * decides that. Resolves after the commit, to `queue-full` when the write
   * was not even queued and to `no-room` when the disk or the budget is used up, and rejects with the database's error when this write could not be committed.
   */
  readonly commit: (write: Write, kind?: WriteKind, bytes?: number) => Promise<CommitResult>;
  /** Resolves when nothing that was queued is left to write or to flush. */
  readonly settle: () => Promise<void>;
};

export type Disk = {
  /** Runs `write` so that its commits are handed to the system and not flushed. No other code uses the connection meanwhile. */
  readonly withoutFlush: <T>(write: () => Promise<T>) => Promise<T>;
  /** Resolves when everything that was committed before is on disk. */
  readonly flush: () => Promise<void>;
};

/** The first entries of a queue, as many as one group may have: always one, however large it is. */
function takeGroup(queue: Entry[], kind: WriteKind): Entry[] {
  let count = 0;
  let bytes = 0;
  for (const entry of queue.slice(0, groupLimit[kind])) {
    bytes += entry.bytes;
    if (count > 0 && bytes > groupBytes) break;
    count += 1;
  }
  return queue.splice(0, count);
}

/** @param finish runs at the end of each group, in its transaction */
export function createGroupCommit(
  db: Kysely<Tables>,
  space: Pick<Space, 'admitsOrdinary' | 'asOrdinary'>,
  disk: Disk,
  finish: (trx: Transaction<Tables>) => Promise<unknown>,
): GroupCommit {
  const queues: Record<WriteKind, Entry[]> = { error: [], 'app-error': [], report: [] };
  let running: Promise<void> | undefined;
  /** Committed, and not on disk yet. They count as waiting: a disk that does not answer must not fill the memory. */
  const unflushed: Record<WriteKind, number> = { error: 0, 'app-error': 0, report: 0 };
  /** Of what is queued, being written or unflushed. Who sent it holds it until the answer. */
  const held: Record<WriteKind, number> = { error: 0, 'app-error': 0, report: 0 };
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
            await finish(trx);
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
      const kind = writeKinds.find((one) => queues[one].length > 0);
      if (kind === undefined) break;
      const group = takeGroup(queues[kind], kind);
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

  async function commit(write: Write, kind: WriteKind = 'error', bytes = 0): Promise<CommitResult> {
    const queue = queues[kind];
    if (queue.length + unflushed[kind] >= queueLimit[kind] || held[kind] + bytes > queueBytes) return 'queue-full';
    if (!space.admitsOrdinary()) return 'no-room';
    held[kind] += bytes;
    try {
      return await new Promise((resolve, reject) => {
        queue.push({ write, bytes, resolve, reject });
        running ??= nextTurn().then(drain);
      });
    } finally {
      held[kind] -= bytes;
    }
  }

  return {
    commit,
    async settle() {
      await running;
      await flushing;
    },
  };
}
