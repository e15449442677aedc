import 'server-only';

import type { Transaction } from 'kysely';

import { describeError } from '#boundary';
import { writeLog } from '#src/server/http/log.ts';
import { dataFolder } from '#src/store/data-folder.ts';
import { dialectOf } from '#src/store/dialect.ts';
import { isTrusted } from '#src/store/event-columns.ts';
import type { WriteKind } from '#src/store/group-commit.ts';
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
 * Keeps errors, untrusted errors and what people write about them: in the database, or on disk while a database that is another process
 * does not answer. Whoever is answered that it is kept can rely on it, wherever it is.
 *
 * SQLite is a part of this process and has no such time.
 */
export type KeepOutcome =
  | ({ readonly status: 'committed' } & WrittenKept)
  /** On disk, and in the database when it answers again. */
  | { readonly status: 'spooled' }
  | { readonly status: 'queue-full' | 'no-room' };

/** A minute of all that apps may send for long (200 errors a second of 4 KiB), and of untrusted errors. */
const spoolBytes = 64 * 1024 * 1024;

/**
 * As in the queue for the database: what strangers send leaves room for what apps' servers send, and both for this server's own
 * errors.
 */
const shares = { error: 1, 'app-error': 0.75, untrusted: 0.5 } as const satisfies Record<WriteKind, number>;

/** A database that takes longer does not answer. */
const answerMs = 3_000;
/**
 * Whoever sends these is held up by the wait, with a place that others need: an app's servers have 128 (sdk-untrusted errors.ts), so they
 * can send 250 a second until it is noticed that the database does not answer. A usual commit takes some 10 ms, one of a busy server 100.
 */
const soonMs = 500;

const spools = new WeakMap<Store, Spool>();
/** The server's. */
let started: Spool | undefined;

function findSpool(store: Store): Spool | undefined {
  if (!dialectOf(store.db).isRemote) return undefined;
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
    case 'own':
    case 'understanding':
      return 'error';
    case 'app-events':
      return 'app-error';
    case 'envelope':
      // Whoever has the secret key does not wait behind strangers.
      return kept.event && isTrusted(kept.event.row.side) ? 'app-error' : 'untrusted';
    case 'feedback':
      return 'untrusted';
  }
}

/** An error of our own is looked for as soon as its page is seen: so it is in the database, unless that does not answer at all. */
function patienceOf(kept: Kept): number {
  return kindOf(kept) === 'error' ? answerMs : soonMs;
}

async function toDatabase(store: Store, kept: Kept, bytes: number, patienceMs?: number): Promise<KeepOutcome> {
  let written: WrittenKept = { hasRoom: true, errors: [], untrusted: 0 };
  async function write(trx: Transaction<Tables>): Promise<void> {
    written = await writeKept(trx, store, kept);
  }
  const onLate = () => tellWrittenKept(kept, written);
  const patience = patienceMs === undefined ? undefined : { ms: patienceMs, onLate };
  const status = await store.commit(write, kindOf(kept), bytes, patience);
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
  const patienceMs = patienceOf(kept);
  try {
    const outcome = await toDatabase(store, kept, bytes, patienceMs);
    // More wait for the database than it has taken for a while.
    return outcome.status === 'queue-full' ? await toSpool(spool, kept) : outcome;
  } catch (error) {
    if (!isDatabaseGone(error)) throw error;
    // A slow answer alone does not say that the database is away.
    if (patienceMs >= answerMs || !isLate(error)) spool.noteGone(error);
    return await toSpool(spool, kept, error);
  }
}

function isLate(error: Error): boolean {
  return error instanceof NoAnswer || error.cause instanceof NoAnswer;
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
