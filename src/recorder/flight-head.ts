import type { FlightTable } from './flights-tables.ts';

/** Milliseconds since the request began, bytes, and 1 for a chunk of development's debug rows. */
export type ChunkTime = readonly [ms: number, bytes: number, isDebug: 0 | 1];

/**
 * What is written of a flight besides bytes: it goes as JSON from the thread that serves pages to the one that writes,
 * in front of the bytes themselves.
 */
export type FlightHead = {
  readonly requestId: string;
  readonly traceId: string;
  readonly visit: string | null;
  readonly kind: FlightTable['kind'];
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly route: string;
  readonly build: string;
  readonly status: number;
  readonly rendering: FlightTable['rendering'];
  readonly content: FlightTable['content'];
  readonly outcome: FlightTable['outcome'];
  readonly startedAt: number;
  readonly durationMs: number;
  /** Bytes that went out, and how many of them come along. */
  readonly bytes: number;
  readonly keptBytes: number;
  /** Names a prerendered file's content, which is then sent along once. */
  readonly etag: string | null;
  readonly digests: readonly string[];
  readonly chunks: readonly ChunkTime[];
  readonly elements: readonly string[];
  readonly elided: readonly string[];
  readonly debugBytes: number;
  readonly action: { readonly id: string; readonly contentType: string; readonly bytes: number } | null;
  /** Values in the query under secret names: they are taken out of the payload, and not written. */
  readonly secrets: readonly { readonly name: string; readonly value: string }[];
  /** Set when this is several hits of one file, of which the rest of the head is the first: count-hits.ts. */
  readonly counted: {
    readonly hits: number;
    /** When the last of them began. */
    readonly lastAt: number;
    /** Others of the same second were written before, under this request id: these are added to them. */
    readonly isMore: boolean;
  } | null;
};
