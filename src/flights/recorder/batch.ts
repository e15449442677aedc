import type { FlightChunk } from '#src/runtime/renderer/flight.ts';

import type { Budget } from '../flight/budget.ts';
import { numbersInHead, numbersPerChunk, type FlightHead, type FlightShape } from '../flight/flight-head.ts';
import { createShapes, describeShape, packNumbers, packText } from './pack-head.ts';
import type { Exchange } from '../watch/exchange.ts';
import { numbersPerShape } from '../writer/messages.ts';

/**
 * Flights on their way to the writing thread, copied one after the other into slabs of shared memory, so that nothing has to be
 * copied again between the threads. React's buffers can be collected at once, and a batch of a thousand flights is a few objects.
 */
export type Batch = {
  /** False when there is no memory for it. */
  readonly add: (
    head: FlightHead,
    payload: readonly FlightChunk[],
    debug: readonly FlightChunk[],
    args: Uint8Array,
  ) => boolean;
  /** A response of another app, as it was sent: the writer finds out what it was. False when there is no memory for it. */
  readonly addExchange: (exchange: Exchange) => boolean;
  /** True the first time in this batch: a prerendered body has to come along once. */
  readonly isNewEtag: (etag: string) => boolean;
  /** Flights and responses, and hits that are counted in one. */
  readonly size: () => number;
  readonly isLarge: () => boolean;
  readonly close: () => {
    readonly slabs: SharedArrayBuffer[];
    readonly shapes: Uint32Array;
    readonly entries: Uint32Array;
    readonly exchanges: Uint32Array;
  };
};

const slabBytes = 1024 * 1024;
/** Numbers begin at offsets where a `Float64Array` may begin. */
const numberBytes = Float64Array.BYTES_PER_ELEMENT;
/** Bytes that UTF-8 needs at most for one unit of a string. */
const longestCharacter = 3;

function align(bytes: number): number {
  return Math.ceil(bytes / numberBytes) * numberBytes;
}

/** A batch of this size is sent before its time, so that the writer can begin. */
const largeSlabs = 4;

function sumLengths(parts: readonly FlightChunk[]): number {
  let length = 0;
  for (const part of parts) length += typeof part === 'string' ? Buffer.byteLength(part) : part.byteLength;
  return length;
}

/**
 * Slabs are used again when the writer is done with them. A new one has to be filled with zeros, and counts towards V8's next full
 * garbage collection. (A transferred buffer is a new one, too, for the thread that receives it.)
 */
export type SlabPool = {
  readonly take: (bytes: number) => SharedArrayBuffer | undefined;
  readonly give: (slabs: readonly SharedArrayBuffer[]) => void;
};

const spareSlabs = 8;

export function createSlabPool(budget: Budget): SlabPool {
  const spare: SharedArrayBuffer[] = [];
  return {
    take(bytes) {
      const size = Math.max(align(bytes), slabBytes);
      if (!budget.take(size)) return undefined;
      return (size === slabBytes ? spare.pop() : undefined) ?? new SharedArrayBuffer(size);
    },
    give(slabs) {
      for (const slab of slabs) {
        budget.give(slab.byteLength);
        if (slab.byteLength === slabBytes && spare.length < spareSlabs) spare.push(slab);
      }
    },
  };
}

export function createBatch(pool: SlabPool): Batch {
  const slabs: SharedArrayBuffer[] = [];
  const entries: number[] = [];
  const exchanges: number[] = [];
  const shapes: number[] = [];
  const knownShapes = createShapes();
  const etags = new Set<string>();
  let slab: Buffer = Buffer.alloc(0);
  let numbers: Float64Array = new Float64Array(0);
  let used = 0;
  let size = 0;

  function copy(parts: readonly FlightChunk[]): number {
    const start = used;
    for (const part of parts) {
      if (typeof part === 'string') used += slab.write(part, used);
      else {
        slab.set(part, used);
        used += part.byteLength;
      }
    }
    return used - start;
  }

  function reserve(bytes: number): boolean {
    if (used + bytes <= slab.length) return true;
    const next = pool.take(bytes);
    if (!next) return false;
    slabs.push(next);
    slab = Buffer.from(next);
    numbers = new Float64Array(next);
    used = 0;
    return true;
  }

  function writeText(text: string): number {
    const length = slab.write(text, used);
    used += length;
    return length;
  }

  /** Called when there is enough room in the slab. */
  function addShape(shape: FlightShape, text: string): number {
    const index = shapes.length / numbersPerShape;
    shapes.push(slabs.length - 1, used, writeText(text));
    knownShapes.remember(shape, index);
    return index;
  }

  return {
    add(head, payload, debug, args) {
      const known = knownShapes.find(head);
      const newShape = known === -1 ? describeShape(head) : undefined;
      const shapeText = newShape ? JSON.stringify(newShape) : '';
      const text = packText(head);
      const count = numbersInHead + head.chunks.length * numbersPerChunk;
      const numbersLength = count * numberBytes;
      const longestText = (shapeText.length + text.length) * longestCharacter;
      const content = sumLengths(payload) + sumLengths(debug) + args.byteLength;
      if (!reserve(longestText + numberBytes + numbersLength + content)) return false;
      const shape = newShape ? addShape(newShape, shapeText) : known;
      const offset = align(used);
      packNumbers(head, numbers, offset / numberBytes);
      used = offset + numbersLength;
      size += head.hits;
      const lengths = [writeText(text), copy(payload), copy(debug), copy([args])] as const;
      entries.push(shape, slabs.length - 1, offset, count, ...lengths);
      return true;
    },
    addExchange({ facts, times, body, args }) {
      const text = JSON.stringify(facts);
      const numbersLength = times.length * numberBytes;
      if (!reserve(text.length * longestCharacter + numberBytes + numbersLength + body.byteLength + args.byteLength)) {
        return false;
      }
      const offset = align(used);
      numbers.set(times, offset / numberBytes);
      used = offset + numbersLength;
      // Its end counts.
      if (facts.outcome !== 'begun') size += 1;
      const lengths = [writeText(text), copy([body]), copy([args])] as const;
      exchanges.push(slabs.length - 1, offset, times.length, ...lengths);
      return true;
    },
    isNewEtag(etag) {
      const isNew = !etags.has(etag);
      etags.add(etag);
      return isNew;
    },
    size: () => size,
    isLarge: () => slabs.length > largeSlabs,
    close: () => ({
      slabs,
      shapes: Uint32Array.from(shapes),
      entries: Uint32Array.from(entries),
      exchanges: Uint32Array.from(exchanges),
    }),
  };
}
