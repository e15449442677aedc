import { hash } from 'node:crypto';
import { statSync } from 'node:fs';
import path from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';

import type { FlightHead } from '../flight-head.ts';
import { coverSecrets } from './cover-secrets.ts';
import { encode } from './encode-bytes.ts';
import { flightsFile, openFlights, replaceFlights } from './open-flights.ts';
import { redactArguments } from './redact-arguments.ts';

/**
 * Writes flights to their file, and takes the oldest out again: everything that compresses, hashes or touches the disk,
 * in one thread that serves nobody (writer-thread.ts). Here is also where secrets are taken out, before the first byte
 * reaches a file.
 *
 * Content is kept once: most responses of a page that does not change are the same bytes, and prerendered ones always.
 * A body goes with the last flight that carried it.
 */
export type FlightEntry = {
  readonly head: FlightHead;
  readonly payload: Uint8Array;
  readonly debug: Uint8Array;
  readonly args: Uint8Array;
};

/** What a browser tells of its prefetches after they were made. */
export type UsageNote = {
  readonly time: number;
  /** Request ids of prefetches that a navigation has shown. */
  readonly used: readonly string[];
  /** The trace of a document that was closed. */
  readonly closedTrace: string | undefined;
};

export type WriterOptions = {
  readonly folder: string;
  readonly bytesLimit: number;
  readonly ageMs: number;
  readonly onDamage: (reason: string) => void;
};

export type WriterState = {
  /** Bytes in use, indexes included, without free pages and the log. */
  readonly bytes: number;
  readonly lastId: number;
  readonly oldestAt: number | undefined;
};

/** Of an action's arguments: a form with its text, not the file it uploads. */
const argumentsKept = 256 * 1024;
/** Deletions at once: some milliseconds, with the zeros written over what was there. */
const evictedAtOnce = 100;
/** What eviction frees beyond the need, as a share of the budget, so that it is not due again with the next flight. */
const evictionMargin = 1 / 64;
/** A flight's row and its indexes, without its body. */
const rowBytes = 1024;
/** Pages of 8 KiB given back to the file system at once. */
const pagesReleasedAtOnce = 512;
/** Traces whose tab is known, and contents that are in the file: enough for some minutes of a busy server. */
const remembered = 10_000;
/** Prefetches told to be used before they themselves were written. */
const usedAhead = 1_000;

function rememberIn<K, V>(map: Map<K, V>, key: K, value: V, limit: number): void {
  map.delete(key);
  map.set(key, value);
  const oldest = map.keys().next();
  if (map.size > limit && !oldest.done) map.delete(oldest.value);
}

/** By the index of the id's beginning; see open-flights.ts. */
function idMatches(column: 'request_id' | 'trace_id', parameter: string): string {
  return `substr(${column}, 1, 8) = substr(${parameter}, 1, 8) and ${column} = ${parameter}`;
}

export function createFlightWriter(options: WriterOptions) {
  const opened = openFlights(options.folder);
  if (opened.movedAside) options.onDamage(opened.movedAside);
  let database: DatabaseSync = opened.database;
  let statements = new Map<string, StatementSync>();
  const visits = new Map<string, string>();
  const bodies = new Map<string, number>();
  const used = new Map<string, number>();

  function prepare(sql: string): StatementSync {
    const known = statements.get(sql) ?? database.prepare(sql);
    statements.set(sql, known);
    return known;
  }

  function readNumber(sql: string): number {
    return Number(Object.values(prepare(sql).get() ?? {})[0] ?? 0);
  }

  function transact(run: () => void): void {
    database.exec('begin immediate');
    try {
      run();
      database.exec('commit');
    } catch (error) {
      // After some errors SQLite has rolled back already.
      if (database.isTransaction) database.exec('rollback');
      bodies.clear();
      throw error;
    }
  }

  function findBody(key: string): number | undefined {
    const id = prepare('select id from body where hash = ?').get(Buffer.from(key, 'hex'))?.['id'];
    return typeof id === 'number' ? id : undefined;
  }

  /** @param key of a hash: 64 hex digits */
  function keepBody(key: string, bytes: Uint8Array): number | null {
    let id = bodies.get(key) ?? findBody(key);
    if (id === undefined) {
      if (bytes.length === 0) return null;
      const { encoding, data } = encode(bytes);
      const insertBody = prepare('insert into body (hash, bytes, encoding, data) values (?, ?, ?, ?)');
      id = Number(insertBody.run(Buffer.from(key, 'hex'), bytes.length, encoding, data).lastInsertRowid);
    }
    rememberIn(bodies, key, id, remembered);
    return id;
  }

  function keepPayload(head: FlightHead, payload: Uint8Array): number | null {
    if (head.content === 'none') return null;
    // A prerendered file is named by its etag, and need not come with every hit.
    return keepBody(hash('sha256', head.etag === null ? payload : `etag:${head.etag}`), payload);
  }

  function attach(flightId: number, role: 'arguments' | 'debug', type: string, bytes: number, kept: Uint8Array): void {
    if (kept.length === 0) return;
    const { encoding, data } = encode(kept);
    prepare(
      'insert into attachment (flight_id, role, type, bytes, kept_bytes, encoding, data) values (?, ?, ?, ?, ?, ?, ?)',
    ).run(flightId, role, type, bytes, kept.length, encoding, data);
  }

  /** The tab a flight belongs to; from then on also that of the document its trace began with, written before or after. */
  function linkVisit({ visit, traceId }: FlightHead): string | null {
    if (visit === null) return visits.get(traceId) ?? null;
    if (visits.get(traceId) !== visit) {
      prepare(`update flight set visit = ?1 where ${idMatches('trace_id', '?2')} and visit is null`).run(
        visit,
        traceId,
      );
      rememberIn(visits, traceId, visit, remembered);
    }
    return visit;
  }

  /** Adds hits to the row that has the others of their second; false when there is none, or none any more. */
  function addHits({ requestId, counted }: FlightHead): boolean {
    if (!counted?.isMore) return false;
    const { changes } = prepare(
      `update flight set hits = hits + ?1, last_at = max(last_at, ?2) where ${idMatches('request_id', '?3')} and last_at is not null`,
    ).run(counted.hits, counted.lastAt, requestId);
    return changes > 0;
  }

  function insert({ head, payload, debug, args }: FlightEntry): void {
    if (addHits(head)) return;
    // A prerendered file knows no query.
    if (head.secrets.length > 0 && head.etag === null) {
      coverSecrets(Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength), head.secrets);
      coverSecrets(Buffer.from(debug.buffer, debug.byteOffset, debug.byteLength), head.secrets);
    }
    const visit = linkVisit(head);
    const bodyId = keepPayload(head, payload);
    const usedAt = used.get(head.requestId) ?? null;
    used.delete(head.requestId);
    const { lastInsertRowid } = prepare(
      `insert into flight (request_id, trace_id, visit, kind, method, path, query, route, build, status, rendering, content,
        outcome, started_at, first_byte_ms, duration_ms, bytes, kept_bytes, digests, chunks_json, elements_json,
        elided_json, action_id, body_id, used_at, hits, last_at)
      values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ).run(
      head.requestId,
      head.traceId,
      visit,
      head.kind,
      head.method,
      head.path,
      head.query,
      head.route,
      head.build,
      head.status,
      head.rendering,
      head.content,
      head.outcome,
      head.startedAt,
      head.chunks[0]?.[0] ?? null,
      head.durationMs,
      head.bytes,
      head.keptBytes,
      head.digests.join(','),
      JSON.stringify(head.chunks),
      JSON.stringify(head.elements),
      JSON.stringify(head.elided),
      head.action?.id ?? null,
      bodyId,
      usedAt,
      head.counted?.hits ?? 1,
      head.counted?.lastAt ?? null,
    );
    const id = Number(lastInsertRowid);
    for (const digest of head.digests) {
      prepare('insert or ignore into flight_digest (digest, flight_id) values (?, ?)').run(digest, id);
    }
    attach(id, 'debug', '', head.debugBytes, debug);
    if (head.action && args.length > 0) {
      const redacted = redactArguments(args, head.action.contentType);
      attach(id, 'arguments', head.action.contentType, head.action.bytes, redacted.subarray(0, argumentsKept));
    }
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
      if (gone?.['hash'] instanceof Uint8Array) bodies.delete(Buffer.from(gone['hash']).toString('hex'));
    }
  }

  function oldestIds(): number[] {
    return prepare(`select id from flight order by id limit ${evictedAtOnce}`)
      .all()
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

  /** The oldest flights that come to `bytes`, as far as can be told from here: a body may be shared. */
  function oldestWithBytes(bytes: number): number[] {
    const rows = prepare(
      `select flight.id, coalesce(length(body.data), 0) as bytes from flight left join body on body.id = flight.body_id
      order by flight.id limit ${evictedAtOnce}`,
    ).all();
    const ids: number[] = [];
    let sum = 0;
    for (const row of rows) {
      if (sum >= bytes) break;
      ids.push(Number(row['id']));
      sum += rowBytes + Number(row['bytes']);
    }
    return ids;
  }

  /** Makes room until the budget holds again. */
  function makeRoom(): void {
    for (let over = usedBytes() - options.bytesLimit; over > 0; over = usedBytes() - options.bytesLimit) {
      const ids = oldestWithBytes(over + options.bytesLimit * evictionMargin);
      if (ids.length === 0) return;
      transact(() => deleteFlights(ids));
      releasePages();
    }
  }

  return {
    /** Commits all of `entries`, or none. @throws the database's error */
    write(entries: Iterable<FlightEntry>): void {
      transact(() => {
        for (const entry of entries) insert(entry);
      });
      makeRoom();
    },
    note(notes: readonly UsageNote[]): void {
      transact(() => {
        for (const { time, used: ids, closedTrace } of notes) {
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
    /** Reads every row: for when somebody set the clock. */
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
      visits.clear();
      used.clear();
      database.exec('pragma incremental_vacuum');
      emptyLog();
    },
    /** Whether the file that is open has this inode. */
    isInode: (inode: number) => statSync(path.join(options.folder, flightsFile)).ino === inode,
    /** After damage showed: what was recorded is moved aside, and recording goes on. */
    replace(): void {
      statements = new Map();
      visits.clear();
      bodies.clear();
      database = replaceFlights(database, options.folder);
    },
    readState,
    close(): void {
      database.close();
    },
  };
}
