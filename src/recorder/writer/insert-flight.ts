import { hash } from 'node:crypto';

import { compileFields } from '../compile-fields.ts';
import { flightLimit } from '../flight-bytes.ts';
import { flightColumns, type Column, type FieldValue } from '../flight-columns.ts';
import type { FlightHead } from '../flight-head.ts';
import { joinDigests } from '../join-digests.ts';
import { coverSecrets } from './cover-secrets.ts';
import { encode } from './encode-bytes.ts';
import { idMatches, rememberIn, type Prepare } from './prepare.ts';
import { redactArguments } from './redact-arguments.ts';

/**
 * Inserts one flight: its row, its content, its digests, its attachments. Secrets are taken out here, before the first byte
 * reaches a file.
 *
 * Content is kept once: most responses of a page that does not change are the same bytes, and prerendered ones always are.
 */
export type FlightEntry = {
  readonly head: FlightHead;
  readonly payload: Uint8Array;
  readonly debug: Uint8Array;
  readonly args: Uint8Array;
};

/** Of an action's arguments: a form with its text, not the file it uploads. */
const argumentsKept = 256 * 1024;
/** Traces whose tab is known, and contents that are in the file: enough for some minutes of a busy server. */
const remembered = 10_000;

/** Finds the bytes of the Flight rows in a page of our own. */
export type MeasureHtml = (html: Uint8Array) => number;

/** Columns of which the writer determines the value. */
type WriterColumn = Extract<Column, { readonly travels: 'writer' }>;
type WriterFields = { readonly [Each in WriterColumn as Each['field']]: FieldValue<Each> };

/** What is inserted, in order. */
const inserted = flightColumns.flatMap((entry) => (entry.travels === 'later' ? [] : [entry]));
const insertSql = `insert into flight (${inserted.map(({ column }) => column).join(', ')})
  values (${inserted.map(() => '?').join(', ')})`;

function writeValue({ field, holds, travels }: (typeof inserted)[number]): string {
  const value = travels === 'writer' ? `known.${field}` : `head.${field}`;
  if (holds === 'digests') return `join(${value})`;
  return holds === 'names' || holds === 'chunks' ? `JSON.stringify(${value})` : value;
}

const listValues = compileFields<
  (head: FlightHead, known: WriterFields, join: typeof joinDigests) => (string | number | null)[]
>(`(head, known, join) => [${inserted.map(writeValue).join(', ')}]`);

/** @param used prefetches that a browser reported as used before they were written, and when */
export function createFlightInsert(prepare: Prepare, used: Map<string, number>) {
  const visits = new Map<string, string>();
  const bodies = new Map<string, number>();
  /** Of prerendered documents, by their etags. */
  const flightBytes = new Map<string, number>();

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

  /** A file comes along with the first hit of it alone (write-flights.ts), and is read then. */
  function measureFlight(
    { content, etag, bytes, knownFlightBytes }: FlightHead,
    payload: Uint8Array,
    measureHtml: MeasureHtml | undefined,
  ): number | null {
    if (content !== 'html' || etag === null) return knownFlightBytes;
    const isWhole = payload.length > 0 && payload.length < flightLimit;
    if (measureHtml && isWhole && !flightBytes.has(etag)) {
      rememberIn(flightBytes, etag, measureHtml(payload), remembered);
    }
    // A 304 carries nothing.
    return bytes === 0 ? 0 : (flightBytes.get(etag) ?? null);
  }

  function attach(flightId: number, role: 'arguments' | 'debug', type: string, bytes: number, kept: Uint8Array): void {
    if (kept.length === 0) return;
    const { encoding, data } = encode(kept);
    prepare(
      'insert into attachment (flight_id, role, type, bytes, kept_bytes, encoding, data) values (?, ?, ?, ?, ?, ?, ?)',
    ).run(flightId, role, type, bytes, kept.length, encoding, data);
  }

  /** The tab that a flight belongs to. The document that began its trace gets it too, whether it was written before or comes later. */
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
    insert({ head, payload, debug, args }: FlightEntry, measureHtml?: MeasureHtml): void {
      if (addHits(head) || wasReceived(head)) return;
      // The file of a prerendered page was made without any query.
      if (head.secrets.length > 0 && head.etag === null) {
        coverSecrets(Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength), head.secrets);
        coverSecrets(Buffer.from(debug.buffer, debug.byteOffset, debug.byteLength), head.secrets);
      }
      const values = listValues(
        head,
        {
          visit: linkVisit(head),
          firstByteMs: head.chunks[0]?.[0] ?? null,
          bodyId: keepPayload(head, payload),
          usedAt: takeUsedAt(head.requestId),
          framework: head.knownFramework,
          decodedBytes: head.knownDecodedBytes,
          flightBytes: measureFlight(head, payload, measureHtml),
        },
        joinDigests,
      );
      const id = Number(prepare(insertSql).run(...values).lastInsertRowid);
      for (const digest of head.digests) {
        prepare('insert or ignore into flight_digest (digest, flight_id) values (?, ?)').run(digest, id);
      }
      attach(id, 'debug', '', head.debugBytes, debug);
      if (head.actionType !== null && args.length > 0) {
        const redacted = redactArguments(args, head.actionType);
        attach(id, 'arguments', head.actionType, head.actionBytes, redacted.subarray(0, argumentsKept));
      }
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
