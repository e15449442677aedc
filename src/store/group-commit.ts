import 'server-only';

import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Kysely, Transaction } from 'kysely';

import type { Tables } from './schema.ts';
import { isNoRoom, type Space } from './space.ts';

/**
 * Writes that arrive in the same turn of the event loop share one transaction. A durable commit waits for the disk once
 * whatever its size, so this is what makes it affordable to answer only after it: measured with synchronous FULL, about
 * 4 000 rows a second one by one, 23 000 in groups of 50.
 *
 * A write that fails rolls back its whole group, innocent ones included. The group is then run again one by one, so that
 * each write stands or falls alone.
 *
 * Errors of the server and reports of strangers never share a group, a queue or a fate: errors go first.
 */
export type Write = (trx: Transaction<Tables>) => Promise<void>;

/** Who is behind a write: the server's own failure, or whoever posted a report. */
export type WriteKind = 'error' | 'report';

export type CommitResult = 'committed' | 'queue-full' | 'no-room';

type Entry = {
  readonly write: Write;
  readonly resolve: (result: CommitResult) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * A group of 200 rows takes some 10 ms of the event loop; a larger one would be felt by the pages being served. A report is
 * up to 150 KiB, so fewer of them are as much.
 */
const groupLimit = { error: 200, report: 20 } as const satisfies Record<WriteKind, number>;
/**
 * Some 5 s of writing on a slow disk. Beyond it the disk is not keeping up, and memory would only hide that. Reports have a
 * queue of their own: twice what the tunnel lets through in a burst, and 30 MB of the largest.
 */
const queueLimit = { error: 2_000, report: 200 } as const satisfies Record<WriteKind, number>;

export type GroupCommit = {
  /**
   * Queues one write; `kind` is `error` unless it says otherwise. Resolves after the commit, to `queue-full` when the write was not even queued and to `no-room` when
   * the disk or the budget is used up, and rejects with the database's error when this write could not be committed.
   */
  readonly commit: (write: Write, kind?: WriteKind) => Promise<CommitResult>;
  /** Resolves when nothing that was queued is left to write. */
  readonly settle: () => Promise<void>;
};

export function createGroupCommit(
  db: Kysely<Tables>,
  space: Pick<Space, 'admitsOrdinary' | 'asOrdinary'>,
): GroupCommit {
  const queues: Record<WriteKind, Entry[]> = { error: [], report: [] };
  let running: Promise<void> | undefined;

  async function runTogether(group: readonly Entry[]): Promise<void> {
    await db.transaction().execute(async (trx) => {
      await space.asOrdinary(async () => {
        for (const entry of group) await entry.write(trx);
      });
    });
    for (const entry of group) entry.resolve('committed');
  }

  async function runAlone(entry: Entry): Promise<void> {
    try {
      await runTogether([entry]);
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
        await runTogether(group);
      } catch (error) {
        if (isNoRoom(error)) {
          for (const entry of group) entry.resolve('no-room');
          continue;
        }
        // Not lost: each is run again alone, and the one that fails then is told why.
        for (const entry of group) await runAlone(entry);
      }
    }
    running = undefined;
  }

  function commit(write: Write, kind: WriteKind = 'error'): Promise<CommitResult> {
    const queue = queues[kind];
    if (queue.length >= queueLimit[kind]) return Promise.resolve('queue-full');
    if (!space.admitsOrdinary()) return Promise.resolve('no-room');
    return new Promise((resolve, reject) => {
      queue.push({ write, resolve, reject });
      running ??= nextTurn().then(drain);
    });
  }

  return { commit, settle: async () => running };
}
