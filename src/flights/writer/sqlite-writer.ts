import type { KnownSecret } from '#flight';
import type { InstalledPackage } from '#src/apps/advisories/read-installed.ts';
import { ownApp } from '#src/store/own-app.ts';

import type { Loss } from '../flight/drops.ts';
import { buildsKept, type ModuleFiles } from '../flight/module-files.ts';
import type { TracePart } from '../traces/pack-spans.ts';
import type { DescribedExchange, LearntAt } from './exchange/describe-exchange.ts';
import type { FlightEntry, MeasureHtml } from './flight-values.ts';
import type { UsageNote, ReportedUse, WriterState } from './flight-writer.ts';
import { createAppShares, flightBytes } from './app-shares.ts';
import { createGuardCounts } from './count-for-guard.ts';
import { leakTable, stormTable } from './counted-table.ts';
import { insertCounted } from './insert-counted.ts';
import { insertSpans } from './insert-spans.ts';
import { createTryInsert } from './insert-try.ts';
import { createFlightInsert } from './insert-flight.ts';
import { findFlightsInode, openFlightsFile, type OpenedFlights } from './open-flights.ts';
import {
  createPrepare,
  guessedAmong,
  guessedWithinMs,
  idMatches,
  isEither,
  isNotToldUsed,
  mayBePrefetch,
  rememberIn,
} from './prepare.ts';
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

/** Deletions at once: some milliseconds, with the zeros written over what was there. */
const evictedAtOnce = 100;
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
/** Prefetches that a browser reported as used before they were written. */
const usedAhead = 1_000;

/**
 * A page has told that a click was its own. Then what was guessed of other tabs from that click's requests is not so: it is unknown, until
 * they tell. Among the latest flights alone, since a click is told a second later.
 */
const doubtGuesses = `update flight set used_at = null
  where id > (select max(id) from flight) - ${guessedAmong} and app = ?3 and source = 'proxy' and kind = 'prefetch'
    and told_at is null and used_at >= ?1 and path in (
      select path from flight where substr(request_id, 1, 8) in (select substr(value, 1, 8) from json_each(?2))
        and request_id in (select value from json_each(?2)))`;

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

  function deleteCounted(where: string, ...values: (string | number)[]): void {
    for (const table of ['forged', 'leak', 'storm']) prepare(`delete from ${table} where ${where}`).run(...values);
  }

  function deleteFlights(ids: readonly number[]): void {
    const marks = ids.map(() => '?').join(', ');
    const found = prepare(`select distinct body_id from flight where id in (${marks}) and body_id is not null`).all(
      ...ids,
    );
    prepare(`delete from flight where id in (${marks})`).run(...ids);
    for (const row of found) {
      const bodyId = Number(row['body_id']);
      const gone = prepare(
        'delete from body where id = ? and not exists (select 1 from flight where body_id = body.id) returning hash',
      ).get(bodyId);
      if (gone?.['hash'] instanceof Uint8Array) flights.forgetBody(gone['hash']);
    }
  }

  function oldestIds(): number[] {
    return prepare(`select id from flight order by id limit ${evictedAtOnce}`)
      .all()
      .map((row) => Number(row['id']));
  }

  function oldestIdsOf(app: string, upTo: number): number[] {
    return prepare(
      `select id from flight where app = ? and app != '${ownApp}' and id <= ? order by id limit ${evictedAtOnce}`,
    )
      .all(app, upTo)
      .map((row) => Number(row['id']));
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

  /** A span comes after its request began, so what came before this time belongs to no flight that is there. @returns how many rows */
  function deleteSpans(before: number): number {
    return Number(prepare('delete from span where received_at < ?').run(before).changes);
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
    for (const row of readOldestOf(app, evictedAtOnce)) {
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

  function noteLearnt(learnt: LearntAt): void {
    const set = (column: string, ids: readonly string[], value: number | null, where: string) => {
      for (const id of ids) {
        prepare(
          `update flight set ${column} = ?1 where ${idMatches('request_id', '?2')} and source = 'proxy' and told_at is null and ${where}`,
        ).run(value, id);
      }
    };
    set('used_at', learnt.used, learnt.at, 'used_at is null');
    set('used_at', learnt.doubtful, null, 'used_at is not null');
    set('closed_at', learnt.unused, learnt.at, 'closed_at is null');
  }

  /** It may think better of it: a page that was left can come back. */
  function noteReported({ app, used: shown, unused, clicks, links, vitals }: ReportedUse, time: number): void {
    const set = (values: string, ids: readonly string[], where: string) => {
      for (const id of ids) {
        prepare(
          `update flight set ${values}, told_at = ?1
          where ${idMatches('request_id', '?2')} and ${where} and source = 'proxy' and app = ?3`,
        ).run(time, id, app);
      }
    };
    set("kind = 'prefetch', used_at = ?1, closed_at = null", shown, mayBePrefetch);
    if (shown.length > 0) prepare(doubtGuesses).run(time - guessedWithinMs, JSON.stringify(shown), app);
    set("kind = 'prefetch', used_at = null, closed_at = ?1", unused, `${mayBePrefetch} and ${isNotToldUsed}`);
    set("kind = 'navigation', used_at = null", clicks, isEither);
    // The first counts: a browser's cache gives the same flight to other documents, which report it for their own links.
    for (const { id, trigger, text, place } of links) {
      prepare(
        `update flight set prefetch_trigger = ?1, link_text = ?2, link_place = ?3
        where ${idMatches('request_id', '?4')} and ${mayBePrefetch} and link_place is null and source = 'proxy' and app = ?5`,
      ).run(trigger, text, place, id, app);
    }
    if (!vitals) return;
    prepare(
      `update flight set vitals_json = ?1 where ${idMatches('request_id', '?2')} and kind = 'document' and app = ?3`,
    ).run(JSON.stringify(vitals.vitals), vitals.id, app);
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
          if (learnt) noteLearnt(learnt);
          if (tried) insertTry(tried);
        }
        writeCounted();
      });
      makeRoom();
    },
    /** Adds to what was lost before. */
    addLosses(losses: readonly Loss[]): void {
      transact(() => {
        for (const { app, reason, count, time } of losses) {
          prepare(
            `insert into loss (app, reason, count, last_time) values (?, ?, ?, ?)
            on conflict (app, reason) do update set count = count + excluded.count, last_time = excluded.last_time`,
          ).run(app, reason, count, time);
        }
      });
    },
    keepInstalled(app: string, packages: readonly InstalledPackage[]): void {
      transact(() => {
        prepare('delete from installed where app = ?').run(app);
        for (const { name, within, version } of packages) {
          prepare('insert into installed (app, name, inside, version, seen_at) values (?, ?, ?, ?, ?)').run(
            app,
            name,
            within,
            version,
            Date.now(),
          );
        }
      });
    },
    keepModules(app: string, build: string, files: ModuleFiles): void {
      transact(() => {
        prepare(
          `insert into build_modules (app, build, files_json, seen_at) values (?, ?, ?, ?)
          on conflict (app, build) do update set files_json = excluded.files_json, seen_at = excluded.seen_at`,
        ).run(app, build, JSON.stringify(files), Date.now());
        prepare(
          `delete from build_modules where app = ? and build not in (
            select build from build_modules where app = ? order by seen_at desc limit ${buildsKept})`,
        ).run(app, app);
      });
    },
    keepSpans(app: string, parts: readonly TracePart[], now: number): void {
      transact(() => {
        for (const part of parts) insertSpans(prepare, app, part, now);
      });
      makeRoom();
    },
    note(notes: readonly UsageNote[]): void {
      transact(() => {
        for (const { time, used: ids, closedTrace, told } of notes) {
          if (told) noteReported(told, time);
          for (const id of ids) {
            const { changes } = prepare(
              `update flight set used_at = ?1 where ${idMatches('request_id', '?2')} and kind = 'prefetch' and used_at is null`,
            ).run(time, id);
            if (changes === 0) rememberIn(used, id, time, usedAhead);
          }
          if (closedTrace === undefined) continue;
          prepare(
            `update flight set closed_at = ?1
            where ${idMatches('trace_id', '?2')} and kind = 'prefetch' and used_at is null and closed_at is null`,
          ).run(time, closedTrace);
        }
      });
    },
    /** Deletes one batch of what is too old. @returns false when nothing was */
    deleteTooOld(now: number): boolean {
      transact(() => {
        deleteCounted('last_at < ?', now - options.ageMs);
        deleteSpans(now - options.ageMs);
      });
      const ids = prepare(
        `select id from (select id, started_at from flight order by id limit ${evictedAtOnce}) where started_at < ?`,
      )
        .all(now - options.ageMs)
        .map((row) => Number(row['id']));
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
      for (let ids = oldestIds(); ids.length > 0; ids = oldestIds()) transact(() => deleteFlights(ids));
      transact(() => {
        prepare('delete from loss').run();
        deleteCounted('true');
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
        deleteCounted('app = ?', app);
        prepare('delete from span where app = ?').run(app);
        prepare('delete from installed where app = ?').run(app);
        prepare('delete from build_modules where app = ?').run(app);
      });
      const end = performance.now() + sliceMs;
      do {
        const ids = oldestIdsOf(app, upTo);
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
