import { gunzipSync, zstdDecompressSync } from 'node:zlib';

import {
  type ChunkTime,
  type Decompress,
  type FlightFile,
  type FlightOrigin,
  type OpenedInput,
  openFlights,
} from '#flight';

import { formatCount } from './print-report.ts';

/** The responses in a file: a payload is one, a page may carry two, a HAR hundreds. */
export type InputFlight = { title: string; bytes: Uint8Array; chunks: readonly ChunkTime[] };

export type Input = { kind: 'flights'; flights: readonly InputFlight[] } | { kind: 'unreadable'; reason: string };

const decompress: Decompress = (bytes, format, maxOutputLength) =>
  new Uint8Array((format === 'gzip' ? gunzipSync : zstdDecompressSync)(bytes, { maxOutputLength }));

/** What looks like nothing known is taken for a payload: the decoder says where it breaks. */
export async function readInput(bytes: Uint8Array): Promise<Input> {
  const opened = await openFlights(bytes, { decompress });
  switch (opened.kind) {
    case 'flights': {
      const flights = opened.flights.flatMap((found): InputFlight[] =>
        found.direction === 'response'
          ? [{ title: describeOrigin(found.origin), bytes: found.bytes, chunks: found.chunks }]
          : [],
      );
      return flights.length > 0
        ? { kind: 'flights', flights }
        : unreadable('it is what a browser sends to a server action; this command reads responses');
    }
    case 'unreadable':
      if (opened.reason !== 'unknown') return unreadable(describeReason(opened));
      return { kind: 'flights', flights: [{ title: 'payload', bytes: opened.bytes, chunks: [] }] };
  }
}

function unreadable(reason: string): Input {
  return { kind: 'unreadable', reason };
}

function describeOrigin(origin: FlightOrigin): string {
  switch (origin.kind) {
    case 'payload':
      return 'payload';
    case 'html':
      return `page, ${origin.page.source}`;
    case 'har': {
      const { method, url, status, isLossy } = origin.entry;
      return `${method} ${url} ${status}${isLossy ? ' (binary rows were lost when the HAR was saved)' : ''}`;
    }
    case 'flight-file': {
      const { file, page } = origin;
      const title = `${file.facts.method} ${file.facts.path} (${describeKind(file.facts)})`;
      return page ? `${title}, page, ${page.source}` : title;
    }
  }
}

function describeKind({ kind, hits, startedAt, lastAt }: FlightFile['facts']): string {
  return lastAt === null ? kind : `${kind}, the first of ${formatCount(hits)} hits between ${startedAt} and ${lastAt}`;
}

function describeReason({ reason, detail }: OpenedInput & { kind: 'unreadable' }): string {
  switch (reason) {
    case 'empty':
      return 'it is empty';
    case 'too-large':
      return 'it is larger than 64 MiB when it is unpacked';
    case 'unsupported':
      return `it is compressed with ${detail}`;
    case 'damaged':
      return `it cannot be unpacked: ${detail}`;
    case 'html-without-flight':
      return 'the page carries no Flight';
    case 'har-without-flight':
      return 'the HAR has no Flight in it';
    case 'flight-file-without-flight':
      return 'the exported flight has no payload';
    case 'broken-har':
      return `the HAR cannot be read: ${detail}`;
    case 'broken-flight-file':
      return `the exported flight cannot be read: ${detail}`;
    case 'other-json':
      return 'it is JSON, and neither a HAR nor an exported flight';
    case 'unknown':
      return 'nothing known';
  }
}
