import type { FlightTable } from './flights-tables.ts';
import type { ChunkTime } from './flight-head.ts';
import type { PrefetchFate } from './prefetch-fate.ts';

/** A recorded flight as lists show it. Times are milliseconds: `startedAt` since 1970, the others since the request began. */
export type FlightSummary = {
  readonly id: number;
  readonly requestId: string;
  readonly traceId: string;
  /** One browser tab's sequence; undefined until the tab has said so, and for what is no browser. */
  readonly visit: string | undefined;
  readonly kind: FlightTable['kind'];
  readonly method: string;
  readonly path: string;
  /** Names of the query's parameters. */
  readonly query: readonly string[];
  readonly route: string;
  readonly build: string;
  readonly status: number;
  readonly rendering: FlightTable['rendering'];
  readonly content: FlightTable['content'];
  readonly outcome: FlightTable['outcome'];
  readonly startedAt: number;
  readonly firstByteMs: number | undefined;
  readonly durationMs: number;
  /** Uncompressed. */
  readonly bytes: number;
  /** More went out than was kept. */
  readonly isCut: boolean;
  /** How many chunks it was written in. */
  readonly writes: number;
  readonly digests: readonly string[];
  /** `<file>#<export>`, the file by the bundler's key. */
  readonly actionId: string | undefined;
  /** Of a prefetch. */
  readonly fate: PrefetchFate | undefined;
  /**
   * 1, or how many hits of a prerendered file this stands for, of which the first is what it describes. Sums count them;
   * `bytes` are those of each.
   */
  readonly hits: number;
  /** Of counted hits: when the last of them began, since 1970. They have no trace and no visit. */
  readonly lastAt: number | undefined;
  /** Of a prefetch, since 1970: a navigation showed it; its document was closed. */
  readonly usedAt: number | undefined;
  readonly closedAt: number | undefined;
};

/** A part of the page that this response left out, because the browser said that it has it. */
export type ElidedElement = {
  readonly element: string;
  /**
   * The earlier flight of the same visit that brought it. A prerendered one does not say what it brings, and is only
   * named (`isCertain: false`) where no other did.
   */
  readonly from: { readonly id: number; readonly isCertain: boolean } | undefined;
};

type RecordedArguments = {
  readonly contentType: string;
  /** As they came; the values of secret-looking fields are taken out of `kept`. */
  readonly bytes: number;
  readonly kept: Uint8Array;
  readonly isCut: boolean;
};

export type RecordedFlight = FlightSummary & {
  /** Flight rows, or the document's HTML when `content` is `html`. */
  readonly body: Uint8Array;
  /** Development's debug rows. */
  readonly debug: Uint8Array | undefined;
  /** Of `body` and `debug`, in the order in which they were written. */
  readonly chunks: readonly ChunkTime[];
  readonly elements: readonly string[];
  readonly elided: readonly ElidedElement[];
  readonly args: RecordedArguments | undefined;
};
