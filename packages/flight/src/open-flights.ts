import type { ChunkTime } from './chunk-times.ts';
import { maxFlightBytes } from './decode-flight.ts';
import { looksLikeReply } from './decode-reply.ts';
import { isFlightFile, readFlightFile, type FlightFile } from './flight-file.ts';
import { readFlightFromFrames, type FrameFlight } from './from-frames.ts';
import { readFlightsFromHar, type HarFlight, type HarLeftOut } from './from-har.ts';
import { readFlightFromHtml, readFlightFromList, readFlightFromScript, type HtmlFlight } from './from-html.ts';
import { findHttpBody, readStatusLine } from './http-head.ts';
import { readReplyBody, type ReplyPart } from './multipart.ts';
import { isOneFile, readOneFile, type SavedFlight } from './one-file.ts';
import type { ServerTime } from './server-time/server-time.ts';
import { mendLineEnds, repairPasted, sniff, type Sniffed } from './sniff.ts';
import { decompressHere, type Decompress } from './unpack.ts';
import { unwrap } from './unwrap.ts';

/**
 * From whatever somebody has to the flights in it: a payload, a page, a HAR, an exported flight, a file with its own viewer, the request
 * of an action, a framed body of TanStack Start, each of these compressed or not, and with the head that `curl -i` writes before it or
 * without. The bytes alone say which it is: names of files and content types are often wrong. Nothing in it is evaluated or requested,
 * nothing is decoded yet, and only the beginnings of other formats are looked at.
 *
 * There is one limit, `maxFlightBytes`, before and after unpacking: text of a HAR costs several times its bytes in memory.
 */
export type OpenedInput =
  /** At least one. */
  | {
      readonly kind: 'flights';
      readonly flights: readonly FoundFlight[];
      /** What a HAR says there was and does not hold. */
      readonly leftOut: readonly HarLeftOut[];
    }
  | {
      readonly kind: 'unreadable';
      readonly reason: UnreadableReason;
      /** What a parser says of it; empty for most reasons. */
      readonly detail: string;
      /** The input, unpacked where that was possible: what is `unknown` can still be given to `decodeFlight`. */
      readonly bytes: Uint8Array;
      readonly leftOut: readonly HarLeftOut[];
    };

/** A flight that is not decoded yet: `decodeFlight(bytes)`, or `decodeReply(body)`. */
export type FoundFlight =
  | {
      readonly direction: 'response';
      readonly origin: FlightOrigin;
      readonly bytes: Uint8Array;
      /** When its bytes were written, where the input knows; else empty. */
      readonly chunks: readonly ChunkTime[];
    }
  /** What an action was called with. Its response is before it in the list, if the input has one. */
  | {
      readonly direction: 'request';
      readonly origin: FlightOrigin;
      readonly body: string | readonly ReplyPart[];
    };

/** Where a flight was found, with all that is known of it there. */
export type FlightOrigin =
  /** The input is nothing else. `mended` says what was put right before that could be said, in words after "it was". */
  | { readonly kind: 'payload'; readonly mended: readonly string[] }
  | { readonly kind: 'html'; readonly page: HtmlFlight }
  | { readonly kind: 'har'; readonly entry: HarFlight }
  | { readonly kind: 'frames'; readonly stream: FrameFlight }
  /** `page` when it is of a recorded page. */
  | { readonly kind: 'flight-file'; readonly file: FlightFile; readonly page: HtmlFlight | undefined }
  /** A file with its own viewer in it. */
  | { readonly kind: 'saved'; readonly saved: SavedFlight };

/** What the server did meanwhile, where a recorder knew it. */
export function findServerTime(origin: FlightOrigin): ServerTime | undefined {
  if (origin.kind === 'saved') return origin.saved.serverTime;
  return origin.kind === 'flight-file' ? (origin.file.serverTime ?? undefined) : undefined;
}

/** Why there is no flight. */
export type UnreadableReason =
  /** Not a byte, or only white space. */
  | 'empty'
  /** More than `maxFlightBytes`, as it is or unpacked. */
  | 'too-large'
  /** Compressed in a format that nobody here can unpack; `detail` is its name. */
  | 'unsupported'
  /** Compressed, and damaged, cut off or compressed twice; `detail` says which. */
  | 'damaged'
  /** A status line, which is the `detail`, and headers, and no body after them. */
  | 'headers-only'
  /** A file of another kind: `detail` says which, in words after "it is". */
  | 'other-format'
  /** A page without Flight, framed bodies or a HAR without Flight, an exported flight without a body. */
  | 'html-without-flight'
  | 'frames-without-flight'
  | 'har-without-flight'
  | 'flight-file-without-flight'
  /** Not what it begins as; `detail` says why. */
  | 'broken-one-file'
  | 'broken-har'
  | 'broken-flight-file'
  /** JSON of another kind. */
  | 'other-json'
  /** Nothing known. */
  | 'unknown';

export type OpenOptions = {
  /** Pasted text lost its last line end, and may have others than it was sent with: that is put right. */
  readonly isPasted?: boolean;
  /** Instead of what the platform offers (gzip). @see Decompress */
  readonly decompress?: Decompress;
};

const encoder = new TextEncoder();
const utf8 = new TextDecoder();

/**
 * Finds the flights in the bytes of a payload, a page, a HAR, a flight file or an action's request, as it is or compressed.
 * Decodes none of them. Never rejects for what is in the input: `reason` says why there is nothing.
 */
export async function openFlights(bytes: Uint8Array, options: OpenOptions = {}): Promise<OpenedInput> {
  if (bytes.length > maxFlightBytes) return unreadable(bytes, 'too-large');
  const unwrapped = unwrap(bytes);
  if (unwrapped.kind === 'other') return unreadable(bytes, 'other-format', unwrapped.name);
  const opened = await openBody(unwrapped.bytes, unwrapped.mended, options);
  // What only looked like base64 is shown as it is.
  const isMistaken = opened.kind === 'unreadable' && opened.reason === 'unknown' && unwrapped.mended.length > 0;
  return isMistaken ? { ...opened, bytes } : opened;
}

async function openBody(bytes: Uint8Array, mended: readonly string[], options: OpenOptions): Promise<OpenedInput> {
  const bodyAt = findHttpBody(bytes);
  if (bodyAt === bytes.length && bodyAt > 0) return unreadable(bytes, 'headers-only', readStatusLine(bytes));
  const body = bytes.subarray(bodyAt ?? 0);
  const sniffed = sniff(body);
  return sniffed.kind === 'compressed'
    ? openCompressed(body, sniffed.format, options)
    : openPlain(body, sniffed, mended, options);
}

function unreadable(bytes: Uint8Array, reason: UnreadableReason, detail = ''): OpenedInput & { kind: 'unreadable' } {
  return { kind: 'unreadable', reason, detail, bytes, leftOut: [] };
}

function foundOr(
  reason: UnreadableReason,
  bytes: Uint8Array,
  flights: readonly FoundFlight[],
  leftOut: readonly HarLeftOut[] = [],
): OpenedInput {
  return flights.length > 0 ? { kind: 'flights', flights, leftOut } : { ...unreadable(bytes, reason), leftOut };
}

function foundOne(flight: FoundFlight): OpenedInput {
  return { kind: 'flights', flights: [flight], leftOut: [] };
}

function response(origin: FlightOrigin, bytes: Uint8Array, chunks: readonly ChunkTime[] = []): FoundFlight {
  return { direction: 'response', origin, bytes, chunks };
}

function request(origin: FlightOrigin, body: string | readonly ReplyPart[]): FoundFlight {
  return { direction: 'request', origin, body };
}

function payload(mended: readonly string[] = []): FlightOrigin {
  return { kind: 'payload', mended };
}

async function openCompressed(packed: Uint8Array, format: 'gzip' | 'zstd', options: OpenOptions): Promise<OpenedInput> {
  let bytes: Uint8Array | undefined;
  try {
    bytes = await (options.decompress ?? decompressHere)(packed, format, maxFlightBytes);
  } catch (error) {
    if (error instanceof RangeError) return unreadable(packed, 'too-large');
    return unreadable(packed, 'damaged', String(error));
  }
  if (!bytes) return unreadable(packed, 'unsupported', format);
  const sniffed = sniff(bytes);
  return sniffed.kind === 'compressed'
    ? unreadable(bytes, 'damaged', 'compressed twice')
    : openPlain(bytes, sniffed, [], options);
}

async function openPlain(
  bytes: Uint8Array,
  sniffed: Exclude<Sniffed, { kind: 'compressed' }>,
  mended: readonly string[],
  { isPasted = false, decompress = decompressHere }: OpenOptions,
): Promise<OpenedInput> {
  if (sniffed.kind === 'empty') return unreadable(bytes, 'empty');
  if (sniffed.kind === 'unknown') return openScript(bytes);
  if (sniffed.kind === 'other') return unreadable(bytes, 'other-format', sniffed.name);
  if (sniffed.kind === 'frames') {
    const streams = readFlightFromFrames(bytes);
    const flights = streams.map((stream) => response({ kind: 'frames', stream }, stream.bytes));
    return foundOr('frames-without-flight', bytes, flights);
  }
  if (sniffed.kind === 'multipart') return foundOne(request(payload(mended), readReplyBody(bytes)));
  if (sniffed.kind === 'flight' && !isPasted) {
    const lines = mendLineEnds(bytes);
    return foundOne(response(payload([...mended, ...lines.mended]), lines.bytes));
  }
  const text = utf8.decode(bytes);
  switch (sniffed.kind) {
    case 'flight':
      return foundOne(response(payload(mended), encoder.encode(repairPasted(text))));
    case 'html':
      if (isOneFile(text)) return openOneFile(bytes, text, decompress);
      return foundOr(
        'html-without-flight',
        bytes,
        readFlightFromHtml(text).map((page) => response({ kind: 'html', page }, page.bytes)),
      );
    case 'har': {
      const har = readFlightsFromHar(text);
      if (har.kind === 'malformed') return unreadable(bytes, 'broken-har', har.reason);
      return foundOr('har-without-flight', bytes, har.flights.flatMap(openHarFlight), har.leftOut);
    }
    case 'reply': {
      const page = readFlightFromList(text);
      if (page) return foundOne(response({ kind: 'html', page }, page.bytes));
      return looksLikeReply(text) ? foundOne(request(payload(mended), text)) : unreadable(bytes, 'unknown');
    }
    case 'json': {
      if (!isFlightFile(text)) return unreadable(bytes, 'other-json');
      const result = readFlightFile(text);
      if (result.kind === 'malformed') return unreadable(bytes, 'broken-flight-file', result.reason);
      return foundOr('flight-file-without-flight', bytes, openFlightFile(result.file));
    }
  }
}

/** What a page's scripts call, before a word that they do not have. */
const scriptStart = /^[\s(]{0,10}(?:(?:self|window|globalThis)\.)?(?:__next_f|__FLIGHT_DATA|\$_TSR)\b/;
const scriptHead = 100;

/** A script of a page, copied without its tag. */
function openScript(bytes: Uint8Array): OpenedInput {
  if (!scriptStart.test(utf8.decode(bytes.subarray(0, scriptHead)))) return unreadable(bytes, 'unknown');
  const flights = readFlightFromScript(utf8.decode(bytes)).map((page) => response({ kind: 'html', page }, page.bytes));
  return foundOr('unknown', bytes, flights);
}

async function openOneFile(bytes: Uint8Array, html: string, decompress: Decompress): Promise<OpenedInput> {
  const result = await readOneFile(html, decompress);
  if (result.kind === 'malformed') return unreadable(bytes, 'broken-one-file', result.reason);
  const flights = result.file.flights.map((saved): FoundFlight => {
    const origin = { kind: 'saved', saved } as const;
    return saved.direction === 'response'
      ? response(origin, saved.bytes, saved.chunks)
      : request(origin, readReplyBody(saved.bytes));
  });
  return foundOr('html-without-flight', bytes, flights);
}

function openHarFlight(entry: HarFlight): FoundFlight[] {
  const origin = { kind: 'har', entry } as const;
  const flights = [response(origin, entry.bytes)];
  const { requestBody } = entry;
  if (requestBody) {
    const body = typeof requestBody === 'string' ? readReplyBody(encoder.encode(requestBody)) : requestBody;
    flights.push(request(origin, body));
  }
  return flights;
}

function openFlightFile(file: FlightFile): FoundFlight[] {
  const { body, content, chunks } = file;
  const argumentBytes = file.arguments?.body ?? new Uint8Array();
  const origin = { kind: 'flight-file', file, page: undefined } as const;
  const flights: FoundFlight[] = [];
  if (content === 'flight' && body.length > 0) {
    flights.push(
      response(
        origin,
        body,
        chunks.map(([ms, bytes]) => ({ ms, bytes })),
      ),
    );
  } else if (content === 'html') {
    for (const page of readFlightFromHtml(utf8.decode(body))) flights.push(response({ ...origin, page }, page.bytes));
  }
  if (argumentBytes.length > 0) flights.push(request(origin, readReplyBody(argumentBytes)));
  return flights;
}
