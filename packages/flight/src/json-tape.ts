import {
  arrayKind,
  closeContainer,
  codedDollarKind,
  codedKeyKind,
  codedKind,
  dollarKind,
  elementKind,
  emptyArrayKind,
  emptyObjectKind,
  falseKind,
  growTape,
  keyKind,
  nullKind,
  numberKind,
  objectKind,
  pack,
  plainKind,
  trueKind,
  type Tape,
} from './tape.ts';

/**
 * Reads one row's JSON onto the tape: as strict as JSON.parse (RFC 8259, no trailing text), without recursion, without
 * building anything, and with the byte where it broke.
 */
export type JsonResult = { kind: 'read'; at: number } | { kind: 'broken'; at: number; reason: string };

function broken(at: number, reason: string): JsonResult {
  return { kind: 'broken', at, reason };
}

/** Containers within containers. React's client recurses and overflows its stack below this. */
export const maxDepth = 10_000;

const escapable = new Uint8Array(256);
for (const character of '"\\/bfnrt') escapable[character.charCodeAt(0)] = 1;

/** Bytes that end a run of plain text in a string: a quote, a backslash, controls, and all beyond ASCII. */
const special = new Uint8Array(256).fill(1, 0, 0x20).fill(1, 0x80);
special[0x22] = 1;
special[0x5c] = 1;

/** The kind of a string that is not plain. */
function codedOf(kind: number): number {
  if (kind === keyKind) return codedKeyKind;
  return kind === dollarKind ? codedDollarKind : codedKind;
}

/** React parses a row's JSON before it looks for `$`, so `"\u00246"` is a reference as `"$6"` is. React's servers write no such string. */
function isEscapedDollar(bytes: Uint8Array, at: number): boolean {
  return (
    bytes[at] === 0x5c &&
    bytes[at + 1] === 0x75 &&
    bytes[at + 2] === 0x30 &&
    bytes[at + 3] === 0x30 &&
    bytes[at + 4] === 0x32 &&
    bytes[at + 5] === 0x34
  );
}

/** Whether an array whose first item has this word and end is an element: it begins with `"$"`, however that is spelled. */
function isElementMark(bytes: Uint8Array, first: number, end: number): boolean {
  const start = first & 0xfffffff;
  const kind = first >>> 28;
  if (kind === dollarKind) return end - start === 3;
  return kind === codedDollarKind && end - start === 8 && isEscapedDollar(bytes, start + 1);
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function isHex(byte: number): boolean {
  const lower = byte | 0x20;
  return (byte >= 0x30 && byte <= 0x39) || (lower >= 0x61 && lower <= 0x66);
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

/** The offset after a number; for what is no number, -1 minus the offset of the first wrong byte. */
function scanNumber(bytes: Uint8Array, from: number): number {
  let at = bytes[from] === 0x2d ? from + 1 : from;
  if (bytes[at] === 0x30) at++;
  else if (isDigit(bytes[at] ?? 0)) while (isDigit(bytes[at] ?? 0)) at++;
  else return -1 - at;
  if (bytes[at] === 0x2e) {
    at++;
    if (!isDigit(bytes[at] ?? 0)) return -1 - at;
    while (isDigit(bytes[at] ?? 0)) at++;
  }
  if (((bytes[at] ?? 0) | 0x20) === 0x65) {
    at++;
    if (bytes[at] === 0x2b || bytes[at] === 0x2d) at++;
    if (!isDigit(bytes[at] ?? 0)) return -1 - at;
    while (isDigit(bytes[at] ?? 0)) at++;
  }
  return at;
}

/** The offset after the escape whose backslash is at `at`; -1 minus the offset of the first wrong byte when it is broken. */
function scanEscape(bytes: Uint8Array, at: number): number {
  const kind = bytes[at + 1] ?? 0;
  if (escapable[kind] === 1) return at + 2;
  if (kind !== 0x75) return -2 - at;
  for (let i = at + 2; i < at + 6; i++) if (!isHex(bytes[i] ?? 0)) return -1 - i;
  return at + 6;
}

/** Whether `bytes` holds `text` at `at`. */
function hasWord(bytes: Uint8Array, at: number, text: string): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text.charCodeAt(i)) return false;
  return true;
}

/**
 * The offset after the closing quote of a string with an escape or a byte beyond ASCII, read from the first such byte on;
 * -1 minus the offset of the first wrong byte when it is broken.
 */
function scanCoded(bytes: Uint8Array, from: number, end: number): number {
  let i = from;
  while (i < end) {
    const byte = bytes[i] ?? 0;
    if (special[byte] === 0 || byte >= 0x80) i++;
    else if (byte === 0x22) return i + 1;
    else if (byte < 0x20) return -1 - i;
    else {
      i = scanEscape(bytes, i);
      if (i < 0) return i;
    }
  }
  return -1 - end;
}

/**
 * Adds the JSON in `bytes[start, end)` to the tape; on broken JSON the tape is as before.
 * @param hasElements whether an array that begins with `"$"` is an element: not in a request, nor in an error row
 */
export function readJson(tape: Tape, bytes: Uint8Array, start: number, end: number, hasElements: boolean): JsonResult {
  let words = tape.words;
  let size = tape.size;
  const stack: number[] = [];
  let open = -1;
  let inObject = false;
  let at = start;
  let expectsKey = false;
  // React's client decodes each row as UTF-8, and a decoder drops a byte order mark at the start.
  if (bytes[at] === 0xef && bytes[at + 1] === 0xbb && bytes[at + 2] === 0xbf) at += 3;

  for (;;) {
    let byte = bytes[at] ?? 0;
    while (byte <= 0x20 && at < end && isSpace(byte)) byte = bytes[++at] ?? 0;
    if (at >= end) return broken(end, 'the JSON ends too early');
    // Room for the largest step: a container opened, and one closed with its end.
    if (size + 4 > words.length) words = tape.words = growTape(words, size, at / bytes.length);
    if (byte === 0x22) {
      let after = at + 1;
      // The newline after a row's JSON is special too, so this stops there at the latest.
      while (special[bytes[after] ?? 0] === 0) after++;
      const isPlain = bytes[after] === 0x22 && after < end;
      after = isPlain ? after + 1 : scanCoded(bytes, after, end);
      if (after < 0) return broken(-1 - after, 'a string is not valid JSON');
      const isDollar = bytes[at + 1] === 0x24 || (!isPlain && isEscapedDollar(bytes, at + 1));
      const kind = expectsKey ? keyKind : isDollar ? dollarKind : plainKind;
      words[size] = pack(isPlain ? kind : codedOf(kind), at);
      words[size + 1] = after;
      size += 2;
      at = after;
      if (expectsKey) {
        expectsKey = false;
        while (at < end && isSpace(bytes[at] ?? 0)) at++;
        if (at >= end || bytes[at] !== 0x3a) return broken(at, 'a key needs a colon');
        at++;
        continue;
      }
    } else if (expectsKey) {
      return broken(at, 'a key must be a string');
    } else if (byte === 0x5b || byte === 0x7b) {
      const isObject = byte === 0x7b;
      let inside = at + 1;
      while (inside < end && isSpace(bytes[inside] ?? 0)) inside++;
      if (inside < end && bytes[inside] === byte + 2) {
        words[size++] = pack(isObject ? emptyObjectKind : emptyArrayKind, at);
        at = inside + 1;
      } else {
        if (stack.length === maxDepth) return broken(at, `more than ${maxDepth} levels deep`);
        stack.push(open);
        open = size;
        words[size] = pack(isObject ? objectKind : arrayKind, at);
        size += 2;
        inObject = isObject;
        expectsKey = isObject;
        at = inside;
        continue;
      }
    } else if (byte === 0x2d || isDigit(byte)) {
      const after = scanNumber(bytes, at);
      if (after < 0) return broken(Math.min(-1 - after, end), 'a number is not valid JSON');
      if (after > end) return broken(end, 'the JSON ends too early');
      words[size++] = pack(numberKind, at);
      at = after;
    } else if (byte === 0x6e && hasWord(bytes, at, 'null')) {
      words[size++] = pack(nullKind, at);
      at += 4;
    } else if (byte === 0x74 && hasWord(bytes, at, 'true')) {
      words[size++] = pack(trueKind, at);
      at += 4;
    } else if (byte === 0x66 && hasWord(bytes, at, 'false')) {
      words[size++] = pack(falseKind, at);
      at += 5;
    } else {
      return broken(at, 'not the start of a JSON value');
    }
    if (at > end) return broken(end, 'the JSON ends too early');

    // A value has ended: close what it ends, or go to its next sibling.
    for (;;) {
      let next = bytes[at] ?? 0;
      while (next <= 0x20 && at < end && isSpace(next)) next = bytes[++at] ?? 0;
      if (open < 0) {
        if (at < end) return broken(at, 'text after the JSON value');
        const place = tape.size;
        tape.size = size;
        return { kind: 'read', at: place };
      }
      if (at >= end) return broken(end, 'the JSON ends too early');
      if (next === 0x2c) {
        at++;
        expectsKey = inObject;
        break;
      }
      if (next !== (inObject ? 0x7d : 0x5d)) return broken(at, 'a comma or a closing bracket is missing');
      at++;
      if (size + 4 > words.length) words = tape.words = growTape(words, size, at / bytes.length);
      const first = words[open + 2] ?? 0;
      if (!inObject && hasElements && isElementMark(bytes, first, words[open + 3] ?? 0)) {
        words[open] = pack(elementKind, (words[open] ?? 0) & 0xfffffff);
      }
      size = closeContainer(words, open, size, at);
      open = stack.pop() ?? -1;
      const kind = (words[open] ?? 0) >>> 28;
      inObject = open >= 0 && kind === objectKind;
    }
  }
}
