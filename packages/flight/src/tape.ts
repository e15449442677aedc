/**
 * The tape: every JSON value of a flight in the order of its bytes, as 32-bit words. A tree of objects costs ten to fifty
 * times a short value's bytes; the tape costs at most four (`[]` within `[]`), on real payloads about half, needs no
 * garbage collection, and keeps what attribution and highlighting need, the bytes of each value.
 *
 *   scalar      [kind | start]                            null, true, false, a number, an empty array or object
 *   string      [kind | start] [end]                      from quote to after the quote
 *   container   [kind | start] [words, length] items…     items of an object: key string, value, key string, …
 *   large one   [kind | start] [flag | words] items… [kind | end] when words or length do not fit their 13 and 18 bits
 *
 * `start` is an absolute byte offset of 28 bits: a flight is at most 256 MiB (decode-flight.ts allows less).
 */
export const nullKind = 0;
export const trueKind = 1;
export const falseKind = 2;
export const numberKind = 3;
/** A string of plain ASCII without escapes: its text is its bytes. */
export const plainKind = 4;
/** A string with an escape or a byte beyond ASCII. */
export const codedKind = 5;
/** The same two, beginning with `$`. */
export const dollarKind = 6;
export const codedDollarKind = 7;
export const arrayKind = 8;
export const objectKind = 9;
export const emptyArrayKind = 10;
export const emptyObjectKind = 11;
/** An array whose first item is `"$"`: a React element. */
export const elementKind = 12;
/** An object's key, plain or coded as strings are. */
export const keyKind = 13;
export const codedKeyKind = 14;
/** The last word of a large container. Since each word says what it is, a reader may also go straight along the tape. */
const endKind = 15;

const offsetBits = 28;
export const offsetMask = (1 << offsetBits) - 1;
const largeFlag = 0x80000000;
const lengthBits = 18;
const lengthMask = (1 << lengthBits) - 1;
const maxSmallWords = (1 << 13) - 1;

export type Tape = {
  words: Uint32Array;
  /** Words in use. */
  size: number;
};

export function createTape(byteLength: number): Tape {
  // Small at first: most of a payload's bytes may be text rows and binary, which have no place here.
  return { words: new Uint32Array(Math.min(1 << 10, (byteLength >> 2) + 16)), size: 0 };
}

/**
 * A larger array with the same words. `used` words came from the share `done` (0 to 1) of the input, so the rest will
 * need about as many. One growth is enough for input that is alike throughout, and wastes less than doubling.
 */
export function growTape(words: Uint32Array, used: number, done: number): Uint32Array {
  const expected = Math.ceil((used / Math.max(done, 0.01)) * 1.02) + 64;
  const grown = new Uint32Array(Math.max(expected, used + (used >> 4) + 64));
  grown.set(words);
  return grown;
}

export function pack(kind: number, offset: number): number {
  return (kind << offsetBits) | offset;
}

export function kindAt(tape: Tape, at: number): number {
  return (tape.words[at] ?? 0) >>> offsetBits;
}

export function startAt(tape: Tape, at: number): number {
  return (tape.words[at] ?? 0) & offsetMask;
}

export function isStringKind(kind: number): boolean {
  return (kind >= plainKind && kind <= codedDollarKind) || kind === keyKind || kind === codedKeyKind;
}

function isContainerKind(kind: number): boolean {
  return kind === arrayKind || kind === objectKind || kind === elementKind;
}

/** Writes the second word of the container opened at `open`; returns the tape's new size. `words` has room for one more. */
export function closeContainer(words: Uint32Array, open: number, size: number, end: number): number {
  const length = end - ((words[open] ?? 0) & offsetMask);
  const count = size - open;
  if (count <= maxSmallWords && length <= lengthMask) {
    words[open + 1] = (count << lengthBits) | length;
    return size;
  }
  words[open + 1] = largeFlag | (count + 1);
  words[size] = pack(endKind, end);
  return size + 1;
}

/** The place of the value after this one: its next sibling, or past its container. */
export function nextAt(tape: Tape, at: number): number {
  const kind = kindAt(tape, at);
  if (isStringKind(kind)) return at + 2;
  if (!isContainerKind(kind)) return at + 1;
  const word = tape.words[at + 1] ?? 0;
  return at + (word & largeFlag ? word & ~largeFlag : word >>> lengthBits);
}

const groupWords = new Uint8Array(16).fill(1);
for (const kind of [plainKind, codedKind, dollarKind, codedDollarKind, keyKind, codedKeyKind]) groupWords[kind] = 2;
for (const kind of [arrayKind, objectKind, elementKind]) groupWords[kind] = 2;

/** How far the next word group is: into a container, not past it. */
export function wordsOf(kind: number): number {
  return groupWords[kind] ?? 1;
}

/** The place of the next word group on the tape. */
export function stepAt(tape: Tape, at: number): number {
  return at + wordsOf(kindAt(tape, at));
}

/** Where a container's items end on the tape; they begin at `at + 2`. */
export function itemsEnd(tape: Tape, at: number): number {
  if (!isContainerKind(kindAt(tape, at))) return at + 2;
  const word = tape.words[at + 1] ?? 0;
  return word & largeFlag ? at + (word & ~largeFlag) - 1 : at + (word >>> lengthBits);
}

/** The byte after the value. */
export function endAt(tape: Tape, at: number, bytes: Uint8Array): number {
  const kind = kindAt(tape, at);
  const start = startAt(tape, at);
  if (isStringKind(kind)) return tape.words[at + 1] ?? 0;
  if (kind === nullKind || kind === trueKind) return start + 4;
  if (kind === falseKind) return start + 5;
  if (kind === numberKind) return numberEnd(bytes, start);
  if (kind === emptyArrayKind) return bytes.indexOf(0x5d, start) + 1;
  if (kind === emptyObjectKind) return bytes.indexOf(0x7d, start) + 1;
  const word = tape.words[at + 1] ?? 0;
  return word & largeFlag ? startAt(tape, itemsEnd(tape, at)) : start + (word & lengthMask);
}

function numberEnd(bytes: Uint8Array, start: number): number {
  let at = start;
  for (;;) {
    const byte = bytes[at] ?? 0;
    const isPart =
      (byte >= 0x30 && byte <= 0x39) || byte === 0x2d || byte === 0x2b || byte === 0x2e || (byte | 0x20) === 0x65;
    if (!isPart) return at;
    at++;
  }
}
