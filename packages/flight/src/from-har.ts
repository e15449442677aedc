import type { ReplyPart } from './multipart.ts';
import { readFlightFromHtml, type HtmlFlightSource } from './from-html.ts';
import { nameNextRequest } from './frameworks/next-request.ts';
import { scanFlight } from './scan-flight.ts';
import { mendLineEnds, sniff } from './sniff.ts';
import { takeOffSpace } from './unwrap.ts';

/**
 * Flight responses in a HAR 1.2 file, as browsers' network panels save them: bodies that are Flight, and pages that carry
 * it. A HAR has no times of chunks: only when the request began, when the first byte came and when the last.
 *
 * Browsers do not save all there was. They decode text bodies first, so bytes that were not UTF-8 (typed arrays) are lost
 * there: such a flight says `isLossy`. Large bodies are cut: such a flight says how many bytes are missing. A response that
 * was meant to be Flight, and of which nothing can be read, is in `leftOut` with the reason. Nothing in the file is
 * requested. Only the few headers that say what a response is are read: others may hold cookies.
 */
export type HarFlight = HarEntry & {
  source: 'response' | HtmlFlightSource;
  bytes: Uint8Array;
  /** What was put right before it could be read, in words after "it was"; empty for a page. */
  mended: readonly string[];
  isLossy: boolean;
  /** Bytes of the body that the file says there were and does not hold; 0 when it holds them all, or does not say. */
  missingBytes: number;
  /** ISO 8601, as saved; empty when the file has none. */
  startedAt: string;
  /** Milliseconds from the start: to the first byte of the response, and to its end. */
  firstByteMs: number;
  totalMs: number;
  /** What it was for, by the request's headers and address. */
  kind: 'document' | 'navigation' | 'prefetch' | 'navigation-or-prefetch' | 'action' | 'slice';
  /** Of the response's body before compression, with the HTML around the rows; undefined when the file does not say. */
  responseBytes: number | undefined;
  /** Of the response as it was sent, with its headers where the file counts them; undefined when it came from a cache, or unknown. */
  transferredBytes: number | undefined;
  /** An action's request: its body, or its form fields. */
  requestBody: string | readonly ReplyPart[] | undefined;
};

type HarEntry = { method: string; url: string; status: number };

/** A response that is Flight by its request or its type, and cannot be read. */
export type HarLeftOut = HarEntry & {
  reason:
    /** The file has no body for it. */
    | 'no-body'
    /** Its body is said to be base64 and is not. */
    | 'not-base64'
    /** The body is cut before the root row: `missingBytes` more were sent, where the file says. */
    | 'cut'
    /** Bytes that are no text were replaced when it was saved, so that its rows cannot be found. */
    | 'lossy'
    /** It is all there, and no Flight: an error page, perhaps. */
    | 'not-flight';
  missingBytes: number;
};

/** Entries of one file that are read: an hour of browsing has thousands. */
const maxEntries = 20_000;

type Fields = { readonly [key: string]: unknown };

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function numberOf(value: unknown): number {
  return typeof value === 'number' && value > 0 ? value : 0;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

type Body =
  | { kind: 'read'; bytes: Uint8Array; text: string; isText: boolean; missingBytes: number }
  | { kind: 'none'; reason: 'no-body' | 'not-base64'; missingBytes: number };

/** A byte order mark is counted in the size and dropped from the text. */
const markBytes = 3;

function readBody(content: Fields): Body {
  const text = textOf(content.text);
  const size = numberOf(content.size);
  if (text === '') return { kind: 'none', reason: 'no-body', missingBytes: size };
  const isText = content.encoding !== 'base64';
  const bytes = isText ? new TextEncoder().encode(text) : decodeBase64(text);
  if (!bytes) return { kind: 'none', reason: 'not-base64', missingBytes: size };
  const missing = size - bytes.length;
  return {
    kind: 'read',
    bytes,
    text: isText ? text : new TextDecoder().decode(bytes),
    isText,
    missingBytes: missing > markBytes ? missing : 0,
  };
}

function decodeBase64(text: string): Uint8Array | undefined {
  try {
    const characters = atob(text);
    // A loop: `Uint8Array.from` takes some 27 times the input for a moment.
    const bytes = new Uint8Array(characters.length);
    for (let at = 0; at < bytes.length; at++) bytes[at] = characters.charCodeAt(at);
    return bytes;
  } catch {
    // Not base64 after all: there is no body to show.
    return undefined;
  }
}

function readRequestBody(request: Fields): HarFlight['requestBody'] {
  const postData = fieldsOf(request.postData);
  const params = listOf(postData.params).map((param) => {
    const { name, value } = fieldsOf(param);
    return { name: textOf(name), value: textOf(value) };
  });
  if (params.length > 0) return params;
  return typeof postData.text === 'string' ? postData.text : undefined;
}

type Found = Pick<HarFlight, 'source' | 'bytes' | 'mended'>;

function findFlights(body: Uint8Array, text: string): Found[] {
  const { bytes: begun, mended } = takeOffSpace(body);
  const { kind } = sniff(begun);
  if (kind === 'flight') {
    const { bytes, mended: ends } = mendLineEnds(begun);
    return scanFlight([bytes]).hasRoot ? [{ source: 'response', bytes, mended: [...mended, ...ends] }] : [];
  }
  if (kind !== 'html') return [];
  return readFlightFromHtml(text).map(({ source, bytes }) => ({ source, bytes, mended: [] }));
}

/** Headers by which a framework's client asks for Flight, and the type that most servers answer with. */
const requestHeaders = /^(?:rsc|next-action|rsc-action-id|x-rsc-action|x-rsc-action-id)$/i;
const flightType = /^text\/x-component|^application\/x-tss-framed/i;
const flightAddress = /[?&](?:_rsc|__rsc)(?:[=&]|$)|^[^?]*(?:\.rsc(?:\?|$)|\/RSC\/)/;

function listHeaders(message: Fields): Fields[] {
  return listOf(message.headers).map(fieldsOf);
}

/** Whether a response was meant to be Flight, whatever became of it. Pages are not: most have none. */
function isMeantAsFlight(request: Fields, response: Fields): boolean {
  if (flightType.test(textOf(fieldsOf(response.content).mimeType))) return true;
  if (listHeaders(request).some(({ name }) => requestHeaders.test(textOf(name)))) return true;
  return flightAddress.test(textOf(request.url).split('#', 1)[0] ?? '');
}

/** Answers that have no body by their nature: redirects, 204, 304. A preflight asks for none. */
function hasNoBody({ method, status }: HarEntry): boolean {
  return (status >= 300 && status < 400) || status === 204 || method === 'OPTIONS' || method === 'HEAD';
}

const actionHeaders = /^(?:next-action|rsc-action-id|x-rsc-action|x-rsc-action-id)$/i;
const purposeHeaders = /^(?:sec-)?purpose$/i;

function readKind(request: Fields, source: HarFlight['source']): HarFlight['kind'] {
  const headers = listHeaders(request).map(({ name, value }) => ({
    name: textOf(name).toLowerCase(),
    value: textOf(value),
  }));
  const [, waku = ''] = /\/RSC\/([A-Z])\//.exec(textOf(request.url)) ?? [];
  if (waku === 'F' || headers.some(({ name }) => actionHeaders.test(name))) return 'action';
  if (waku === 'S') return 'slice';
  const isAhead = headers.some(
    ({ name, value }) => name === 'x-middleware-prefetch' || (purposeHeaders.test(name) && value.includes('prefetch')),
  );
  if (isAhead) return 'prefetch';
  const kind = nameNextRequest(Object.fromEntries(headers.map(({ name, value }) => [name, value])));
  return source === 'response' || kind === 'prefetch' ? kind : 'document';
}

/** A browser that took it from its cache says 0; HAR's own word for unknown is -1. */
function readSizes(response: Fields): Pick<HarFlight, 'responseBytes' | 'transferredBytes'> {
  const known = (size: unknown) => numberOf(size) || undefined;
  return {
    responseBytes: known(fieldsOf(response.content).size),
    transferredBytes: known(response.bodySize) ?? known(response._transferSize),
  };
}

type EntryResult = { flights: readonly HarFlight[]; leftOut: readonly HarLeftOut[] };

function readEntry(entry: Fields): EntryResult {
  const request = fieldsOf(entry.request);
  const response = fieldsOf(entry.response);
  const own: HarEntry = {
    method: textOf(request.method),
    url: textOf(request.url),
    status: numberOf(response.status),
  };
  const body = readBody(fieldsOf(response.content));
  const found = body.kind === 'read' ? findFlights(body.bytes, body.text) : [];
  if (body.kind === 'none' || found.length === 0) {
    const isMissed = isMeantAsFlight(request, response) && !hasNoBody(own);
    const leftOut: HarLeftOut = { ...own, reason: whyLeftOut(body), missingBytes: body.missingBytes };
    return { flights: [], leftOut: isMissed ? [leftOut] : [] };
  }
  const timings = fieldsOf(entry.timings);
  const before = ['blocked', 'dns', 'connect', 'send', 'wait'].map((name) => numberOf(timings[name]));
  const flights = found.map((flight) => ({
    ...flight,
    ...own,
    isLossy: isLossy(body),
    missingBytes: body.missingBytes,
    startedAt: textOf(entry.startedDateTime),
    firstByteMs: before.reduce((sum, part) => sum + part, 0),
    totalMs: numberOf(entry.time),
    kind: readKind(request, flight.source),
    ...readSizes(response),
    requestBody: readRequestBody(request),
  }));
  return { flights, leftOut: [] };
}

function isLossy({ isText, text }: Body & { kind: 'read' }): boolean {
  return isText && text.includes('\ufffd');
}

function whyLeftOut(body: Body): HarLeftOut['reason'] {
  if (body.kind === 'none') return body.reason;
  if (body.missingBytes > 0) return 'cut';
  return isLossy(body) ? 'lossy' : 'not-flight';
}

export type HarResult =
  | { kind: 'har'; flights: readonly HarFlight[]; leftOut: readonly HarLeftOut[] }
  | { kind: 'malformed'; reason: string };

/**
 * The Flight in a HAR's text, in the order of its entries, of which the first 20,000 are read, and what was left out of it.
 * Never throws.
 */
export function readFlightsFromHar(text: string): HarResult {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    return { kind: 'malformed', reason: error instanceof Error ? error.message : 'not JSON' };
  }
  const { entries } = fieldsOf(fieldsOf(parsed).log);
  if (!Array.isArray(entries)) return { kind: 'malformed', reason: 'a HAR has log.entries' };
  const results = entries.slice(0, maxEntries).map((entry: unknown) => readEntry(fieldsOf(entry)));
  return {
    kind: 'har',
    flights: results.flatMap(({ flights }) => flights),
    leftOut: results.flatMap(({ leftOut }) => leftOut),
  };
}
