import { beginsAsFlight } from './flight-start.ts';
import { createFramer, joinPieces, type FramingEnd } from './framing.ts';
import { takeOffMarker } from './next-marker.ts';
import { rowTagOf } from './row-tags.ts';

/**
 * A cheap pass over a response as it is recorded: framing, and the few rows that say how it went. The models, nearly all
 * of the bytes, are not looked into: `decodeFlight` does that when somebody opens the flight. Chunks may end anywhere.
 */
export type FlightScan = {
  rows: number;
  bytes: number;
  /** In the order sent. A digest is undefined when the row's JSON is broken or has none; React sends `""` for none. */
  errors: readonly { id: number; digest: string | undefined }[];
  hasRoot: boolean;
  /** The id of the error row that React's `abort` sent in the place of others. */
  abortError: number | undefined;
  end: FramingEnd;
};

/** Errors kept of one flight. Where there are more, they have the same cause. */
const maxErrors = 100;

/** Next.js nests one payload in another. Each level is read again, and a stranger can write thousands: deeper ones are not looked into. */
export const mostNested = 3;

/** Streams that are remembered; a page has a few. */
const maxStreams = 1000;

/** `"$ffffffff"`, the longest model that is nothing but a reference. */
const maxReferenceBytes = 11;

const utf8 = new TextDecoder();

function readDigest(payload: Uint8Array): string | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(utf8.decode(payload));
  } catch {
    // A broken error row is still an error row.
    return undefined;
  }
  if (typeof parsed !== 'object' || parsed === null || !('digest' in parsed)) return undefined;
  return typeof parsed.digest === 'string' ? parsed.digest : undefined;
}

function readWholeReference(pieces: readonly Uint8Array[]): number | undefined {
  const id = /^"\$([0-9a-f]{1,8})"$/.exec(utf8.decode(joinPieces(pieces)))?.[1];
  return id === undefined ? undefined : Number.parseInt(id, 16);
}

/** The errors of a payload in a binary row. */
function scanNested(bytes: Uint8Array, depth: number): FlightScan['errors'] {
  if (depth > mostNested || !beginsAsFlight(bytes)) return [];
  const { errors, hasRoot, end } = scanChunks([bytes], depth);
  return hasRoot && end.kind !== 'malformed' ? errors : [];
}

/** A scan that is fed chunk by chunk; `read` may be called at any time. */
function createFlightScan(depth: number): { push: (chunk: Uint8Array) => void; read: () => FlightScan } {
  const errors: { id: number; digest: string | undefined }[] = [];
  const errorIds = new Set<number>();
  /** Ids of streams: a piece of one may refer to an error although nothing was aborted. */
  const streamIds = new Set<number>();
  let rows = 0;
  let bytes = 0;
  let hasRoot = false;
  let abortError: number | undefined;
  const framer = createFramer(({ id, tag, payloadStart, payloadEnd, pieces }) => {
    rows += 1;
    const { role, body, isReferable } = rowTagOf(tag);
    if (role === 'error' && errors.length < maxErrors) {
      errors.push({ id, digest: readDigest(joinPieces(pieces)) });
      errorIds.add(id);
    }
    if (body === 'binary' || body === 'bytes') {
      errors.push(...scanNested(joinPieces(pieces), depth + 1).slice(0, maxErrors - errors.length));
    }
    if (id === 0 && isReferable) hasRoot = true;
    if (body === 'stream' && streamIds.size < maxStreams) streamIds.add(id);
    const mayRefer =
      body === 'model' && !streamIds.has(id) && errorIds.size > 0 && payloadEnd - payloadStart <= maxReferenceBytes;
    if (!mayRefer || abortError !== undefined) return;
    const target = readWholeReference(pieces);
    if (target !== undefined && errorIds.has(target)) abortError = target;
  });
  return {
    push: (chunk) => {
      framer.push(bytes === 0 ? takeOffMarker(chunk).payload : chunk);
      bytes += chunk.length;
    },
    read: () => ({ rows, bytes, errors, hasRoot, abortError, end: framer.end() }),
  };
}

function scanChunks(chunks: Iterable<Uint8Array>, depth: number): FlightScan {
  const scan = createFlightScan(depth);
  for (const chunk of chunks) scan.push(chunk);
  return scan.read();
}

/** The scan of a whole flight. */
export function scanFlight(chunks: Iterable<Uint8Array>): FlightScan {
  return scanChunks(chunks, 0);
}
