/**
 * A request's target, exactly as it came, before anything makes a URL of it. A rule for a path is bypassed when two
 * parsers read one spelling as two paths: the URL parser turns `\` into `/` and removes dot segments, a router decodes
 * `%2f`, a file system stops at `%00`. So a path has one spelling here, and every other one is refused. This is about the
 * path alone: a query is data, and browsers send `\` and a single `%` in it as they were typed.
 */

/** As nginx allows by default (large_client_header_buffers); browsers and proxies give up at a few KiB more. */
export const targetLengthLimit = 8 * 1024;

const slash = 0x2f;
const dot = 0x2e;
const percent = 0x25;
const question = 0x3f;
const hash = 0x23;
const backslash = 0x5c;

/** `/`, `\` and `.` need no encoding in a path: encoded, they are meant for a program that decodes once more. */
function isEncodedOnPurpose(byte: number): boolean {
  return byte === slash || byte === backslash || byte === dot || byte < 0x20 || byte === 0x7f;
}

function checkEscape(target: string, at: number): string | undefined {
  const digits = target.slice(at + 1, at + 3);
  if (!/^[\da-f]{2}$/i.test(digits)) return 'a % without two digits';
  return isEncodedOnPurpose(Number.parseInt(digits, 16)) ? `%${digits} in a path` : undefined;
}

/** At the slash before a segment. */
function checkSegmentStart(target: string, at: number): string | undefined {
  const next = target.charCodeAt(at + 1);
  if (next === slash) return '// in a path';
  if (next !== dot) return undefined;
  const after = target.charCodeAt(at + 2) === dot ? at + 3 : at + 2;
  const isDotSegment = after >= target.length || target[after] === '/' || target[after] === '?';
  return isDotSegment ? 'a dot segment' : undefined;
}

function checkPathCharacter(target: string, at: number, code: number): string | undefined {
  switch (code) {
    case slash:
      return checkSegmentStart(target, at);
    case percent:
      return checkEscape(target, at);
    case backslash:
      return 'a backslash in a path';
    default:
      return undefined;
  }
}

function isDecodable(path: string): boolean {
  try {
    // A call whose value nobody needs is dropped by the bundler, which takes it for pure.
    return decodeURIComponent(path).length > 0;
  } catch {
    return false;
  }
}

/** @returns what is wrong with the target of a request, for the log; undefined when it can be read in one way alone */
export function checkTarget(target: string): string | undefined {
  if (target.charCodeAt(0) !== slash) return 'the target is not a path';
  let isPath = true;
  let hasEscapes = false;
  let pathEnd = target.length;
  for (let at = 0; at < target.length; at += 1) {
    const code = target.charCodeAt(at);
    // Characters without a meaning of their own: nearly all of nearly every path.
    if ((code > slash && code < question) || (code >= 0x61 && code <= 0x7a)) continue;
    if (code <= 0x20 || code >= 0x7f || code === hash) return 'a character that a target cannot have';
    if (!isPath) continue;
    if (code === question) {
      isPath = false;
      pathEnd = at;
      continue;
    }
    if (code === percent) hasEscapes = true;
    const problem = checkPathCharacter(target, at, code);
    if (problem !== undefined) return problem;
  }
  return hasEscapes && !isDecodable(target.slice(0, pathEnd)) ? 'escapes that are not UTF-8' : undefined;
}
