import { readHexDigit } from '#src/server/http/decode-spelling.ts';

/**
 * Takes the values of secret query parameters out of a payload, in place: Waku puts the query into every payload
 * (`"ROUTE":["/reset","token=…"]`), and a page may show it again. Each byte becomes an asterisk, because the lengths in
 * front of Flight's text rows count bytes.
 *
 * Whoever sends a query decides how it is spelled: `a%2fb`, `%61/b` and `a%252Fb` are one value, and JSON and HTML escape it once more.
 * So what is compared is what both sides say when all escapes are read; each byte of that knows where in the payload it was spelled.
 */
type Secret = { readonly name: string; readonly value: string };

/** A shorter value, `1` say, is found everywhere by chance; it is covered only next to its name. */
const shortestAlone = 6;
/** Read at once, so that a large payload takes no multiple of itself. */
const windowBytes = 64 * 1024;
/** As many bytes spell one at most: `\u0025\u0034\u0031`, an escape of which each character is escaped. */
const longestSpelling = 18;

const [percent, backslash, plus, space, ampersand, letterU] = [0x25, 0x5c, 0x2b, 0x20, 0x26, 0x75];
/** What React, Node and browsers write in HTML. */
const entities: readonly (readonly [string, number])[] = [
  ['&amp;', '&'],
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&#x27;', "'"],
  ['&#39;', "'"],
].map(([name = '', character = '']) => [name, character.charCodeAt(0)]);
const longestEntity = 6;
const escapedByJson = new Map([...'"\\/'].map((character) => [character.charCodeAt(0), character.charCodeAt(0)]));

type Read = {
  readonly bytes: Buffer;
  /** Where each byte is spelled, and where the last one ends. */
  readonly starts: Uint32Array;
};

/** A character that is spelled at `at`, and the bytes that spell it. What is spelled by nothing but itself has one. */
function readAt(bytes: Buffer, at: number, end: number): readonly [character: number, length: number] {
  const byte = bytes[at] ?? 0;
  if (byte === plus) return [space, 1];
  if (byte === backslash && at + 1 < end) {
    const next = bytes[at + 1] ?? 0;
    if (next === letterU && at + 6 <= end) {
      let code = 0;
      for (let index = at + 2; index < at + 6; index += 1) {
        const digit = readHexDigit(bytes[index]);
        if (digit === -1) return [byte, 1];
        code = code * 16 + digit;
      }
      return [code, 6];
    }
    const escaped = escapedByJson.get(next);
    if (escaped !== undefined) return [escaped, 2];
  }
  if (byte === ampersand) {
    const text = bytes.toString('latin1', at, Math.min(end, at + longestEntity));
    const found = text.includes(';') ? entities.find(([name]) => text.startsWith(name)) : undefined;
    if (found) return [found[1], found[0].length];
  }
  return [byte, 1];
}

/** What is between `from` and `end` of `source`, with all escapes read. `%2541` becomes `%41` and then `A`, byte by byte. */
function readEscapes(source: Buffer, from: number, end: number): Read {
  // A character of `\uXXXX` takes up to three bytes, and six bytes spell it.
  const bytes = Buffer.alloc(end - from);
  const starts = new Uint32Array(end - from + 1);
  let length = 0;
  let at = from;
  while (at < end) {
    const byte = source[at] ?? 0;
    const isPlain = byte !== backslash && byte !== ampersand && byte !== plus;
    const [character, taken] = isPlain ? [byte, 1] : readAt(source, at, end);
    const spelled = taken === 6 && character > 0x7f ? Buffer.from(String.fromCharCode(character)) : undefined;
    for (let index = 0; index < (spelled?.length ?? 1); index += 1) {
      bytes[length] = spelled?.[index] ?? character;
      starts[length] = at;
      length += 1;
    }
    at += taken;
    while (length >= 3 && bytes[length - 3] === percent) {
      const [high, low] = [readHexDigit(bytes[length - 2]), readHexDigit(bytes[length - 1])];
      if (high === -1 || low === -1) break;
      length -= 2;
      bytes[length - 1] = high * 16 + low;
    }
  }
  starts[length] = end;
  return { bytes: bytes.subarray(0, length), starts };
}

function readText(text: string): Buffer {
  const bytes = Buffer.from(text);
  return readEscapes(bytes, 0, bytes.length).bytes;
}

type Needle = {
  readonly bytes: Buffer;
  /** How much of it, its name, stays. */
  readonly from: number;
};

function listNeedles(secrets: readonly Secret[]): readonly Needle[] {
  return secrets.flatMap(({ name, value }) => {
    const bytes = readText(value);
    if (bytes.length === 0) return [];
    if (value.length >= shortestAlone) return [{ bytes, from: 0 }];
    const start = readText(`${name}=`);
    return [{ bytes: Buffer.concat([start, bytes]), from: start.length }];
  });
}

/** Changes `bytes`. */
export function coverSecrets(bytes: Buffer, secrets: readonly Secret[]): void {
  const needles = listNeedles(secrets);
  const longest = Math.max(0, ...needles.map((needle) => needle.bytes.length));
  if (longest === 0) return;
  for (let from = 0; from < bytes.length; from += windowBytes) {
    const end = Math.min(bytes.length, from + windowBytes + longest * longestSpelling);
    const read = readEscapes(bytes, from, end);
    for (const needle of needles) {
      const { length } = needle.bytes;
      for (let at = read.bytes.indexOf(needle.bytes); at !== -1; at = read.bytes.indexOf(needle.bytes, at + length)) {
        bytes.fill('*', read.starts[at + needle.from], read.starts[at + length]);
      }
    }
  }
}
