/**
 * What a text says, however it is spelled: `%70assword%3D`, `pass%2577ord`, `\u0070assword`. A server decodes what it is sent once or
 * twice, so a name or a value that is secret has to be recognised in each of these spellings. Encodings may be nested, and each level
 * may spell the next: so the text is read once, and whenever its end has become an escape, that is replaced, until it is none.
 * The work is linear, since each replacement shortens the text.
 */
const escape = /%[\da-f]{2}|\\u00[\da-f]{2}/i;

export function isSpelled(text: string): boolean {
  return escape.test(text);
}

const [percent, backslash, letterU, zero] = [0x25, 0x5c, 0x75, 0x30];

/** Returns the value of a hexadecimal digit, and -1 of anything else. */
export function readHexDigit(code: number | undefined): number {
  if (code === undefined) return -1;
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const small = code | 0x20;
  return small >= 0x61 && small <= 0x66 ? small - 0x57 : -1;
}

function readByte(first: number | undefined, second: number | undefined): number {
  const [high, low] = [readHexDigit(first), readHexDigit(second)];
  return high === -1 || low === -1 ? -1 : high * 16 + low;
}

/** What the end of `codes` spells, and in how many units; undefined when it is no escape. */
function readEnd(codes: readonly number[]): { readonly code: number; readonly length: number } | undefined {
  const end = codes.length;
  const code = readByte(codes[end - 2], codes[end - 1]);
  if (code === -1) return undefined;
  if (codes[end - 3] === percent) return { code, length: 3 };
  const isUnicode = codes[end - 6] === backslash && codes[end - 5] === letterU;
  return isUnicode && codes[end - 4] === zero && codes[end - 3] === zero ? { code, length: 6 } : undefined;
}

/**
 * Only what is written in ASCII is decoded: no name of a secret, no mark and no token has other characters.
 * @param stays what stays as it is spelled
 */
export function decodeSpelling(text: string, stays?: RegExp): string {
  if (!isSpelled(text)) return text;
  const codes: number[] = [];
  for (let at = 0; at < text.length; at += 1) {
    codes.push(text.charCodeAt(at));
    for (let end = readEnd(codes); end; end = readEnd(codes)) {
      const { code, length } = end;
      if (code < 0x20 || code > 0x7e || stays?.test(String.fromCharCode(code))) break;
      codes.length -= length;
      codes.push(code);
    }
  }
  return toText(codes);
}

/** `fromCharCode` takes its arguments on the stack. */
function toText(codes: readonly number[]): string {
  const parts: string[] = [];
  for (let at = 0; at < codes.length; at += 8_192) parts.push(String.fromCharCode(...codes.slice(at, at + 8_192)));
  return parts.join('');
}
