const [quote, backslash, comma, colon, openingBracket, openingBrace] = [0x22, 0x5c, 0x2c, 0x3a, 0x5b, 0x7b];

/**
 * Counts the parts in bytes that may be JSON: opening brackets, commas and colons outside of strings. What parsing and judging take follows
 * from their number. Stops just beyond `most`.
 */
export function countJsonParts(bytes: Uint8Array, most: number): number {
  let parts = 0;
  let isInString = false;
  for (let index = 0; index < bytes.length && parts <= most; index += 1) {
    const byte = bytes[index];
    if (isInString) {
      if (byte === backslash) index += 1;
      else if (byte === quote) isInString = false;
    } else if (byte === quote) isInString = true;
    else if (byte === comma || byte === colon || byte === openingBracket || byte === openingBrace) parts += 1;
  }
  return parts;
}
