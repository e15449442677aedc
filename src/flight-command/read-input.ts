import { gunzipSync, zstdDecompressSync } from 'node:zlib';

import {
  type ChunkTime,
  isFlightFile,
  readFlightFile,
  type FlightFile,
  readFlightsFromHar,
  readFlightFromHtml,
  sniff,
} from '#flight';

import { describeError } from '#src/http/describe-error.ts';

import { formatCount } from './print-report.ts';

/** The flights in a file: a payload is one, a page may carry two, a HAR hundreds. */
export type InputFlight = { title: string; bytes: Uint8Array; chunks: readonly ChunkTime[] };

export type Input = { kind: 'flights'; flights: readonly InputFlight[] } | { kind: 'unreadable'; reason: string };

/** As much as the decoder reads of a payload (decode-flight.ts), before and after decompression. */
export const maxInputBytes = 64 * 1024 * 1024;

const utf8 = new TextDecoder();

function unreadable(reason: string): Input {
  return { kind: 'unreadable', reason };
}

/** Whatever is no page, HAR, export or compressed file is taken for a payload: the decoder says where it breaks. */
export function readInput(bytes: Uint8Array): Input {
  const sniffed = sniff(bytes);
  switch (sniffed.kind) {
    case 'empty':
      return unreadable('it is empty');
    case 'compressed':
      return readCompressed(bytes, sniffed.format);
    case 'html':
      return readHtml(utf8.decode(bytes), 'page');
    case 'har':
      return readHar(utf8.decode(bytes));
    case 'json':
      return readJson(bytes);
    case 'reply':
    case 'multipart':
      return unreadable('it is what a browser sends to a server action; this command reads responses');
    case 'flight':
    case 'unknown':
      return { kind: 'flights', flights: [{ title: 'payload', bytes, chunks: [] }] };
  }
}

function readCompressed(bytes: Uint8Array, format: 'gzip' | 'zstd'): Input {
  const decompress = format === 'gzip' ? gunzipSync : zstdDecompressSync;
  let content: Uint8Array;
  try {
    content = new Uint8Array(decompress(bytes, { maxOutputLength: maxInputBytes }));
  } catch (error) {
    return unreadable(`its ${format} cannot be read: ${describeError(error)}`);
  }
  return sniff(content).kind === 'compressed' ? unreadable('it is compressed twice') : readInput(content);
}

function readHtml(html: string, title: string): Input {
  const flights = readFlightFromHtml(html).map(({ source, bytes }) => ({
    title: `${title}, ${source}`,
    bytes,
    chunks: [],
  }));
  return flights.length === 0 ? unreadable('the page carries no Flight') : { kind: 'flights', flights };
}

function readHar(text: string): Input {
  const har = readFlightsFromHar(text);
  if (har.kind === 'malformed') return unreadable(`the HAR cannot be read: ${har.reason}`);
  const flights = har.flights.map(({ method, url, status, bytes, isLossy }) => ({
    title: `${method} ${url} ${status}${isLossy ? ' (binary rows were lost when the HAR was saved)' : ''}`,
    bytes,
    chunks: [],
  }));
  return flights.length === 0 ? unreadable('the HAR has no Flight in it') : { kind: 'flights', flights };
}

function describeKind({ kind, hits, startedAt, lastAt }: FlightFile['facts']): string {
  return lastAt === null ? kind : `${kind}, the first of ${formatCount(hits)} hits between ${startedAt} and ${lastAt}`;
}

function readJson(bytes: Uint8Array): Input {
  const text = utf8.decode(bytes);
  if (!isFlightFile(text)) return unreadable('it is JSON, and neither a HAR nor an exported flight');
  const result = readFlightFile(text);
  if (result.kind === 'malformed') return unreadable(`the exported flight cannot be read: ${result.reason}`);
  const { facts, content, body, chunks } = result.file;
  if (content === 'none') return unreadable('the exported flight has no body');
  const title = `${facts.method} ${facts.path} (${describeKind(facts)})`;
  if (content === 'html') return readHtml(utf8.decode(body), `${title}, page`);
  const times = chunks.map(([ms, size]) => ({ ms, bytes: size }));
  return { kind: 'flights', flights: [{ title, bytes: body, chunks: times }] };
}
