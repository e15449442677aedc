import type { ReplyPart } from './multipart.ts';
import { readFlightFromHtml, type HtmlFlightSource } from './from-html.ts';
import { scanFlight } from './scan-flight.ts';
import { sniff } from './sniff.ts';

/**
 * Flight responses in a HAR 1.2 file, as browsers' network panels save them: bodies that are Flight, and pages that carry
 * it. A HAR has no times of chunks: only when the request began, when the first byte came and when the last.
 *
 * Browsers decode text bodies before they save them, so bytes that were not UTF-8 (typed arrays) are lost there; such an
 * entry says `isLossy`. Nothing in the file is requested. Headers, which may hold cookies, are left where they are.
 */
export type HarFlight = {
  method: string;
  url: string;
  status: number;
  source: 'response' | HtmlFlightSource;
  bytes: Uint8Array;
  isLossy: boolean;
  /** ISO 8601, as saved; empty when the file has none. */
  startedAt: string;
  /** Milliseconds from the start: to the first byte of the response, and to its end. */
  firstByteMs: number;
  totalMs: number;
  /** An action's request: its body, or its form fields. */
  requestBody: string | readonly ReplyPart[] | undefined;
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

function readBody(content: Fields): { bytes: Uint8Array; text: string } | undefined {
  const text = textOf(content.text);
  if (text === '') return undefined;
  if (content.encoding !== 'base64') return { bytes: new TextEncoder().encode(text), text };
  try {
    const characters = atob(text);
    // A loop: `Uint8Array.from` takes some 27 times the input for a moment.
    const bytes = new Uint8Array(characters.length);
    for (let at = 0; at < bytes.length; at++) bytes[at] = characters.charCodeAt(at);
    return { bytes, text: new TextDecoder().decode(bytes) };
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

type Found = Pick<HarFlight, 'source' | 'bytes'>;

function findFlights(bytes: Uint8Array, text: string): Found[] {
  const { kind } = sniff(bytes);
  if (kind === 'flight') return scanFlight([bytes]).hasRoot ? [{ source: 'response', bytes }] : [];
  return kind === 'html' ? readFlightFromHtml(text).map(({ source, bytes: own }) => ({ source, bytes: own })) : [];
}

function readEntry(entry: Fields): HarFlight[] {
  const request = fieldsOf(entry.request);
  const response = fieldsOf(entry.response);
  const content = fieldsOf(response.content);
  const body = readBody(content);
  if (!body) return [];
  const timings = fieldsOf(entry.timings);
  const before = ['blocked', 'dns', 'connect', 'send', 'wait'].map((name) => numberOf(timings[name]));
  const isText = content.encoding !== 'base64';
  return findFlights(body.bytes, body.text).map((found) => ({
    ...found,
    method: textOf(request.method),
    url: textOf(request.url),
    status: numberOf(response.status),
    isLossy: isText && body.text.includes('\ufffd'),
    startedAt: textOf(entry.startedDateTime),
    firstByteMs: before.reduce((sum, part) => sum + part, 0),
    totalMs: numberOf(entry.time),
    requestBody: readRequestBody(request),
  }));
}

export type HarResult = { kind: 'har'; flights: readonly HarFlight[] } | { kind: 'malformed'; reason: string };

/** The Flight in a HAR's text, in the order of its entries, of which the first 20,000 are read. Never throws. */
export function readFlightsFromHar(text: string): HarResult {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    return { kind: 'malformed', reason: error instanceof Error ? error.message : 'not JSON' };
  }
  const { entries } = fieldsOf(fieldsOf(parsed).log);
  if (!Array.isArray(entries)) return { kind: 'malformed', reason: 'a HAR has log.entries' };
  const flights = entries.slice(0, maxEntries).flatMap((entry: unknown) => readEntry(fieldsOf(entry)));
  return { kind: 'har', flights };
}
