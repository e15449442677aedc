import * as zlib from 'node:zlib';

import {
  type ChunkTime,
  decodeFlight,
  type Decompress,
  explainLeftOut,
  type FlightFile,
  type FlightOrigin,
  type HtmlFlight,
  type HtmlFlightSource,
  type OpenedInput,
  type ServerTime,
  findServerTime,
  openFlights,
  formatCount,
} from '#flight';

/** Of the response around the rows, as far as it is known: before compression, and as it was sent. */
export type ResponseSizes = {
  readonly response: number | undefined;
  readonly transferred: number | undefined;
  /** As HTTP names it; `identity` where nothing compressed it, undefined where nothing says it. */
  readonly codec?: string | undefined;
};

/** The responses in a file: a payload is one, a page may carry two, a HAR hundreds. */
export type InputFlight = {
  title: string;
  bytes: Uint8Array;
  chunks: readonly ChunkTime[];
  /** What handed it over, when it was in a page. */
  pageSource?: HtmlFlightSource | undefined;
  sizes?: ResponseSizes | undefined;
  /** What the server did meanwhile, where a recorder knew it. */
  serverTime?: ServerTime | undefined;
};

/** `notes`: what is missing in the file, a line each. */
export type Input =
  | { kind: 'flights'; flights: readonly InputFlight[]; notes: readonly string[] }
  | { kind: 'unreadable'; reason: string; notes: readonly string[] };

/** Not in Node 20, where tests with budgets may run: naming it in the import would keep this module from being loaded. */
const { zstdDecompressSync }: { readonly zstdDecompressSync?: typeof zlib.zstdDecompressSync } = zlib;

function decompress(...[bytes, format, maxOutputLength]: Parameters<Decompress>): Uint8Array<ArrayBuffer> {
  const unpack = format === 'gzip' ? zlib.gunzipSync : zstdDecompressSync;
  if (!unpack) throw new Error('it is packed with zstd, which needs Node 22.15 or newer');
  return new Uint8Array(unpack(bytes, { maxOutputLength }));
}

export async function readInput(bytes: Uint8Array): Promise<Input> {
  const opened = await openFlights(bytes, { decompress });
  const notes = opened.leftOut.map(
    (leftOut) => `${leftOut.method} ${leftOut.url} ${leftOut.status} is left out: ${explainLeftOut(leftOut)}`,
  );
  switch (opened.kind) {
    case 'flights': {
      const flights = opened.flights.flatMap((found): InputFlight[] =>
        found.direction === 'response'
          ? [
              {
                title: describeOrigin(found.origin),
                bytes: found.bytes,
                chunks: found.chunks,
                pageSource: readPageSource(found.origin),
                sizes: readSizes(found.origin),
                serverTime: findServerTime(found.origin),
              },
            ]
          : [],
      );
      return flights.length > 0
        ? { kind: 'flights', flights, notes }
        : unreadable('it is what a browser sends to a server action; this command reads responses', notes);
    }
    case 'unreadable':
      return unreadable(describeReason(opened), notes);
  }
}

function readPageSource(origin: FlightOrigin): HtmlFlightSource | undefined {
  if (origin.kind === 'saved') return origin.saved.pageSource;
  return 'page' in origin ? origin.page?.source : undefined;
}

/** Exported files from before there were three sizes say two of them in other fields, and only of other apps. */
function readSizes(origin: FlightOrigin): ResponseSizes | undefined {
  if (origin.kind === 'saved') return origin.saved.sizes;
  if (origin.kind !== 'flight-file') return undefined;
  const { sizes, decodedBytes, sentBytes, codec } = origin.file.facts;
  return {
    response: sizes?.response ?? decodedBytes ?? undefined,
    transferred: sizes?.transferred ?? sentBytes ?? undefined,
    codec: codec ?? undefined,
  };
}

/** Names the first byte that cannot be Flight, and why not, for an input without any row. */
function describeBreak(bytes: Uint8Array): string {
  const { state } = decodeFlight(bytes);
  return state.kind === 'malformed' ? `${state.reason} (byte ${state.at})` : 'it has no row';
}

function unreadable(reason: string, notes: readonly string[]): Input {
  return { kind: 'unreadable', reason, notes };
}

function describeOrigin(origin: FlightOrigin): string {
  switch (origin.kind) {
    case 'payload':
      return ['payload', ...origin.mended].join(', ');
    case 'html':
      return nameOfPage(origin.page);
    case 'har': {
      const { method, url, status, isLossy, missingBytes, mended } = origin.entry;
      const cut =
        missingBytes > 0 ? ` (cut when the HAR was saved: ${formatCount(missingBytes)} bytes are missing)` : '';
      const lossy = isLossy ? ' (binary rows were lost when the HAR was saved)' : '';
      return [`${method} ${url} ${status}${lossy}${cut}`, ...mended].join(', ');
    }
    case 'frames': {
      const { stream, error } = origin.stream;
      return `TanStack Start, stream ${stream}${error === undefined ? '' : ` (failed: ${error})`}`;
    }
    case 'flight-file': {
      const { file, page } = origin;
      const title = `${file.facts.method} ${file.facts.path} (${describeKind(file.facts)})`;
      return page ? `${title}, ${nameOfPage(page)}` : title;
    }
    case 'saved':
      return origin.saved.title;
  }
}

function nameOfPage({ source, stream }: HtmlFlight): string {
  return source === 'tanstack-start' ? `page, ${source}, stream ${stream}` : `page, ${source}`;
}

function describeKind({ kind, hits, startedAt, lastAt }: FlightFile['facts']): string {
  return lastAt === null ? kind : `${kind}, the first of ${formatCount(hits)} hits between ${startedAt} and ${lastAt}`;
}

function describeReason({ reason, detail, bytes }: OpenedInput & { kind: 'unreadable' }): string {
  switch (reason) {
    case 'empty':
      return 'it is empty';
    case 'too-large':
      return 'it is larger than 64 MiB when it is unpacked';
    case 'unsupported':
      return `it is compressed with ${detail}`;
    case 'damaged':
      return `it cannot be unpacked: ${detail}`;
    case 'headers-only':
      return `it is the headers of a response (${detail}), without a body`;
    case 'other-format':
      return `it is ${detail}`;
    case 'frames-without-flight':
      return 'it is what a server function of TanStack Start answers, without Flight in it';
    case 'html-without-flight':
      return 'the page carries no Flight';
    case 'har-without-flight':
      return 'the HAR has no Flight in it';
    case 'flight-file-without-flight':
      return 'the exported flight has no payload';
    case 'broken-har':
      return `the HAR cannot be read: ${detail}`;
    case 'broken-one-file':
      return `the saved file cannot be read: ${detail}`;
    case 'broken-flight-file':
      return `the exported flight cannot be read: ${detail}`;
    case 'other-json':
      return 'it is JSON, and neither a HAR nor an exported flight';
    case 'unknown':
      return `it does not look like Flight: ${describeBreak(bytes)}`;
  }
}
