import 'server-only';

import {
  asInteger,
  asRecord,
  createJsonBudget,
  isWithin,
  type JsonBudget,
  type JsonRecord,
  parseJson,
} from './untrusted-json.ts';

/**
 * Sentry's envelope: `header "\n" (item-header "\n" payload "\n")* `, where the last newline may be missing. An item's
 * `length` says how many bytes its payload has. Without `length`, the payload ends at the next newline.
 * https://develop.sentry.dev/sdk/foundations/data-model/envelopes/
 *
 * The rules are those of Relay, Sentry's own receiver. The parser in @sentry/core is not usable here: it throws on
 * envelopes that Sentry's SDKs send (empty attachments, items without length that are not JSON) and accepts truncated
 * ones.
 *
 * There are two kinds of damage. In the first it is not certain where the next item begins: a header is no JSON object,
 * or a length leads past the end or not to a newline. Then nothing after it can be trusted, and the envelope is
 * refused. In the second the item is framed well but has no type. Then only that item is lost.
 *
 * Two rules differ from Relay on purpose. Empty lines between items and at the end are skipped (Relay skips the former
 * and fails on the latter). A header must be on one line, as the specification says.
 */
export type EnvelopeItem = {
  readonly type: string;
  readonly header: JsonRecord;
  readonly payload: Uint8Array;
};

export type ParsedEnvelope =
  | {
      readonly status: 'parsed';
      readonly header: JsonRecord;
      readonly items: readonly EnvelopeItem[];
      /** How many items have no usable type. */
      readonly malformedItems: number;
    }
  | { readonly status: 'malformed'; readonly detail: string };

/** Bugsink's limit. SDKs send some 300 bytes. Only the trace context can grow. */
const headerBytesLimit = 8 * 1024;
/** Rustrak's limit. SDKs put only a few items into an envelope. */
const itemsLimit = 1024;
/** Each is a step of a loop: twenty million of them took 50 ms. */
const emptyLinesLimit = 1024 * 1024;
/** The longest type in Sentry's list has 17 characters. */
const typeLengthLimit = 64;

const newline = 0x0a;
const closingBrace = 0x7d;

type Line<T> = T | { readonly status: 'malformed'; readonly detail: string };
type Header = { readonly status: 'header'; readonly value: JsonRecord; readonly end: number };
type Payload = { readonly status: 'payload'; readonly bytes: Uint8Array; readonly end: number };

function findLineEnd(bytes: Uint8Array, start: number): number {
  const end = bytes.indexOf(newline, start);
  return end === -1 ? bytes.length : end;
}

/** One for all envelopes: making it costs more than decoding a header. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decode(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    // Not UTF-8, so not JSON.
    return undefined;
  }
}

function readHeader(bytes: Uint8Array, start: number, what: string, budget: JsonBudget): Line<Header> {
  const end = findLineEnd(bytes, start);
  if (end - start > headerBytesLimit) return { status: 'malformed', detail: `${what} header is too long` };
  const line = bytes.subarray(start, end);
  if (!isWithin(budget, line)) return { status: 'malformed', detail: `${what} header has too many values` };
  const text = decode(line);
  const value = asRecord(text === undefined ? undefined : parseJson(text));
  // `JSON.parse` accepts a carriage return or a blank before the newline; the format does not.
  if (!value || bytes[end - 1] !== closingBrace) {
    return { status: 'malformed', detail: `${what} header is not one line with a JSON object` };
  }
  return { status: 'header', value, end };
}

function readPayload(bytes: Uint8Array, start: number, header: JsonRecord): Line<Payload> {
  const given = header['length'] ?? undefined;
  if (given === undefined) {
    const end = findLineEnd(bytes, start);
    return { status: 'payload', bytes: bytes.subarray(start, end), end };
  }
  const length = asInteger(given);
  if (length === undefined || length < 0) return { status: 'malformed', detail: 'item length is no byte count' };
  const end = start + length;
  if (end > bytes.length) return { status: 'malformed', detail: 'unexpected end of file in an item' };
  if (end < bytes.length && bytes[end] !== newline) {
    return { status: 'malformed', detail: 'missing newline after an item' };
  }
  return { status: 'payload', bytes: bytes.subarray(start, end), end };
}

function readType(header: JsonRecord): string | undefined {
  const type = header['type'];
  return typeof type === 'string' && type !== '' && type.length <= typeLengthLimit ? type : undefined;
}

/** The envelope's own header alone. */
export function parseEnvelopeHeader(bytes: Uint8Array): Line<Header> {
  return readHeader(bytes, 0, 'envelope', createJsonBudget());
}

/**
 * Splits an envelope into items. Payloads are views of `bytes`, not copies, and they are not parsed.
 * @param budget the cost of parsing the headers is taken from it
 */
export function parseEnvelope(bytes: Uint8Array, budget: JsonBudget = createJsonBudget()): ParsedEnvelope {
  const envelopeHeader = readHeader(bytes, 0, 'envelope', budget);
  if (envelopeHeader.status === 'malformed') return envelopeHeader;
  const items: EnvelopeItem[] = [];
  let malformedItems = 0;
  let emptyLines = 0;
  let offset = envelopeHeader.end + 1;
  while (offset < bytes.length) {
    if (bytes[offset] === newline) {
      offset += 1;
      emptyLines += 1;
      if (emptyLines > emptyLinesLimit) return { status: 'malformed', detail: 'too many empty lines' };
      continue;
    }
    if (items.length + malformedItems >= itemsLimit) return { status: 'malformed', detail: 'too many items' };
    const header = readHeader(bytes, offset, 'item', budget);
    if (header.status === 'malformed') return header;
    const payload = readPayload(bytes, Math.min(header.end + 1, bytes.length), header.value);
    if (payload.status === 'malformed') return payload;
    const type = readType(header.value);
    if (type === undefined) malformedItems += 1;
    else items.push({ type, header: header.value, payload: payload.bytes });
    offset = payload.end + 1;
  }
  return { status: 'parsed', header: envelopeHeader.value, items, malformedItems };
}
