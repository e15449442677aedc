import type { KnownSecret } from '#flight';
import type { InstalledPackage } from '#src/apps/advisories/read-installed.ts';
import { ownApp } from '#src/store/own-app.ts';

import type { Loss } from '../flight/drops.ts';
import type { ModuleFiles } from '../flight/module-files.ts';
import type { TracePart } from '../traces/pack-spans.ts';
import type { DescribedExchange } from './exchange/describe-exchange.ts';
import type { FlightEntry, MeasureHtml } from './flight-values.ts';
import type { UsageNote, WriterState } from './flight-writer.ts';
import { createAppShares, flightBytes } from './app-shares.ts';
import { deletedAtOnce, deleteCounted, deleteRows, listOldest, listOldestOf, listTooOld } from './delete-rows.ts';
import { createGuardCounts } from './count-for-guard.ts';
import { leakTable, stormTable } from './counted-table.ts';
import { insertCounted } from './insert-counted.ts';
import { insertSpans } from './insert-spans.ts';
import { createTryInsert } from './insert-try.ts';
import { createFlightInsert } from './insert-flight.ts';
import { findFlightsInode, openFlightsFile, type OpenedFlights } from './open-flights.ts';
import { addLosses, deleteOfApp, keepInstalled, keepModules, keepRecord } from './keep-of-app.ts';
import { noteLearnt, noteUsage } from './note-use.ts';
import { createPrepare } from './prepare.ts';
import { readOldest } from './read-stored.ts';
import { createWritten, type TellFlights } from './written.ts';

/**
 * Writes flights to SQLite's file, and takes the oldest out again, of the app that has most. A body is deleted with the last flight that
 * carried it.
 */
export type SqliteWriterOptions = {
  readonly folder: string;
  readonly bytesLimit: number;
  readonly ageMs: number;
  readonly onDamage: (reason: string) => void;
  readonly tell?: TellFlights | undefined;
  /** What is looked for besides keys of providers. Undefined: nothing is looked for or counted, as in a spool. */
  readonly knownSecrets?: readonly KnownSecret[] | undefined;
};

/** How long one slice of a long deletion keeps the thread: new flights are written between two of them. */
const sliceMs = 50;
/** What eviction frees in addition, as a share of the budget, so that the next flight does not need it again. */
const evictionMargin = 1 / 64;
/** Of the budget: which app has most is counted again after so much was freed. */
const countedAgain = 1 / 16;
/** Pages of 8 KiB given back to the file system at once. */
const pagesReleasedAtOnce = 512;
/** No file has it. */
const noInode = -1;

/** What is open, made anew with each file. */
type OpenFile = Pick<OpenedFlights, 'database'> & {
  inode: OpenedFlights['inode'];
  readonly prepare: ReturnType<typeof createPrepare>;
  readonly flights: ReturnType<typeof createFlightInsert>;
  readonly shares: ReturnType<typeof createAppShares>;
  /** By SQLite: another one when another process has committed. */
  dataVersion: number;
  /** The last of our own flights that made room. */
  lastOwnFreed: number;
};

function readNumber({ prepare }: Pick<OpenFile, 'prepare'>, sql: string): number {
  return Number(Object.values(prepare(sql).get() ?? {})[0] ?? 0);
}

function usedBytes(file: OpenFile): number {
  return (
    (readNumber(file, 'pragma page_count') - readNumber(file, 'pragma freelist_count')) *
    readNumber(file, 'pragma page_size')
  );
}

function releasePages({ database }: OpenFile): void {
  database.exec(`pragma incremental_vacuum(${pagesReleasedAtOnce})`);
}

/** Moves the log's content into the file and empties the log: what was deleted is then in neither. */
function emptyLog({ database }: OpenFile): void {
  database.exec('pragma wal_checkpoint(truncate)');
}

function deleteFlights({ prepare, flights }: OpenFile, ids: readonly number[]): void {
  for (const hash of deleteRows(prepare, ids)) flights.forgetBody(hash);
}

function readState(file: OpenFile): WriterState {
  const oldest = file.prepare('select started_at from flight order by id limit 1').get()?.['started_at'];
  return {
    bytes: usedBytes(file),
    lastId: readNumber(file, 'select max(id) from flight'),
    oldestAt: typeof oldest === 'number' ? oldest : undefined,
  };
}

/** Our own have no index by app (migrations.ts), so a look for the oldest goes on where the last one ended. */
function readOldestOf({ prepare, lastOwnFreed }: OpenFile, app: string, most: number) {
  const ofApp = app === ownApp ? 'flight.id > ?2' : `app != '${ownApp}' and ?2 = ?2`;
  return prepare(
    `select flight.id, started_at, ${flightBytes} as bytes
    from flight left join body on body.id = flight.body_id where app = ?1 and ${ofApp} order by flight.id limit ${most}`,
  ).all(app, lastOwnFreed);
}

/** The oldest flights of an app that together have about `bytes`. It is an estimate: a body may be shared. */
function freeOldestOf(file: OpenFile, app: string, bytes: number): number {
  const ids: number[] = [];
  let sum = 0;
  for (const row of readOldestOf(file, app, deletedAtOnce)) {
    if (sum >= bytes) break;
    ids.push(Number(row['id']));
    sum += Number(row['bytes']);
  }
  deleteFlights(file, ids);
  if (app === ownApp) file.lastOwnFreed = ids.at(-1) ?? 0;
  const [oldest] = readOldestOf(file, app, 1);
  const spans = file.prepare('delete from span where app = ? and received_at < ?');
  const { changes } = spans.run(app, Number(oldest?.['started_at'] ?? Date.now()));
  file.shares.noteFreed(app, sum);
  return ids.length + Number(changes);
}

/** Opens the file, and again where it was moved. Its members are always those of the file that is open. */
function followFlightsFile(
  options: SqliteWriterOptions,
  used: Map<string, number>,
  guard: ReturnType<typeof createGuardCounts> | undefined,
) {
  function connect({ database, inode, movedAside }: OpenedFlights): OpenFile {
    if (movedAside) options.onDamage(movedAside);
    const prepare = createPrepare(database);
    const flights = createFlightInsert(prepare, used, guard);
    const shares = createAppShares(prepare, options.bytesLimit * countedAgain);
    return { database, inode, prepare, flights, shares, dataVersion: Number.NaN, lastOwnFreed: 0 };
  }

  const file = connect(openFlightsFile(options.folder));

  /** @param damaged whether the file is to be moved away first */
  function reopen(damaged: boolean): void {
    const moved = damaged ? file.inode : undefined;
    if (file.database.isOpen) file.database.close();
    // When the disk is full and nothing can be opened, the next call tries again.
    file.inode = noInode;
    Object.assign(file, connect(openFlightsFile(options.folder, moved)));
  }

  return { file, reopen };
}

/** What takes flights out again. @param used what is known of prefetches that are not written yet */
function createDeletions(
  file: OpenFile,
  { ageMs }: Pick<SqliteWriterOptions, 'ageMs'>,
  transact: (run: () => void) => void,
  used: Map<string, number>,
) {
  return {
    /** Deletes one batch of what is too old. @returns false when nothing was */
    deleteTooOld(now: number): boolean {
      transact(() => {
        deleteCounted(file.prepare, 'last_at < ?', now - ageMs);
        // A span comes after its request began, so what came before this time belongs to no flight that is there.
        file.prepare('delete from span where received_at < ?').run(now - ageMs);
      });
      const ids = listTooOld(file.prepare, now - ageMs);
      if (ids.length === 0) return false;
      transact(() => deleteFlights(file, ids));
      releasePages(file);
      return true;
    },
    /** Returns when its bytes are in no file any more. */
    delete(id: number): void {
      transact(() => deleteFlights(file, [id]));
      releasePages(file);
      emptyLog(file);
    },
    deleteAll(): void {
      for (let ids = listOldest(file.prepare); ids.length > 0; ids = listOldest(file.prepare)) {
        transact(() => deleteFlights(file, ids));
      }
      transact(() => {
        file.prepare('delete from loss').run();
        deleteCounted(file.prepare, 'true');
        file.prepare('delete from span').run();
      });
      file.flights.forgetVisits();
      used.clear();
      file.database.exec('pragma incremental_vacuum');
      emptyLog(file);
    },
    /** Of another app than our own: the oldest, for some milliseconds. */
    deleteSlice(app: string, upTo: number): void {
      transact(() => {
        deleteCounted(file.prepare, 'app = ?', app);
        deleteOfApp(file.prepare, app);
      });
      const end = performance.now() + sliceMs;
      do {
        const ids = listOldestOf(file.prepare, app, upTo);
        if (ids.length === 0) return;
        transact(() => deleteFlights(file, ids));
        releasePages(file);
      } while (performance.now() < end);
    },
    /** Of a spool: what was sent. */
    forget(ids: readonly number[]): void {
      transact(() => deleteFlights(file, ids));
      releasePages(file);
    },
  };
}

export function createFlightWriter(options: SqliteWriterOptions) {
  const used = new Map<string, number>();
  const written = createWritten(options.tell);
  const guard = options.knownSecrets && createGuardCounts(options.knownSecrets);
  const { file, reopen } = followFlightsFile(options, used, guard);

  /** What another process commits may delete a body, and a new one may get its id. */
  function forgetWhatChanged(): void {
    const version = readNumber(file, 'pragma data_version');
    if (version !== file.dataVersion) file.flights.forgetBodies();
    file.dataVersion = version;
  }

  function transact(run: () => void): void {
    file.database.exec('begin immediate');
    try {
      forgetWhatChanged();
      run();
      file.database.exec('commit');
      written.commit();
    } catch (error) {
      // After some errors SQLite has rolled back already.
      if (file.database.isTransaction) file.database.exec('rollback');
      file.flights.forgetBodies();
      written.rollback();
      throw error;
    }
  }

  function writeCounted(): void {
    const counted = guard?.take();
    for (const leak of counted?.leaks ?? []) insertCounted(file.prepare, leakTable, leak);
    for (const storm of counted?.storms ?? []) insertCounted(file.prepare, stormTable, storm);
  }

  /** Makes room until the budget holds again. */
  function makeRoom(): void {
    for (let over = usedBytes(file) - options.bytesLimit; over > 0; over = usedBytes(file) - options.bytesLimit) {
      const app = file.shares.findLargest();
      if (app === undefined) return;
      let freed = 0;
      transact(() => {
        freed = freeOldestOf(file, app, over + options.bytesLimit * evictionMargin);
      });
      if (freed === 0 && !file.shares.doubt()) return;
      releasePages(file);
    }
  }

  return {
    ...createDeletions(file, options, transact, used),
    /**
     * Commits all of `entries`, or none.
     * @param measureHtml where there are prerendered documents among them
     * @throws the database's error
     */
    write(entries: Iterable<FlightEntry>, measureHtml?: MeasureHtml): void {
      transact(() => {
        for (const entry of entries) written.note(entry.head, file.flights.insert(entry, measureHtml));
        writeCounted();
      });
      makeRoom();
    },
    /** The same for responses of other apps. */
    writeExchanges(exchanges: readonly DescribedExchange[]): void {
      transact(() => {
        const insertTry = createTryInsert(file.prepare);
        for (const { entries, learnt, tried } of exchanges) {
          for (const entry of entries) written.note(entry.head, file.flights.insert(entry));
          if (learnt) noteLearnt(file.prepare, learnt);
          if (tried) insertTry(tried);
        }
        writeCounted();
      });
      makeRoom();
    },
    /** Adds to what was lost before. */
    addLosses: (losses: readonly Loss[]) => transact(() => addLosses(file.prepare, losses)),
    keepRecord: (app: string, record: string) => transact(() => keepRecord(file.prepare, app, record)),
    keepInstalled: (app: string, packages: readonly InstalledPackage[]) =>
      transact(() => keepInstalled(file.prepare, app, packages)),
    keepModules(app: string, build: string, files: ModuleFiles): void {
      guard?.know(app, build, files);
      transact(() => keepModules(file.prepare, app, build, files));
    },
    keepSpans(app: string, parts: readonly TracePart[], now: number): void {
      transact(() => {
        for (const part of parts) insertSpans(file.prepare, app, part, now);
      });
      makeRoom();
    },
    note(notes: readonly UsageNote[]): void {
      transact(() => noteUsage(file.prepare, notes, used));
    },
    /** Reads every row, so it is only called when the clocks disagree. */
    countTooOld(now: number): number {
      return Number(
        file.prepare('select count(*) as n from flight where started_at < ?').get(now - options.ageMs)?.['n'],
      );
    },
    takeWritten: written.take,
    emptyLog: () => emptyLog(file),
    readOldest: (limit: number) => readOldest(file.prepare, limit),
    /**
     * To be called before each request: another process may have moved the file aside, and what is written into it then nobody
     * would see.
     */
    followFile(): void {
      if (findFlightsInode(options.folder) !== file.inode) reopen(false);
    },
    /** Whether the file that is open has this inode. */
    isInode: (of: number) => findFlightsInode(options.folder) === of,
    /** After damage showed: what was recorded is moved aside, and recording goes on. */
    replace: () => reopen(true),
    readState: () => readState(file),
    close(): void {
      file.database.close();
    },
  };
}
