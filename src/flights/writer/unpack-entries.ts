import { compileFields } from '../flight/compile-fields.ts';
import type { ChunkTime } from '../flight/flight-columns.ts';
import {
  listFields,
  numberFields,
  numbersInHead,
  numbersPerChunk,
  optionalNumberFields,
  optionalTextFields,
  shapeFields,
  shapeListFields,
  textFields,
  type FlightHead,
  type FlightShape,
} from '../flight/flight-head.ts';
import type { FlightEntry } from './flight-values.ts';
import { numbersPerEntry, numbersPerShape, type WriterRequest } from './messages.ts';

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
  for (let at = numbersInHead; at < numbers.length; at += numbersPerChunk) {
    chunks.push([numbers[at] ?? 0, numbers[at + 1] ?? 0, numbers[at + 2] === 1 ? 1 : 0]);
  }
  return chunks;
}

function readList(text: string): unknown[] {
  return text === '' ? [] : JSON.parse(text);
}

type Parts = {
  readonly shape: FlightShape;
  readonly numbers: Float64Array;
  readonly texts: readonly string[];
  readonly chunks: readonly ChunkTime[];
};

/** Numbers and texts in the order in which pack-head.ts has them. */
const joinHead = compileFields<(parts: Parts, read: typeof readList) => FlightHead>(
  `({ shape, numbers, texts, chunks }, read) => ({ ${[
    ...[...shapeFields, ...shapeListFields].map((field) => `${field}: shape.${field}`),
    ...numberFields.map((field, at) => `${field}: numbers[${at}]`),
    ...optionalNumberFields
      .map((field, index) => ({ field, value: `numbers[${numberFields.length + index}]` }))
      .map(({ field, value }) => `${field}: Number.isNaN(${value}) ? null : ${value}`),
    ...textFields.map((field, at) => `${field}: texts[${at}]`),
    ...optionalTextFields.map((field, index) => `${field}: texts[${textFields.length + index}] || null`),
    ...listFields.map(
      (field, index) => `${field}: read(texts[${textFields.length + optionalTextFields.length + index}])`,
    ),
  ].join(', ')}, chunks })`,
);

function unpackHead(shape: FlightShape, numbers: Float64Array, text: string): FlightHead {
  return joinHead({ shape, numbers, texts: text.split('\n'), chunks: readChunks(numbers) }, readList);
}

function readShapes(slabs: readonly Buffer[], shapes: Uint32Array): FlightShape[] {
  const parsed: FlightShape[] = [];
  for (let at = 0; at < shapes.length; at += numbersPerShape) {
    const [slab = 0, offset = 0, length = 0] = shapes.subarray(at, at + numbersPerShape);
    parsed.push(parseShape(slabs[slab]?.toString('utf8', offset, offset + length) ?? ''));
  }
  return parsed;
}

export function hasDocuments({ slabs, shapes }: Batch): boolean {
  const all = slabs.map((slab) => Buffer.from(slab));
  return readShapes(all, shapes).some(({ content }) => content === 'html');
}

/** One by one: a thousand heads at once would survive the short garbage collections, and cause long ones. */
export function* unpackEntries({ slabs, shapes, entries }: Batch): Generator<FlightEntry> {
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
