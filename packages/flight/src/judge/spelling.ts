/**
 * Whether JSON is spelled as `JSON.stringify` spells it, byte by byte: nothing between tokens, no escape that was not needed,
 * numbers as JavaScript writes them. That it is JSON at all is the tape's business (json-tape.ts).
 */
const quoteMark = 0x22;
const backslash = 0x5c;
const shortEscapes = new Set([...'"\\bfnrt'].map((letter) => letter.charCodeAt(0)));
/** Of the controls, these have a short escape. */
const shortControls = new Set([0x08, 0x09, 0x0a, 0x0c, 0x0d]);

/** The offset after an escape at `at`, or -1 when `JSON.stringify` writes no such escape. */
function passEscape(bytes: Uint8Array, at: number): number {
  const letter = bytes[at + 1] ?? 0;
  if (shortEscapes.has(letter)) return at + 2;
  let code = 0;
  for (let index = at + 2; index < at + 6; index += 1) {
    const byte = bytes[index] ?? 0;
    // Lower case alone.
    const digit = byte >= 0x61 ? byte - 0x57 : byte - 0x30;
    code = code * 16 + digit;
    if (byte >= 0x41 && byte <= 0x46) return -1;
  }
  const isControl = code < 0x20 && !shortControls.has(code);
  const isSurrogate = code >= 0xd800 && code <= 0xdfff;
  return isControl || isSurrogate ? at + 6 : -1;
}

/** The offset after a string that begins at `at`, or -1. */
function passString(bytes: Uint8Array, at: number, end: number): number {
  let next = at + 1;
  while (next < end) {
    const byte = bytes[next] ?? 0;
    if (byte === quoteMark) return next + 1;
    next = byte === backslash ? passEscape(bytes, next) : next + 1;
    if (next < 0) return -1;
  }
  return end;
}

const isNumberByte = new Uint8Array(256);
for (const character of '+-.0123456789eE') isNumberByte[character.charCodeAt(0)] = 1;

/** The offset after a number that begins at `at`, or -1. */
function passNumber(bytes: Uint8Array, at: number, end: number): number {
  let next = at;
  while (next < end && isNumberByte[bytes[next] ?? 0] === 1) next += 1;
  const text = String.fromCharCode(...bytes.subarray(at, Math.min(next, at + 32)));
  // `-0` is a form of its own (`"$-0"`).
  return next - at <= 32 && String(Number(text)) === text ? next : -1;
}

/**
 * The offset of the first byte in `bytes[start, end)`, which are JSON, that `JSON.stringify` would not have written; -1 when
 * there is none.
 */
export function findMisspelling(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  while (at < end) {
    const byte = bytes[at] ?? 0;
    let next = at + 1;
    if (byte === quoteMark) next = passString(bytes, at, end);
    else if (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) next = passNumber(bytes, at, end);
    // Space, or a byte order mark.
    else if (byte <= 0x20 || byte >= 0x7f) return at;
    if (next < 0) return at;
    at = next;
  }
  return -1;
}
