import type { FlightHead } from '../flight/flight-head.ts';
import type { GuardCounts } from './count-for-guard.ts';
import { encode } from './encode-bytes.ts';
import {
  createFlightMeasure,
  insertedColumns,
  listAttached,
  listFlightValues,
  nameContent,
  remembered,
  takeOutSecrets,
  type Attached,
  type FlightEntry,
  type MeasureHtml,
} from './flight-values.ts';
import { idMatches, nameTrace, rememberIn, type Prepare } from './prepare.ts';
import type { Inserted } from './written.ts';

/**
 * Inserts one flight into SQLite: its row, its content, its digests, its attachments.
 *
 * Content is kept once: most responses of a page that does not change are the same bytes, and prerendered ones always are.
 */
const insertSql = `insert into flight (${insertedColumns.map(({ column }) => column).join(', ')})
  values (${insertedColumns.map(() => '?').join(', ')})`;

/** What a page asks for before its tab names itself. */
const firstOfTrace = 500;

/** @param used prefetches that a browser reported as used before they were written, and when */
export function createFlightInsert(prepare: Prepare, used: Map<string, number>, guard?: GuardCounts) {
  const visits = new Map<string, string>();
  const bodies = new Map<string, number>();
  const measureFlight = createFlightMeasure();

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
    const key = nameContent(head, payload);
    guard?.look(head, payload, key);
    return key === undefined ? null : keepBody(key, payload);
  }

  function attach(flightId: number, { role, type, bytes, kept }: Attached): void {
    const { encoding, data } = encode(kept);
    prepare(
      'insert into attachment (flight_id, role, type, bytes, kept_bytes, encoding, data) values (?, ?, ?, ?, ?, ?, ?)',
    ).run(flightId, role, type, bytes, kept.length, encoding, data);
  }

  /** The tab that a flight belongs to. The document that began its trace gets it too, whether it was written before or comes later. */
  function linkVisit({ visit, traceId, app }: FlightHead): string | null {
    const key = nameTrace(app, traceId);
    if (visit === null) return visits.get(key) ?? null;
    if (visits.get(key) !== visit) {
      const isOfTrace = idMatches('trace_id', '?2', firstOfTrace);
      prepare(`update flight set visit = ?1 where ${isOfTrace} and visit is null and app = ?3`).run(
        visit,
        traceId,
        app,
      );
      rememberIn(visits, key, visit, remembered);
    }
    return visit;
  }

  /** Adds hits to the row that has the others of their second; false when there is no such row, or it was deleted. */
  function addHits({ requestId, hits, hitsBefore, lastAt }: FlightHead): boolean {
    if (hitsBefore === 0) return false;
    const { changes } = prepare(
      `update flight set hits = hits + ?1, last_at = max(last_at, ?2) where ${idMatches('request_id', '?3')} and last_at is not null`,
    ).run(hits, lastAt, requestId);
    return changes > 0;
  }

  /** A sender that got no answer sends its batch again. */
  function wasReceived({ source, requestId, app }: FlightHead): boolean {
    if (source !== 'received') return false;
    const sql = `select 1 from flight where ${idMatches('request_id', '?1')} and app = ?2`;
    return prepare(sql).get(requestId, app) !== undefined;
  }

  function takeUsedAt(requestId: string): number | null {
    const usedAt = used.get(requestId) ?? null;
    used.delete(requestId);
    return usedAt;
  }

  return {
    insert(entry: FlightEntry, measureHtml?: MeasureHtml): Inserted {
      const { head, payload } = entry;
      if (addHits(head)) {
        guard?.look(head, payload, nameContent(head, payload));
        return 'hits';
      }
      if (wasReceived(head)) return 'known';
      takeOutSecrets(entry);
      const values = listFlightValues(head, {
        visit: linkVisit(head),
        bodyId: keepPayload(head, payload),
        usedAt: takeUsedAt(head.requestId),
        flightBytes: measureFlight(head, payload, measureHtml),
      });
      const id = Number(prepare(insertSql).run(...values).lastInsertRowid);
      for (const digest of head.digests) {
        if (digest === '') continue;
        const insertDigest =
          'insert or ignore into flight_digest (digest, flight_id, app, started_at) values (?, ?, ?, ?)';
        prepare(insertDigest).run(digest, id, head.app, Math.round(head.startedAt));
      }
      for (const attached of listAttached(entry)) attach(id, attached);
      return 'row';
    },
    /** After a body was deleted. @param hashed its `hash` */
    forgetBody(hashed: Uint8Array): void {
      bodies.delete(Buffer.from(hashed).toString('hex'));
    },
    /** After a transaction that was rolled back. */
    forgetBodies: () => bodies.clear(),
    forgetVisits: () => visits.clear(),
  };
}
