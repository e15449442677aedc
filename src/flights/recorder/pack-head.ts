import { compileFields } from '../flight/compile-fields.ts';
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

/**
 * Heads on their way to the writing thread. One JSON text for each head was most of what recording an action cost the
 * serving thread. But most of a head is the same for all flights of a page. This is its shape, which goes once in a batch, as
 * JSON. The rest is numbers, which go as they are, and a few texts. flight-head.ts says which field goes how, and
 * `writer/unpack-entries.ts` is the other end.
 */

/** Flights of one path differ in kind, status and what they left out. Beyond this number each has a shape of its own. */
const shapesPerPath = 8;

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, index) => text === other[index]);
}

/** Field by field: a key made of all of them would have to be put together for each flight. */
const isSameShape = compileFields<(one: FlightShape, other: FlightShape, isSame: typeof isSameList) => boolean>(
  `(one, other, isSame) => ${[
    ...shapeFields.map((field) => `one.${field} === other.${field}`),
    ...shapeListFields.map((field) => `isSame(one.${field}, other.${field})`),
  ].join(' && ')}`,
);

/** It is remembered for as long as its batch, so it holds nothing that belongs to one flight alone. */
export const describeShape = compileFields<(head: FlightHead) => FlightShape>(
  `({ ${[...shapeFields, ...shapeListFields].join(', ')} }) => ({ ${[...shapeFields, ...shapeListFields].join(', ')} })`,
);

/** The shapes of a batch, by number. */
export function createShapes() {
  const known = new Map<string, { readonly shape: FlightShape; readonly index: number }[]>();
  return {
    /** -1 when it is a new one. */
    find(head: FlightHead): number {
      const ofPath = known.get(head.path);
      if (!ofPath) return -1;
      for (const one of ofPath) if (isSameShape(one.shape, head, isSameList)) return one.index;
      return -1;
    },
    remember(shape: FlightShape, index: number): void {
      const ofPath = known.get(shape.path);
      if (!ofPath) known.set(shape.path, [{ shape, index }]);
      else if (ofPath.length < shapesPerPath) ofPath.push({ shape, index });
    },
  };
}

function packList(list: readonly unknown[]): string {
  return list.length === 0 ? '' : JSON.stringify(list);
}

const joinTexts = compileFields<(head: FlightHead, pack: typeof packList) => string>(
  `(head, pack) => ${[
    ...textFields.map((field) => `head.${field}`),
    ...optionalTextFields.map((field) => `(head.${field} ?? '')`),
    ...listFields.map((field) => `pack(head.${field})`),
  ].join(String.raw` + '\n' + `)}`,
);

/** Texts with a line break between them, which none of them contains: they are ids, and JSON. */
export function packText(head: FlightHead): string {
  return joinTexts(head, packList);
}

const packFields = compileFields<(head: FlightHead, to: Float64Array, at: number) => void>(
  `(head, to, at) => { ${[
    ...numberFields.map((field) => `head.${field}`),
    ...optionalNumberFields.map((field) => `head.${field} ?? NaN`),
  ]
    .map((value, index) => `to[at + ${index}] = ${value};`)
    .join(' ')} }`,
);

/** `numbersInHead` of them, with NaN for null, and `numbersPerChunk` for each chunk. */
export function packNumbers(head: FlightHead, to: Float64Array, at: number): void {
  packFields(head, to, at);
  let next = at + numbersInHead;
  for (const [ms, bytes, isDebug] of head.chunks) {
    to[next] = ms;
    to[next + 1] = bytes;
    to[next + 2] = isDebug;
    next += numbersPerChunk;
  }
}
