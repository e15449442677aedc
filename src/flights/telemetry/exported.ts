import type { StoredFlight } from '../flight/flight-columns.ts';

/** What is told of a flight and of an error, in this server's words. It passes between threads, so it is plain data. */
export type ExportedFlight = {
  /** 32 hex characters. */
  readonly requestId: string;
  readonly traceId: string;
  /** `<trace>-<span>` of whoever asked; null where nobody said it. */
  readonly parent: string | null;
  readonly app: string;
  readonly kind: string;
  readonly method: string;
  readonly path: string;
  readonly route: string;
  readonly status: number;
  readonly outcome: StoredFlight['outcome'];
  readonly rendering: string;
  readonly source: string;
  readonly framework: string | null;
  readonly build: string;
  readonly actionId: string | null;
  /** An empty one is that of an error without a digest. */
  readonly digests: readonly string[];
  /** Of the Flight rows, or of the document. */
  readonly bytes: number;
  readonly sentBytes: number | null;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** Milliseconds since the start, and bytes. */
  readonly chunks: readonly (readonly [ms: number, bytes: number, isDebug: 0 | 1])[];
};

export type ExportedError = {
  readonly app: string;
  readonly digest: string | undefined;
  readonly fault: string | undefined;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly phase: string;
  readonly kind: string;
  readonly method: string;
  readonly path: string;
  readonly route: string;
  readonly release: string;
  /** Empty where nobody knows them. */
  readonly requestId: string;
  readonly traceId: string;
  readonly name: string;
  readonly message: string;
  readonly stack: string;
  /** Whether `requestId` is what the request's flight has: it is this server's own, or one of a Waku app with our plugin. */
  readonly hasFlight: boolean;
};

const requestIdPattern = /^[0-9a-f]{32}$/;
const noSpan = '0'.repeat(16);

/**
 * The span of a request. It follows from the request's id, so whoever stores an error of it knows the span without asking the
 * thread that writes the flight. The end of an id is random (server/http/create-request-context.ts).
 */
export function toSpanId(requestId: string): string | undefined {
  if (!requestIdPattern.test(requestId)) return undefined;
  const id = requestId.slice(-16);
  return id === noSpan ? undefined : id;
}
