import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Kysely, Transaction } from 'kysely';

import { createHistogram, type Histogram } from '#src/server/http/histogram.ts';
import { createTally } from '#src/server/http/tally.ts';

import { isDatabaseGone, NoAnswer } from './postgres/postgres-errors.ts';
import type { Tables } from './schema.ts';
import { isNoRoom, type Space } from './space.ts';
import type { CommitMarks } from './spool/commit-marks.ts';

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
 *
 * A database that is another process can go away. Then nothing is run again: its group may be committed, and its mark says so later.
 * What waits is given back at once, since whoever sent it can keep it elsewhere.
 *
 * Whoever can keep it elsewhere need not wait for that, either: it is given back when its patience ends. What is being written then may
 * be committed all the same, which its mark says, too.
 */
export type Write = (trx: Transaction<Tables>) => Promise<void>;

/**
 * What caused a write: an error of this server, one that an app's server sent with its key, or an untrusted error that anybody may post.
 */
const writeKinds = ['error', 'app-error', 'untrusted'] as const;

export type WriteKind = (typeof writeKinds)[number];

type CommitResult = 'committed' | 'queue-full' | 'no-room';

/** How long the sender waits for the commit, where it can keep the write elsewhere. */
type Patience = {
  readonly ms: number;
  /** It was committed after its sender had left. */
  readonly onLate: () => void;
};

type Entry = {
  readonly write: Write;
  readonly bytes: number;
  readonly onLate: (() => void) | undefined;
  /** Its sender keeps it elsewhere by now. */
  isLeft: boolean;
  readonly resolve: (result: CommitResult) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * A group of 200 rows takes some 10 ms of the event loop. A larger one would slow down the pages. An untrusted error is up to
 * 150 KiB, so a group of those has fewer. An app's error may be as large and mostly has a few KiB. So its group also ends at a number
 * of bytes.
 */
const groupLimit = { error: 200, 'app-error': 50, untrusted: 20 } as const satisfies Record<WriteKind, number>;
const groupBytes = 512 * 1024;
/**
 * Some 5 s of writing on a slow disk. A longer queue would only hide that the disk is too slow. Untrusted errors have a queue of their
 * own: twice what the tunnel lets through in a burst, and 30 MB when all are of the largest size. Errors of apps may take the
 * same 30 MB: a thousand of usual size, or two hundred of the largest.
 */
const queueLimit = { error: 2_000, 'app-error': 1_000, untrusted: 200 } as const satisfies Record<WriteKind, number>;
const queueBytes = 30 * 1024 * 1024;

export type GroupCommit = {
  /**
   * Queues one write; `kind` is `error` unless it says otherwise, and `bytes` what the write holds in memory, where its sender decides
   * that. Where its patience ends before, it rejects as if the database were gone. Resolves after the commit, to `queue-full` when the
   * write was not even queued and to `no-room` when the disk or the budget is used up, and rejects with the database's error when this
   * write could not be committed.
   */
  readonly commit: (write: Write, kind?: WriteKind, bytes?: number, patience?: Patience) => Promise<CommitResult>;
  /** Resolves when nothing that was queued is left to write or to flush. */
  readonly settle: () => Promise<void>;
};

export type Disk = {
  /** Runs `write` so that its commits are handed to the system and not flushed. No other code uses the connection meanwhile. */
  readonly withoutFlush: <T>(write: () => Promise<T>) => Promise<T>;
  /** Resolves when everything that was committed before is on disk. */
  readonly flush: () => Promise<void>;
};

/** For `/metrics`: from the call to the disk's word, by kind, of what was committed. */
export const commitSeconds: Readonly<Record<WriteKind, Histogram>> = {
  error: createHistogram(),
  'app-error': createHistogram(),
  untrusted: createHistogram(),
};
/** What was not committed, by kind and reason. */
export const commitRefusals = createTally();

export type CommitQueue = { readonly kind: WriteKind; readonly waiting: number; readonly bytes: number };

/** A process has one store. */
let readLatest: () => readonly CommitQueue[] = () => [];

/** What waits in this process to be written or flushed. */
export function readCommitQueues(): readonly CommitQueue[] {
  return readLatest();
}

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

type GroupCommitParts = {
  /** For a database that can go away. */
  readonly marks?: CommitMarks;
};

/** What waits: to be written, to be on disk. */
type Waits = {
  readonly queues: Readonly<Record<WriteKind, Entry[]>>;
  /** The group whose transaction is open. */
  writing: readonly Entry[];
  /** Committed, and not on disk yet. They count as waiting: a disk that does not answer must not fill the memory. */
  readonly unflushed: Record<WriteKind, number>;
  /** Bytes of what is queued, being written or unflushed. Who sent it holds it until the answer. */
  readonly held: Record<WriteKind, number>;
};

type WriterParts = GroupCommitParts & {
  readonly db: Kysely<Tables>;
  readonly space: Pick<Space, 'asOrdinary'>;
  readonly disk: Disk;
  readonly finish: (trx: Transaction<Tables>) => Promise<unknown>;
};

/** Writes what is queued, a group at a time. */
function createGroupWriter(waits: Waits, { db, space, disk, finish, marks }: WriterParts) {
  let flushing: Promise<void> | undefined;

  async function tellWhenFlushed(group: readonly Entry[], kind: WriteKind): Promise<void> {
    // Without their writes: the rows are in the log, and must not stay in memory until the disk answers.
    const waiting = group.map((entry) => ({
      resolve: entry.isLeft && entry.onLate ? entry.onLate : () => entry.resolve('committed'),
      reject: entry.reject,
    }));
    waits.unflushed[kind] += waiting.length;
    try {
      await disk.flush();
      for (const { resolve } of waiting) resolve();
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    } finally {
      waits.unflushed[kind] -= waiting.length;
    }
  }

  async function writeGroup(group: readonly Entry[]): Promise<void> {
    marks?.begin();
    await db.connection().execute(async (connection) => {
      await disk.withoutFlush(() =>
        connection.transaction().execute(async (trx) => {
          await space.asOrdinary(async () => {
            for (const entry of group) await entry.write(trx);
            await finish(trx);
            await marks?.write(trx);
          });
        }),
      );
    });
  }

  async function runTogether(group: readonly Entry[], kind: WriteKind): Promise<void> {
    waits.writing = group;
    try {
      await writeGroup(group);
    } finally {
      waits.writing = [];
    }
    flushing = tellWhenFlushed(group, kind);
  }

  /** @param untried not even begun. @returns false when it was another error */
  function giveBack(group: readonly Entry[], untried: readonly Entry[], error: unknown): boolean {
    if (!marks || !isDatabaseGone(error)) return false;
    const unknown = marks.fail(error);
    for (const { reject } of group) reject(unknown);
    const waiting = writeKinds.flatMap((kind) => waits.queues[kind].splice(0));
    for (const { reject } of [...untried, ...waiting]) reject(error);
    return true;
  }

  /** What a sender keeps elsewhere is not in the database, and no later group may say that it is: its writer's name is not used again. */
  function noteRolledBack(group: readonly Entry[], error: unknown): void {
    if (group.some(({ isLeft }) => isLeft)) marks?.fail(error);
  }

  /** Each write alone: the one that fails then gets the error. */
  async function runOneByOne(group: readonly Entry[], kind: WriteKind): Promise<void> {
    for (const [index, entry] of group.entries()) {
      if (entry.isLeft) continue;
      try {
        await runTogether([entry], kind);
      } catch (error) {
        if (giveBack([entry], group.slice(index + 1), error)) return;
        noteRolledBack([entry], error);
        entry.reject(error);
      }
    }
  }

  /** @param end called in the same turn as the last look at the queues: whoever adds a write later begins again */
  async function drain(end: () => void): Promise<void> {
    for (;;) {
      const kind = writeKinds.find((one) => waits.queues[one].length > 0);
      if (kind === undefined) break;
      const group = takeGroup(waits.queues[kind], kind);
      try {
        await runTogether(group, kind);
      } catch (error) {
        if (giveBack(group, [], error)) continue;
        noteRolledBack(group, error);
        if (isNoRoom(error)) {
          for (const entry of group) entry.resolve('no-room');
          continue;
        }
        await runOneByOne(group, kind);
      }
    }
    end();
  }

  return { drain, flushed: () => flushing };
}

/** @param finish runs at the end of each group, in its transaction */
export function createGroupCommit(
  db: Kysely<Tables>,
  space: Pick<Space, 'admitsOrdinary' | 'asOrdinary'>,
  disk: Disk,
  finish: (trx: Transaction<Tables>) => Promise<unknown>,
  { marks }: GroupCommitParts = {},
): GroupCommit {
  const waits: Waits = {
    queues: { error: [], 'app-error': [], untrusted: [] },
    writing: [],
    unflushed: { error: 0, 'app-error': 0, untrusted: 0 },
    held: { error: 0, 'app-error': 0, untrusted: 0 },
  };
  const { queues, unflushed, held } = waits;
  const { drain, flushed } = createGroupWriter(waits, { db, space, disk, finish, ...(marks ? { marks } : {}) });
  let running: Promise<void> | undefined;

  function readQueues(): readonly CommitQueue[] {
    return writeKinds.map((kind) => ({ kind, waiting: queues[kind].length + unflushed[kind], bytes: held[kind] }));
  }

  function leave(entry: Entry, kind: WriteKind, error: NoAnswer): void {
    entry.isLeft = true;
    const at = queues[kind].indexOf(entry);
    if (at >= 0) queues[kind].splice(at, 1);
    entry.reject(marks && waits.writing.includes(entry) ? marks.leave(error) : error);
  }

  async function enqueue(
    write: Write,
    kind: WriteKind,
    bytes: number,
    patience: Patience | undefined,
  ): Promise<CommitResult> {
    const queue = queues[kind];
    if (queue.length + unflushed[kind] >= queueLimit[kind] || held[kind] + bytes > queueBytes) return 'queue-full';
    if (!space.admitsOrdinary()) return 'no-room';
    held[kind] += bytes;
    const { promise, resolve, reject } = Promise.withResolvers<CommitResult>();
    const entry: Entry = { write, bytes, onLate: patience?.onLate, isLeft: false, resolve, reject };
    const late = patience && setTimeout(() => leave(entry, kind, new NoAnswer(patience.ms)), patience.ms);
    try {
      queue.push(entry);
      running ??= nextTurn().then(() => drain(() => (running = undefined)));
      return await promise;
    } finally {
      clearTimeout(late);
      held[kind] -= bytes;
    }
  }

  async function commit(
    write: Write,
    kind: WriteKind = 'error',
    bytes = 0,
    patience?: Patience,
  ): Promise<CommitResult> {
    const began = performance.now();
    let result: CommitResult | 'failed' = 'failed';
    try {
      result = await enqueue(write, kind, bytes, patience);
      return result;
    } finally {
      if (result === 'committed') commitSeconds[kind].observe((performance.now() - began) / 1_000);
      else commitRefusals.add(kind, result);
    }
  }

  readLatest = readQueues;
  return {
    commit,
    async settle() {
      await running;
      await flushed();
    },
  };
}
