import { hash } from 'node:crypto';

import { compileFields } from '../flight/compile-fields.ts';
import { flightLimit } from '../flight/flight-bytes.ts';
import { flightColumns, type Column, type FieldValue } from '../flight/flight-columns.ts';
import type { FlightHead } from '../flight/flight-head.ts';
import { joinDigests } from '../flight/join-digests.ts';
import { coverSecrets } from './cover-secrets.ts';
import { rememberIn } from './prepare.ts';
import { redactArguments } from './redact-arguments.ts';

/**
 * What is written of one flight, whichever database takes it (insert-flight.ts, postgres/read-entries.ts). Secrets are taken out
 * here, before the first byte reaches a file or a server.
 */
export type FlightEntry = {
  readonly head: FlightHead;
  readonly payload: Uint8Array;
  readonly debug: Uint8Array;
  readonly args: Uint8Array;
};

/** Of an action's arguments: a form with its text, not the file it uploads. */
const argumentsKept = 256 * 1024;
/** Traces whose tab is known, and contents that were measured or kept: enough for some minutes of a busy server. */
export const remembered = 10_000;

/** Finds the bytes of the Flight rows in a page of our own. */
export type MeasureHtml = (html: Uint8Array) => number;

/** Columns of which the writer determines the value. */
type WriterColumn = Extract<Column, { readonly travels: 'writer' }>;
type WriterFields = { readonly [Each in WriterColumn as Each['field']]: FieldValue<Each> };

/** What is inserted, in order. */
export const insertedColumns = flightColumns.flatMap((entry) => (entry.travels === 'later' ? [] : [entry]));

function writeValue({ field, holds, travels }: (typeof insertedColumns)[number]): string {
  const value = travels === 'writer' ? `known.${field}` : `head.${field}`;
  if (holds === 'digests') return `join(${value})`;
  return holds === 'names' || holds === 'chunks' ? `JSON.stringify(${value})` : value;
}

const listValues = compileFields<
  (head: FlightHead, known: WriterFields, join: typeof joinDigests) => (string | number | null)[]
>(`(head, known, join) => [${insertedColumns.map(writeValue).join(', ')}]`);

/** The values of `insertedColumns`. */
export function listFlightValues(
  head: FlightHead,
  known: Pick<WriterFields, 'visit' | 'bodyId' | 'usedAt' | 'flightBytes'>,
): (string | number | null)[] {
  return listValues(
    head,
    {
      ...known,
      firstByteMs: head.knownFirstByteMs ?? head.chunks[0]?.[0] ?? null,
      framework: head.knownFramework,
      decodedBytes: head.knownDecodedBytes,
    },
    joinDigests,
  );
}

/** Values of the query under secret names: byte for byte, since text rows count bytes. */
export function takeOutSecrets({ head, payload, debug }: FlightEntry): void {
  // The file of a prerendered page was made without any query.
  if (head.secrets.length === 0 || head.etag !== null) return;
  coverSecrets(Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength), head.secrets);
  coverSecrets(Buffer.from(debug.buffer, debug.byteOffset, debug.byteLength), head.secrets);
}

/** Content is kept once: 64 hex digits that name it. Undefined where there is none. */
export function nameContent(head: FlightHead, payload: Uint8Array): string | undefined {
  if (head.content === 'none') return undefined;
  // A prerendered file is named by its etag, and need not come with every hit.
  return hash('sha256', head.etag === null ? payload : `etag:${head.etag}`);
}

/** Finds the bytes of Flight rows in prerendered documents, once for each etag. */
export function createFlightMeasure() {
  const flightBytes = new Map<string, number>();

  /** A file comes along with the first hit of it alone (write-flights.ts), and is read then. */
  return function measureFlight(
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
  };
}

/** What belongs to one flight alone. `bytes` as they came, of which `kept` may be the beginning. */
export type Attached = {
  readonly role: 'arguments' | 'debug';
  readonly type: string;
  readonly bytes: number;
  readonly kept: Uint8Array;
};

export function listAttached({ head, debug, args }: FlightEntry): Attached[] {
  const attached: Attached[] = [];
  if (debug.length > 0) attached.push({ role: 'debug', type: '', bytes: head.debugBytes, kept: debug });
  if (head.actionType !== null && args.length > 0) {
    const kept = redactArguments(args, head.actionType).subarray(0, argumentsKept);
    if (kept.length > 0) attached.push({ role: 'arguments', type: head.actionType, bytes: head.actionBytes, kept });
  }
  return attached;
}
