import protobuf from 'protobufjs/minimal.js';

import { type AttributeName, isReadAttribute, type SentSpan, type Span, toSpan } from './span.ts';

/**
 * OTLP over HTTP in Protocol Buffers' format. Fields are known by their numbers:
 * https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/trace/v1/trace.proto
 * A field that is not read here is passed over, so a later version of the format is read, too.
 */
type Reader = protobuf.Reader & {
  /** How many fields may still be read: an empty one has two bytes, and costs as much as one of a hundred. */
  fieldsLeft: number;
};

class TooManyFields extends Error {}

/** Calls `read` with the number of each field; it reads the field's value, or says that it did not. */
function eachField(reader: Reader, end: number, read: (field: number) => boolean): void {
  while (reader.pos < end) {
    reader.fieldsLeft -= 1;
    if (reader.fieldsLeft < 0) throw new TooManyFields();
    const tag = reader.uint32();
    if (!read(tag >>> 3)) reader.skipType(tag & 7);
  }
}

/** The same for a field that is a message itself. */
function eachOf(reader: Reader, read: (field: number) => boolean): void {
  eachField(reader, reader.uint32() + reader.pos, read);
}

function readId(reader: Reader): string {
  return Buffer.from(reader.bytes()).toString('hex');
}

/** Two halves of a whole number of 64 bits, in milliseconds. */
function readTime(reader: Reader): number {
  const low = reader.fixed32();
  const high = reader.fixed32();
  return (high * 2 ** 32) / 1e6 + low / 1e6;
}

function readAttribute(reader: Reader, attributes: Map<AttributeName, string>): void {
  let name = '';
  let value: string | undefined;
  eachOf(reader, (field) => {
    if (field === 1) name = reader.string();
    else if (field === 2) {
      eachOf(reader, (kind) => {
        if (kind !== 1) return false;
        value = reader.string();
        return true;
      });
    } else return false;
    return true;
  });
  if (value !== undefined && isReadAttribute(name)) attributes.set(name, value);
}

function readStatus(reader: Reader): boolean {
  let code = 0;
  eachOf(reader, (field) => {
    if (field !== 3) return false;
    code = reader.uint32();
    return true;
  });
  return code === 2;
}

function readSent(reader: Reader): SentSpan {
  const attributes = new Map<AttributeName, string>();
  const sent = { traceId: '', id: '', parent: '', name: '', kind: 0, start: 0, end: 0, hasFailed: false };
  const fields: Readonly<Record<number, () => unknown>> = {
    1: () => (sent.traceId = readId(reader)),
    2: () => (sent.id = readId(reader)),
    4: () => (sent.parent = readId(reader)),
    5: () => (sent.name = reader.string()),
    6: () => (sent.kind = reader.uint32()),
    7: () => (sent.start = readTime(reader)),
    8: () => (sent.end = readTime(reader)),
    9: () => readAttribute(reader, attributes),
    15: () => (sent.hasFailed = readStatus(reader)),
  };
  eachOf(reader, (field) => {
    const read = fields[field];
    read?.();
    return read !== undefined;
  });
  return { ...sent, attributes };
}

/** Both messages around spans have what they hold in their second field. */
function eachSpan(reader: Reader, read: () => void): void {
  eachOf(reader, (ofResource) => {
    if (ofResource !== 2) return false;
    eachOf(reader, (ofScope) => {
      if (ofScope !== 2) return false;
      read();
      return true;
    });
    return true;
  });
}

/**
 * @param most spans that are read; the others count as refused
 * @param mostFields in all of it
 * @returns undefined when the bytes are no request of OTLP
 */
export function readOtlpProtobuf(
  bytes: Uint8Array,
  most: number,
  mostFields: number,
): { spans: Span[]; refused: number } | 'too-many' | undefined {
  const spans: Span[] = [];
  let refused = 0;
  const reader = Object.assign(protobuf.Reader.create(bytes), { fieldsLeft: mostFields });
  try {
    eachField(reader, bytes.length, (field) => {
      if (field !== 1) return false;
      eachSpan(reader, () => {
        if (spans.length + refused >= most) {
          refused += 1;
          reader.skipType(2);
          return;
        }
        const span = toSpan(readSent(reader));
        if (span) spans.push(span);
        else refused += 1;
      });
      return true;
    });
  } catch (error) {
    if (error instanceof TooManyFields) return 'too-many';
    // The library throws at an end that lies beyond the bytes, and at a type that does not exist.
    return undefined;
  }
  return { spans, refused };
}
