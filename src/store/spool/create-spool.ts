import { type FileHandle, open, rm } from 'node:fs/promises';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';

import { describeError } from '#boundary';
import { writeLog } from '#src/server/http/log.ts';

import { prepareFolder } from '../data-folder.ts';
import { type HeldSpool, holdNewSpool, takeLeftSpools } from './hold-spool.ts';
import { readSpool } from './read-spool.ts';
import type { SpoolRecord } from './record-line.ts';
import { createSpoolFile, type SpoolFile } from './spool-file.ts';

/**
 * What is kept while the database does not answer. It is added to a file in the data folder and flushed there before anybody is told
 * that it is kept. When the database answers again, it is written there in the order in which it came.
 *
 * From the first failure until the file is written, everything new goes to the file as well: so the order holds, and nothing
 * waits for a connection that is known to be gone. Whoever reads waits for the file no longer than for the database: as soon as it
 * answers again, it counts as back.
 *
 * Exactly once: the position of each batch is written in the transaction that writes the batch. A process that ends between that
 * commit and the next batch leaves a file whose next reader finds the position in the database.
 */
export type Spool = {
  /** Whether what is to be kept goes here now, and not to the database. */
  readonly isHolding: () => boolean;
  /** Somebody met that the database does not answer. */
  readonly noteGone: (error: unknown) => void;
  /**
   * When it resolves to `spooled`, the record is on disk.
   * @param share of the spool that records of this kind may fill
   * @throws when there is no disk, or the disk's error
   */
  readonly keep: (kept: unknown, share: number) => Promise<'spooled' | 'full'>;
  /** Whether the next record may be taken, as far as that can be said before it is tried. */
  readonly canKeep: () => boolean;
  readonly state: () => SpoolState;
  /** Writes what ended processes left, and from then on what this one leaves. */
  readonly start: () => void;
  /** What is in the file stays there for the next process. */
  readonly stop: () => Promise<void>;
};

export type SpoolState = {
  /** Since when the database has not answered; undefined when it answers. Milliseconds since 1970. */
  readonly goneSince: number | undefined;
  /** In this process's file. */
  readonly bytes: number;
  readonly limitBytes: number;
  /** The next are counts of this process, since it started. Records that were added. */
  readonly spooled: number;
  /** Records that are in the database by now; those of ended processes too. */
  readonly written: number;
  /** Records that were not taken, because the spool was full. */
  readonly full: number;
  /** Records that the database refused. */
  readonly refused: number;
  /** Lines that could not be read. */
  readonly damaged: number;
};

export type Batch = {
  /** Whose position `through` is. */
  readonly spool: string;
  readonly records: readonly SpoolRecord[];
  /** The number of the last record. */
  readonly through: number;
  /** Lines among them that could not be read. */
  readonly damaged: number;
};

export type SpoolTarget = {
  /** @throws while the database does not answer */
  readonly probe: () => Promise<void>;
  /**
   * Writes what is not behind the spool's position already, and the position, in one transaction.
   * @returns how many the database refused
   * @throws when it does not answer
   */
  readonly write: (batch: Batch) => Promise<number>;
};

export type SpoolOptions = {
  readonly folder: string;
  readonly limitBytes: number;
  readonly retryMs?: { readonly least: number; readonly most: number };
  /** For tests. */
  readonly create?: (file: string) => Promise<SpoolFile>;
};

/** Some 20 ms of the event loop, as much as a group of usual writes. */
const batchRecords = 50;
const batchBytes = 512 * 1024;
/** A database takes some seconds to start. With a random part: many instances do not all come back at the same moment. */
const usualRetryMs = { least: 500, most: 1_000 };

type Own = {
  readonly held: HeldSpool;
  readonly file: Promise<SpoolFile>;
  /** What the file had when it was last looked at. */
  size: () => number;
  /** Records that are about to be added. */
  adding: number;
  /** How far it is in the database. */
  writtenTo: number;
};

type FileBatch = { readonly batch: Batch; readonly to: number };

async function* readBatches(
  spool: string,
  handle: FileHandle,
  { from, end }: { readonly from: number; readonly end: number },
): AsyncGenerator<FileBatch, void> {
  let records: SpoolRecord[] = [];
  let [to, begun, damaged, through] = [from, from, 0, 0];
  for await (const entry of readSpool(handle, { from, end })) {
    to += entry.bytes;
    if (entry.type === 'damaged') damaged += 1;
    // A number that was seen is left of a write that failed and could not be taken back.
    else if (entry.record.n > through) {
      records.push(entry.record);
      through = entry.record.n;
    }
    if (records.length < batchRecords && to - begun < batchBytes) continue;
    yield { batch: { spool, records, through, damaged }, to };
    [records, damaged, begun] = [[], 0, to];
  }
  if (to > begun) yield { batch: { spool, records, through, damaged }, to };
}

/** The database did not take it, for now. */
class NotWritten extends Error {
  constructor(cause: unknown) {
    super('not written', { cause });
  }
}

/** Counts, and says in the log when the database goes, when it is back, and when all that was kept meanwhile is written. */
function createTelling() {
  const counts = { spooled: 0, written: 0, full: 0, refused: 0, damaged: 0 };
  let goneSince: number | undefined;
  /** Before the database went away, or took too long; until all is written. */
  let countsBefore: typeof counts | undefined;

  /** From here on it is told what became of what is kept. */
  function beginCount(): void {
    countsBefore ??= { ...counts };
  }

  function tellGone(error: unknown): void {
    if (goneSince !== undefined) return;
    goneSince = Date.now();
    beginCount();
    writeLog('error', 'database-gone', { reason: describeError(error) });
  }

  function tellBack(): void {
    if (goneSince === undefined) return;
    writeLog('info', 'database-back', { seconds: Math.round((Date.now() - goneSince) / 100) / 10 });
    goneSince = undefined;
  }

  function tellWritten(): void {
    if (!countsBefore) return;
    const { spooled, written, full, refused, damaged } = counts;
    const before = countsBefore;
    countsBefore = undefined;
    const lost = full + refused + damaged - before.full - before.refused - before.damaged;
    if (spooled === before.spooled && written === before.written && lost === 0) return;
    const figures = { spooled: spooled - before.spooled, written: written - before.written, lost };
    writeLog(lost > 0 ? 'error' : 'info', 'spool-written', figures);
  }

  return { counts, goneSince: () => goneSince, beginCount, tellGone, tellBack, tellWritten };
}

/** What is not in the database yet. */
type Holding = {
  /** This process's file, while there is something in it. */
  own: Own | undefined;
  /** What ended processes left is to be written. */
  isLeftDue: boolean;
  /** It answered, and then did not take what was to be written: the next answer alone does not count as back. */
  mustWrite: boolean;
};

type WriterParts = Pick<SpoolOptions, 'folder'> & {
  readonly holding: Holding;
  readonly telling: ReturnType<typeof createTelling>;
  readonly signal: AbortSignal;
};

/** Writes what is held to the database. @throws NotWritten where it was not taken */
function createSpoolWriter(target: SpoolTarget, { folder, holding, telling, signal }: WriterParts) {
  const { counts, tellBack } = telling;

  async function writeBatch(batch: Batch): Promise<void> {
    const refused = await target.write(batch).catch((error: unknown) => {
      throw new NotWritten(error);
    });
    counts.refused += refused;
    counts.written += batch.records.length - refused;
    counts.damaged += batch.damaged;
    holding.mustWrite = false;
    tellBack();
    const { spool, damaged } = batch;
    if (refused > 0 || damaged > 0) writeLog('error', 'spool-not-whole', { spool, refused, damaged });
  }

  async function writeLeftOne({ id, file }: HeldSpool): Promise<void> {
    const handle = await open(file, 'r');
    try {
      for await (const { batch } of readBatches(id, handle, { from: 0, end: Infinity })) await writeBatch(batch);
    } finally {
      await handle.close();
    }
    await rm(file);
  }

  async function writeLeft(): Promise<void> {
    if (!holding.isLeftDue) return;
    try {
      for (const held of takeLeftSpools(folder)) {
        try {
          await writeLeftOne(held);
        } finally {
          held.release();
        }
      }
    } catch (error) {
      tellUnreadable(error);
    }
    holding.isLeftDue = false;
  }

  /** What the disk does not give stays there for the next process. @throws when it was the database */
  function tellUnreadable(error: unknown): void {
    if (error instanceof NotWritten) throw error;
    writeLog('error', 'spool-not-read', { folder, reason: describeError(error) });
  }

  /** Until nothing was added while the rest was written. From the same turn on, new records go to the database again. */
  async function writeOwn(): Promise<void> {
    while (holding.own) {
      const mine = holding.own;
      const file = await mine.file;
      const range = { from: mine.writtenTo, end: file.size() };
      try {
        for await (const { batch, to } of readBatches(mine.held.id, file.handle, range)) {
          await writeBatch(batch);
          mine.writtenTo = to;
          if (signal.aborted) return;
        }
      } catch (error) {
        tellUnreadable(error);
        holding.own = undefined;
        await file.close();
        mine.held.release();
        return;
      }
      // What is being added is waited for, and not asked for again and again in the same turn.
      if (mine.adding > 0) await nextTurn();
      if (file.size() !== range.end || mine.adding > 0) continue;
      holding.own = undefined;
      await file.remove();
      mine.held.release();
    }
  }

  return { writeLeft, writeOwn };
}

export function createSpool(target: SpoolTarget, options: SpoolOptions): Spool {
  const { folder, limitBytes, retryMs = usualRetryMs, create = createSpoolFile } = options;
  const stopping = new AbortController();
  const telling = createTelling();
  const { counts, tellGone, tellBack, tellWritten } = telling;
  /** The disk did not take the last record. */
  let isFailing = false;
  const holding: Holding = { own: undefined, isLeftDue: false, mustWrite: false };
  const { signal } = stopping;
  const { writeLeft, writeOwn } = createSpoolWriter(target, { folder, holding, telling, signal });
  let working: Promise<void> | undefined;

  function findOwn(): Own {
    if (holding.own) return holding.own;
    const held = holdNewSpool(folder);
    const mine: Own = { held, file: create(held.file), size: () => 0, adding: 0, writtenTo: 0 };
    holding.own = mine;
    mine.file.then(
      (file) => (mine.size = file.size),
      () => {
        if (holding.own === mine) holding.own = undefined;
        held.release();
      },
    );
    return mine;
  }

  async function append(mine: Own, kept: unknown, share: number): Promise<number | 'full'> {
    mine.adding += 1;
    try {
      return await (await mine.file).append(kept, share * limitBytes);
    } finally {
      mine.adding -= 1;
    }
  }

  async function work(): Promise<void> {
    while (!signal.aborted) {
      try {
        await target.probe();
        if (!holding.mustWrite) tellBack();
        await writeLeft();
        await writeOwn();
        if (holding.own) continue;
        holding.mustWrite = false;
        tellBack();
        tellWritten();
        break;
      } catch (error) {
        holding.mustWrite ||= error instanceof NotWritten;
        tellGone(error instanceof NotWritten ? error.cause : error);
      }
      const ms = retryMs.least + Math.random() * (retryMs.most - retryMs.least);
      await pause(ms, undefined, { signal }).catch(() => undefined);
    }
    // In the same turn as the look at what is held: whoever adds a record later begins again.
    working = undefined;
  }

  function begin(): void {
    if (!signal.aborted) working ??= work();
  }

  return {
    isHolding: () => telling.goneSince() !== undefined || holding.own !== undefined,
    noteGone(error) {
      tellGone(error);
      begin();
    },
    async keep(kept, share) {
      telling.beginCount();
      try {
        const added = await append(findOwn(), kept, share);
        isFailing = false;
        counts[added === 'full' ? 'full' : 'spooled'] += 1;
        return added === 'full' ? 'full' : 'spooled';
      } catch (error) {
        isFailing = true;
        throw error;
      } finally {
        begin();
      }
    },
    canKeep() {
      try {
        prepareFolder(folder);
        return !isFailing && (holding.own?.size() ?? 0) < limitBytes;
      } catch {
        return false;
      }
    },
    state: () => ({ goneSince: telling.goneSince(), bytes: holding.own?.size() ?? 0, limitBytes, ...counts }),
    start() {
      holding.isLeftDue = true;
      begin();
    },
    async stop() {
      stopping.abort();
      await working;
      const mine = holding.own;
      holding.own = undefined;
      if (!mine) return;
      try {
        await (await mine.file).close();
        mine.held.release();
      } catch {
        // It could not be made: whoever added to it was told.
      }
    },
  };
}
