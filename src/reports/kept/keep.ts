import 'server-only';

import type { Transaction } from 'kysely';

import { describeError } from '#src/http/describe-error.ts';
import { writeLog } from '#src/http/log.ts';
import { dataFolder } from '#src/store/data-folder.ts';
import { engineOf } from '#src/store/engine-of.ts';
import type { WriteKind } from '#src/store/group-commit.ts';
import { findInstance } from '#src/store/instance.ts';
import { provideAway } from '#src/store/known-away.ts';
import { openStore, type Store } from '#src/store/open-store.ts';
import { isDatabaseGone, NoAnswer } from '#src/store/postgres/postgres-errors.ts';
import type { Tables } from '#src/store/schema.ts';
import { CommitUnknown, deleteOldMarks } from '#src/store/spool/commit-marks.ts';
import { createSpool, type Spool, type SpoolState } from '#src/store/spool/create-spool.ts';
import { listWaiting, spoolFolder } from '#src/store/spool/hold-spool.ts';

import type { Kept } from './kept.ts';
import { createTarget } from './write-spooled.ts';
import { tellWrittenKept, writeKept, type WrittenKept } from './write-kept.ts';

/**
 * Keeps errors, reports and what people write about them: in the database, or on disk while a database that is another process does
 * not answer. Whoever is answered that it is kept can rely on it, wherever it is.
 *
 * SQLite is a part of this process and has no such time.
 */
export type KeepOutcome =
  | ({ readonly status: 'committed' } & WrittenKept)
  /** On disk, and in the database when it answers again. */
  | { readonly status: 'spooled' }
  | { readonly status: 'queue-full' | 'no-room' };

/** A minute of all that apps may send for long (200 errors a second of 4 KiB), and of reports. */
const spoolBytes = 64 * 1024 * 1024;

/**
 * As in the queue for the database: what strangers send leaves room for what apps' servers send, and both for this server's own
 * errors.
 */
const shares = { error: 1, 'app-error': 0.75, report: 0.5 } as const satisfies Record<WriteKind, number>;

/** A write that takes longer means that the database does not answer. It may be stored all the same: it goes on waiting. */
const answerMs = 3_000;

const spools = new WeakMap<Store, Spool>();
/** The server's. */
let started: Spool | undefined;

function findSpool(store: Store): Spool | undefined {
  if (engineOf(store.db) === 'sqlite') return undefined;
  const known = spools.get(store);
  if (known) return known;
  const spool = createSpool(createTarget(store), {
    folder: spoolFolder(dataFolder()),
    limitBytes: spoolBytes,
  });
  spools.set(store, spool);
  return spool;
}

function kindOf(kept: Kept): WriteKind {
  switch (kept.type) {
    case 'error':
    case 'understanding':
      return 'error';
    case 'app-errors':
      return 'app-error';
    case 'received':
      // Whoever has the secret key does not wait behind strangers.
      return kept.occurrence?.type === 'error' ? 'app-error' : 'report';
    case 'feedback':
      return 'report';
  }
}

async function toDatabase(store: Store, kept: Kept, bytes: number): Promise<KeepOutcome> {
  let written: WrittenKept = { hasRoom: true, errors: [], reports: 0 };
  async function write(trx: Transaction<Tables>): Promise<void> {
    written = await writeKept(trx, store, kept);
  }
  const status = await store.commit(write, kindOf(kept), bytes);
  if (status !== 'committed') return { status };
  tellWrittenKept(kept, written);
  return { status, ...written };
}

async function toSpool(spool: Spool, kept: Kept, error?: unknown): Promise<KeepOutcome> {
  const mark = error instanceof CommitUnknown ? error.mark : undefined;
  const result = await spool.keep({ kept, mark }, shares[kindOf(kept)]);
  return { status: result === 'full' ? 'queue-full' : 'spooled' };
}

/**
 * @param bytes what it holds in memory, where its sender decides that
 * @throws the database's error, or the disk's
 */
export async function keep(kept: Kept, bytes = 0): Promise<KeepOutcome> {
  const store = await openStore();
  const spool = findSpool(store);
  if (!spool) return toDatabase(store, kept, bytes);
  if (spool.isHolding()) return toSpool(spool, kept);
  const late = setTimeout(() => spool.noteGone(new NoAnswer(answerMs)), answerMs);
  try {
    return await toDatabase(store, kept, bytes);
  } catch (error) {
    if (!isDatabaseGone(error)) throw error;
    spool.noteGone(error);
    return await toSpool(spool, kept, error);
  } finally {
    clearTimeout(late);
  }
}

/** How often it is asked whether the database answers: so nobody has to wait for it who comes when it is away. */
const watchEveryMs = 1_000;

/** @returns a function that stops */
function watch(store: Store, spool: Spool): () => void {
  let isAsking = false;
  function tellLate(): void {
    spool.noteGone(new NoAnswer(answerMs));
    store.giveUpReads(answerMs);
  }
  async function ask(): Promise<void> {
    // Whoever asks it all the same, because nobody had noticed yet or to see whether it is back, does not wait for the driver.
    if (spool.state().goneSince !== undefined) store.giveUpReads(answerMs);
    if (isAsking || spool.state().goneSince !== undefined) return;
    isAsking = true;
    const late = setTimeout(tellLate, answerMs);
    try {
      await store.ask();
    } catch (error) {
      if (isDatabaseGone(error)) spool.noteGone(error);
    } finally {
      clearTimeout(late);
      isAsking = false;
    }
  }
  const timer = setInterval(() => void ask(), watchEveryMs).unref();
  return () => clearInterval(timer);
}

/** A server that used PostgreSQL left files that one on SQLite never reads. Somebody was told that what is in them is kept. */
function tellForgotten(): void {
  if (findInstance(dataFolder())?.isFirst === false) return;
  const folder = spoolFolder(dataFolder());
  try {
    const files = listWaiting(folder);
    if (files.length > 0) writeLog('warn', 'spool-waits-for-postgresql', { files });
  } catch (error) {
    writeLog('warn', 'spool-not-read', { folder, reason: describeError(error) });
  }
}

/** Writes what is left of earlier processes. @returns a function that stops; what is on disk then is written by the next process */
export function startSpool(store: Store): () => Promise<void> {
  const spool = findSpool(store);
  if (!spool) {
    tellForgotten();
    return async () => undefined;
  }
  spool.start();
  started = spool;
  const stopWatching = watch(store, spool);
  const stopTelling = provideAway(store, isDatabaseAway);
  void deleteOldMarks(store.db).catch(() => undefined);
  return async function stopSpool() {
    stopWatching();
    stopTelling();
    started = undefined;
    await spool.stop();
    spools.delete(store);
  };
}

/** Whether the database answers, and what waits for it. Undefined with SQLite, which is always there. */
export function readSpoolState(store: Store): SpoolState | undefined {
  return findSpool(store)?.state();
}

/** Whether the database of the server is known not to answer. */
export function isDatabaseAway(): boolean {
  return started?.state().goneSince !== undefined;
}

/** Whether an error would be kept while the database is away. */
export function keepsMeanwhile(): boolean {
  return isDatabaseAway() && started?.canKeep() === true;
}
