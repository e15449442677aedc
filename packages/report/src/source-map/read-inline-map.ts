/**
 * The map that a built script carries in its last lines, as esbuild's `--sourcemap=inline` and webpack's `inline-source-map` write it:
 * `//# sourceMappingURL=data:application/json;charset=utf-8;base64,…`.
 */

const mark = /[#@] ?sourceMappingURL=data:application\/json(?:;charset=[\w-]+)?(;base64)?,([^\s'"*]+)/;

/** What may stand behind the map: a line end, the end of a comment, the line with a debug id. */
const longestTail = 200;

function decode(data: string, isBase64: boolean): string | undefined {
  if (isBase64) return Buffer.from(data, 'base64').toString('utf8');
  try {
    return decodeURIComponent(data);
  } catch {
    return undefined;
  }
}

/** @param script the text of a built script @returns its map's JSON, not yet parsed; undefined when it has none in it */
export function readInlineMap(script: string): string | undefined {
  // From the end: a text of the program may name the mark, too. The map's own text has no line end.
  const at = script.lastIndexOf('sourceMappingURL=data:');
  const found = at < 2 ? null : mark.exec(script.slice(at - 2));
  if (!found || found.index > 2) return undefined;
  const [whole, base64, data = ''] = found;
  const isLast = script.length - (at - 2 + found.index + whole.length) <= longestTail;
  return isLast ? decode(data, base64 !== undefined) : undefined;
}
