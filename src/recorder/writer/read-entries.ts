import type { ChunkTime, FlightHead } from '../flight-head.ts';
import type { FlightEntry } from './flight-writer.ts';
import { numbersInHead, numbersPerEntry, numbersPerShape, type FlightShape, type WriterRequest } from './messages.ts';

/**
 * Flights as they were packed (batch.ts, pack-head.ts): what many of them share, parsed once for a batch, and the numbers,
 * the text and the bytes of each.
 */
type Batch = Omit<Extract<WriterRequest, { readonly type: 'write' }>, 'type'>;

function parseShape(text: string): FlightShape {
  return JSON.parse(text);
}

function readChunks(numbers: Float64Array): ChunkTime[] {
  const chunks: ChunkTime[] = [];
  for (let at = numbersInHead; at < numbers.length; at += 3) {
    chunks.push([numbers[at] ?? 0, numbers[at + 1] ?? 0, numbers[at + 2] === 1 ? 1 : 0]);
  }
  return chunks;
}

function unpackHead(shape: FlightShape, numbers: Float64Array, text: string): FlightHead {
  const [startedAt = 0, durationMs = 0, bytes = 0, keptBytes = 0, debugBytes = 0] = numbers;
  const [actionBytes = 0, hits = 0, lastAt = 0, isMore] = numbers.subarray(5, numbersInHead);
  const [requestId = '', traceId = '', visit = '', digests = '', secrets = ''] = text.split('\n');
  return {
    ...shape,
    requestId,
    traceId,
    visit: visit === '' ? null : visit,
    startedAt,
    durationMs,
    bytes,
    keptBytes,
    debugBytes,
    digests: digests === '' ? [] : digests.split(','),
    chunks: readChunks(numbers),
    action: shape.action && { ...shape.action, bytes: actionBytes },
    secrets: secrets === '' ? [] : JSON.parse(secrets),
    counted: hits === 0 ? null : { hits, lastAt, isMore: isMore === 1 },
  };
}

function readShapes(slabs: readonly Buffer[], shapes: Uint32Array): FlightShape[] {
  const parsed: FlightShape[] = [];
  for (let at = 0; at < shapes.length; at += numbersPerShape) {
    const [slab = 0, offset = 0, length = 0] = shapes.subarray(at, at + numbersPerShape);
    parsed.push(parseShape(slabs[slab]?.toString('utf8', offset, offset + length) ?? ''));
  }
  return parsed;
}

/** One by one: a batch's thousand heads at once would outlive the short collections, and make long ones due. */
export function* readEntries({ slabs, shapes, entries }: Batch): Generator<FlightEntry> {
  const all = slabs.map((slab) => Buffer.from(slab));
  const parsed = readShapes(all, shapes);
  for (let at = 0; at < entries.length; at += numbersPerEntry) {
    const [shape = 0, slab = 0, offset = 0, numbers = 0] = entries.subarray(at, at + 4);
    const [text = 0, payload = 0, debug = 0, args = 0] = entries.subarray(at + 4, at + numbersPerEntry);
    const [of, bytes] = [parsed[shape], all[slab]];
    if (!of || !bytes) throw new Error(`The batch has no shape ${shape} or no slab ${slab}`);
    const textAt = offset + numbers * Float64Array.BYTES_PER_ELEMENT;
    const [payloadAt, debugAt] = [textAt + text, textAt + text + payload];
    yield {
      head: unpackHead(of, new Float64Array(bytes.buffer, offset, numbers), bytes.toString('utf8', textAt, payloadAt)),
      payload: bytes.subarray(payloadAt, debugAt),
      debug: bytes.subarray(debugAt, debugAt + debug),
      args: bytes.subarray(debugAt + debug, debugAt + debug + args),
    };
  }
}
