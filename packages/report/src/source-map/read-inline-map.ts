/**
 * The map that a built script carries in its last lines, as esbuild's `--sourcemap=inline` and webpack's `inline-source-map` write it:
 * `//# sourceMappingURL=data:application/json;charset=utf-8;base64,…`.
 */

const mark = /[#@] ?sourceMappingURL=data:application\/json(?:;charset=[\w-]+)?(;base64)?,([^\s'"*]+)/;

/** What may stand behind the map: a line end, the end of a comment, the line with a debug id. */
const longestTail = 200;

function decode(data: string, isBase64: boolean): Buffer | undefined {
  if (isBase64) return Buffer.from(data, 'base64');
  try {
    return Buffer.from(decodeURIComponent(data));
  } catch {
    return undefined;
  }
}

/**
 * Only the map is made a text, of ASCII: one of the whole script would take twice its size where a single character is beyond Latin-1.
 * @param script as it was built, in UTF-8 @returns its map's JSON, not yet parsed; undefined when it has none in it
 */
export function readInlineMap(script: Buffer): Buffer | undefined {
  // From the end: a text of the program may name the mark, too. The map's own text has no line end.
  const at = script.lastIndexOf('sourceMappingURL=data:');
  const tail = at < 2 ? '' : script.toString('latin1', at - 2);
  const found = mark.exec(tail);
  if (!found || found.index > 2) return undefined;
  const [whole, base64, data = ''] = found;
  const isLast = tail.length - (found.index + whole.length) <= longestTail;
  return isLast ? decode(data, base64 !== undefined) : undefined;
}
