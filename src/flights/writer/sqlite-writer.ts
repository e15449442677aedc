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
import { addLosses, deleteOfApp, keepInstalled, keepModules } from './keep-of-app.ts';
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
export function createFlightWriter(options: SqliteWriterOptions) {
  const used = new Map<string, number>();
  const written = createWritten(options.tell);
  const guard = options.knownSecrets && createGuardCounts(options.knownSecrets);
  const connect = ({ database: opened, inode: openedInode, movedAside }: OpenedFlights) => {
    if (movedAside) options.onDamage(movedAside);
    const statements = createPrepare(opened);
    const inserts = createFlightInsert(statements, used, guard);
    const counted = createAppShares(statements, options.bytesLimit * countedAgain);
    const known = { dataVersion: Number.NaN, lastOwnFreed: 0 };
    return { database: opened, inode: openedInode, prepare: statements, flights: inserts, shares: counted, ...known };
  };
  let { database, inode, prepare, flights, shares, dataVersion, lastOwnFreed } = connect(
    openFlightsFile(options.folder),
  );

  function readNumber(sql: string): number {
    return Number(Object.values(prepare(sql).get() ?? {})[0] ?? 0);
  }

  /** What another process commits may delete a body, and a new one may get its id. */
  function forgetWhatChanged(): void {
    const version = readNumber('pragma data_version');
    if (version !== dataVersion) flights.forgetBodies();
    dataVersion = version;
  }

  /** @param damaged whether the file is to be moved away first */
  function reopen(damaged: boolean): void {
    const moved = damaged ? inode : undefined;
    if (database.isOpen) database.close();
    // When the disk is full and nothing can be opened, the next call tries again.
    inode = noInode;
    ({ database, inode, prepare, flights, shares, dataVersion, lastOwnFreed } = connect(
      openFlightsFile(options.folder, moved),
    ));
  }

  function transact(run: () => void): void {
    database.exec('begin immediate');
    try {
      forgetWhatChanged();
      run();
      database.exec('commit');
      written.commit();
    } catch (error) {
      // After some errors SQLite has rolled back already.
      if (database.isTransaction) database.exec('rollback');
      flights.forgetBodies();
      written.rollback();
      throw error;
    }
  }

  function writeCounted(): void {
    const counted = guard?.take();
    for (const leak of counted?.leaks ?? []) insertCounted(prepare, leakTable, leak);
    for (const storm of counted?.storms ?? []) insertCounted(prepare, stormTable, storm);
  }

  function deleteFlights(ids: readonly number[]): void {
    for (const hash of deleteRows(prepare, ids)) flights.forgetBody(hash);
  }

  function usedBytes(): number {
    return (readNumber('pragma page_count') - readNumber('pragma freelist_count')) * readNumber('pragma page_size');
  }

  function releasePages(): void {
    database.exec(`pragma incremental_vacuum(${pagesReleasedAtOnce})`);
  }

  /** Moves the log's content into the file and empties the log: what was deleted is then in neither. */
  function emptyLog(): void {
    database.exec('pragma wal_checkpoint(truncate)');
  }

  function readState(): WriterState {
    const oldest = prepare('select started_at from flight order by id limit 1').get()?.['started_at'];
    return {
      bytes: usedBytes(),
      lastId: readNumber('select max(id) from flight'),
      oldestAt: typeof oldest === 'number' ? oldest : undefined,
    };
  }

  /** Our own have no index by app (migrations.ts), so a look for the oldest goes on where the last one ended. */
  function readOldestOf(app: string, most: number) {
    const ofApp = app === ownApp ? 'flight.id > ?2' : `app != '${ownApp}' and ?2 = ?2`;
    return prepare(
      `select flight.id, started_at, ${flightBytes} as bytes
      from flight left join body on body.id = flight.body_id where app = ?1 and ${ofApp} order by flight.id limit ${most}`,
    ).all(app, lastOwnFreed);
  }

  /** The oldest flights of an app that together have about `bytes`. It is an estimate: a body may be shared. */
  function freeOldestOf(app: string, bytes: number): number {
    const ids: number[] = [];
    let sum = 0;
    for (const row of readOldestOf(app, deletedAtOnce)) {
      if (sum >= bytes) break;
      ids.push(Number(row['id']));
      sum += Number(row['bytes']);
    }
    deleteFlights(ids);
    if (app === ownApp) lastOwnFreed = ids.at(-1) ?? 0;
    const [oldest] = readOldestOf(app, 1);
    const spans = prepare('delete from span where app = ? and received_at < ?');
    const { changes } = spans.run(app, Number(oldest?.['started_at'] ?? Date.now()));
    shares.noteFreed(app, sum);
    return ids.length + Number(changes);
  }

  /** Makes room until the budget holds again. */
  function makeRoom(): void {
    for (let over = usedBytes() - options.bytesLimit; over > 0; over = usedBytes() - options.bytesLimit) {
      const app = shares.findLargest();
      if (app === undefined) return;
      let freed = 0;
      transact(() => {
        freed = freeOldestOf(app, over + options.bytesLimit * evictionMargin);
      });
      if (freed === 0 && !shares.doubt()) return;
      releasePages();
    }
  }

  return {
    /**
     * Commits all of `entries`, or none.
     * @param measureHtml where there are prerendered documents among them
     * @throws the database's error
     */
    write(entries: Iterable<FlightEntry>, measureHtml?: MeasureHtml): void {
      transact(() => {
        for (const entry of entries) written.note(entry.head, flights.insert(entry, measureHtml));
        writeCounted();
      });
      makeRoom();
    },
    /** The same for responses of other apps. */
    writeExchanges(exchanges: readonly DescribedExchange[]): void {
      transact(() => {
        const insertTry = createTryInsert(prepare);
        for (const { entries, learnt, tried } of exchanges) {
          for (const entry of entries) written.note(entry.head, flights.insert(entry));
          if (learnt) noteLearnt(prepare, learnt);
          if (tried) insertTry(tried);
        }
        writeCounted();
      });
      makeRoom();
    },
    /** Adds to what was lost before. */
    addLosses: (losses: readonly Loss[]) => transact(() => addLosses(prepare, losses)),
    keepInstalled: (app: string, packages: readonly InstalledPackage[]) =>
      transact(() => keepInstalled(prepare, app, packages)),
    keepModules: (app: string, build: string, files: ModuleFiles) =>
      transact(() => keepModules(prepare, app, build, files)),
    keepSpans(app: string, parts: readonly TracePart[], now: number): void {
      transact(() => {
        for (const part of parts) insertSpans(prepare, app, part, now);
      });
      makeRoom();
    },
    note(notes: readonly UsageNote[]): void {
      transact(() => noteUsage(prepare, notes, used));
    },
    /** Deletes one batch of what is too old. @returns false when nothing was */
    deleteTooOld(now: number): boolean {
      transact(() => {
        deleteCounted(prepare, 'last_at < ?', now - options.ageMs);
        // A span comes after its request began, so what came before this time belongs to no flight that is there.
        prepare('delete from span where received_at < ?').run(now - options.ageMs);
      });
      const ids = listTooOld(prepare, now - options.ageMs);
      if (ids.length === 0) return false;
      transact(() => deleteFlights(ids));
      releasePages();
      return true;
    },
    /** Reads every row, so it is only called when the clocks disagree. */
    countTooOld(now: number): number {
      return Number(prepare('select count(*) as n from flight where started_at < ?').get(now - options.ageMs)?.['n']);
    },
    /** Returns when its bytes are in no file any more. */
    delete(id: number): void {
      transact(() => deleteFlights([id]));
      releasePages();
      emptyLog();
    },
    deleteAll(): void {
      for (let ids = listOldest(prepare); ids.length > 0; ids = listOldest(prepare)) transact(() => deleteFlights(ids));
      transact(() => {
        prepare('delete from loss').run();
        deleteCounted(prepare, 'true');
        prepare('delete from span').run();
      });
      flights.forgetVisits();
      used.clear();
      database.exec('pragma incremental_vacuum');
      emptyLog();
    },
    /** Of another app than our own: the oldest, for some milliseconds. */
    deleteSlice(app: string, upTo: number): void {
      transact(() => {
        deleteCounted(prepare, 'app = ?', app);
        deleteOfApp(prepare, app);
      });
      const end = performance.now() + sliceMs;
      do {
        const ids = listOldestOf(prepare, app, upTo);
        if (ids.length === 0) return;
        transact(() => deleteFlights(ids));
        releasePages();
      } while (performance.now() < end);
    },
    takeWritten: written.take,
    emptyLog,
    readOldest: (limit: number) => readOldest(prepare, limit),
    /** Of a spool: what was sent. */
    forget(ids: readonly number[]): void {
      transact(() => deleteFlights(ids));
      releasePages();
    },
    /**
     * To be called before each request: another process may have moved the file aside, and what is written into it then nobody
     * would see.
     */
    followFile(): void {
      if (findFlightsInode(options.folder) !== inode) reopen(false);
    },
    /** Whether the file that is open has this inode. */
    isInode: (of: number) => findFlightsInode(options.folder) === of,
    /** After damage showed: what was recorded is moved aside, and recording goes on. */
    replace: () => reopen(true),
    readState,
    close(): void {
      database.close();
    },
  };
}
