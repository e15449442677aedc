/**
 * The byte after a row's `id:` says how the row is framed and what it is. React's client looks at that one byte
 * (processBinaryChunk in react-server-dom-webpack, the same in 19.0 to 19.3 and in every build):
 *
 * - a length tag: `tag hexLength , bytes`, and no newline after them;
 * - another capital letter, `#`, `r` or `x`: `tag text newline`;
 * - anything else is the first byte of a JSON model that runs to the newline.
 */
const lengthTags = 'TAOobUSsLlGgMmV';

/** How a row is framed, by its first byte: 0 a model, 1 a tag and text, 2 a tag and a length. */
const framing = new Uint8Array(256);
for (let byte = 0x41; byte <= 0x5a; byte++) framing[byte] = 1;
for (const tag of '#rx') framing[tag.charCodeAt(0)] = 1;
for (const tag of lengthTags) framing[tag.charCodeAt(0)] = 2;

export function isTextTag(byte: number): boolean {
  return framing[byte] === 1;
}

export function isLengthTag(byte: number): boolean {
  return framing[byte] === 2;
}

/** What the raw bytes of a length-prefixed row are in JavaScript; `T` (text) and `b` (a byte stream's chunk) are apart. */
export const binaryTypes: ReadonlyMap<string, { type: BinaryType; bytesPerElement: number }> = new Map([
  ['A', { type: 'ArrayBuffer', bytesPerElement: 1 }],
  ['O', { type: 'Int8Array', bytesPerElement: 1 }],
  ['o', { type: 'Uint8Array', bytesPerElement: 1 }],
  ['U', { type: 'Uint8ClampedArray', bytesPerElement: 1 }],
  ['S', { type: 'Int16Array', bytesPerElement: 2 }],
  ['s', { type: 'Uint16Array', bytesPerElement: 2 }],
  ['L', { type: 'Int32Array', bytesPerElement: 4 }],
  ['l', { type: 'Uint32Array', bytesPerElement: 4 }],
  ['G', { type: 'Float32Array', bytesPerElement: 4 }],
  ['g', { type: 'Float64Array', bytesPerElement: 8 }],
  ['M', { type: 'BigInt64Array', bytesPerElement: 8 }],
  ['m', { type: 'BigUint64Array', bytesPerElement: 8 }],
  ['V', { type: 'DataView', bytesPerElement: 1 }],
]);

export type BinaryType =
  | 'ArrayBuffer'
  | 'Int8Array'
  | 'Uint8Array'
  | 'Uint8ClampedArray'
  | 'Int16Array'
  | 'Uint16Array'
  | 'Int32Array'
  | 'Uint32Array'
  | 'Float32Array'
  | 'Float64Array'
  | 'BigInt64Array'
  | 'BigUint64Array'
  | 'DataView';

/** Tags of rows that speak about another row, or about none: a reference never means them. */
const sideTags = new Set(['H', 'N', 'W', 'D', 'C', 'b']);

/** Whether `$id` can mean a row with this tag (empty for a model). */
export function isReferable(tag: string): boolean {
  return !sideTags.has(tag);
}
