/**
 * Calls in a page's scripts that hand over a piece of Flight: `self.__next_f.push([1,"…"])` (Next.js),
 * `(self.__FLIGHT_DATA||=[]).push("…")` (rsc-html-stream, and what writes like it) and
 * `$_TSR.p(()=>($R=>$R[19].next("t…"))($R["tsr"]))` (TanStack Start). The script is read with a small lexer, never run: a
 * push counts only as a statement of its own, so one that is quoted in a string, in a comment or in a function's body is
 * text. String literals are read by their grammar (ECMA-262, 12.9.4).
 */
export type Push = {
  into: '__next_f' | '__FLIGHT_DATA' | '$_TSR';
  /** Which stream of the page it belongs to. Only TanStack Start has several: the number is that of its `$R[n]`. */
  stream: number;
  /** The first item of Next's array; 1 for a string and 3 for bytes of the others. */
  code: number;
  /** The text of a string, or the bytes in base64. */
  text: string;
  /** Where in the code its literal ends. */
  end: number;
};

const globalName = String.raw`(?:(?:self|window|globalThis)\s*\.\s*)?`;
const pushHead = new RegExp(
  String.raw`\(?\s*${globalName}(__next_f|__FLIGHT_DATA)\s*(?:(?:\|\|=|=\s*${globalName}\1\s*\|\|)\s*\[\s*\]\s*)?\)?\s*\.\s*push\s*\(\s*`,
  'y',
);
/** seroval's record of one chunk of a stream (`crossSerializeStream`), in the function that TanStack's router defers it by. */
const streamHead =
  /(\$_TSR\s*\.\s*p\s*\(\s*\(\s*\)\s*=>\s*)?\(\s*\$R\s*=>\s*\$R\s*\[\s*(\d{1,9})\s*\]\s*\.\s*next\s*\(\s*/y;
const arrayHead = /\[\s*(\d+)\s*(?:,\s*)?/y;
const bytesHead = /(?:new\s+)?Uint8Array\s*\.\s*from\s*\(\s*atob\s*\(\s*/y;
/** `<!--` begins a comment in a script of a page, to the line's end. */
const space = /\s+|(?:\/\/|<!--)[^\n]*/y;

const simpleEscapes = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['b', '\b'],
  ['f', '\f'],
  ['v', '\v'],
  ['0', '\0'],
  ['\n', ''],
  ['\r', ''],
]);

const escapePattern = /\\(?:u\{([0-9a-f]{1,6})\}|u([0-9a-f]{4})|x([0-9a-f]{2})|(\r\n)|([^]))/gi;

export function unescapeLiteral(body: string): string {
  return body.replace(
    escapePattern,
    (whole: string, point?: string, unit?: string, byte?: string, lineEnd?: string, other?: string) => {
      const hex = point ?? unit ?? byte;
      if (hex !== undefined) {
        const code = Number.parseInt(hex, 16);
        return code > 0x10ffff ? whole : String.fromCodePoint(code);
      }
      return lineEnd === undefined ? (simpleEscapes.get(other ?? '') ?? other ?? '') : '';
    },
  );
}

/** Where the literal whose quote is at `at` ends: after its closing quote; the text's end when it never closes. */
function findLiteralEnd(code: string, at: number): number {
  const quote = code[at] ?? '';
  let i = at + 1;
  while (i < code.length && code[i] !== quote) i += code[i] === '\\' ? 2 : 1;
  return Math.min(i + 1, code.length);
}

/** The text of the string literal at `at`; undefined when there is none. A template may hold no expression. */
function readLiteral(code: string, at: number): { text: string; end: number } | undefined {
  const quote = code[at];
  if (quote !== '"' && quote !== "'" && quote !== '`') return undefined;
  const end = findLiteralEnd(code, at);
  const body = code.slice(at + 1, end - 1);
  if (code[end - 1] !== quote || (quote === '`' && body.includes('${'))) return undefined;
  return { text: body.includes('\\') ? unescapeLiteral(body) : body, end };
}

function matchAt(pattern: RegExp, code: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(code) ?? undefined;
}

/** `open`: the brackets the argument is in, the call's own among them. */
type Read = { push: Push; open: number };

function readNextPush(code: string, at: number): Read | undefined {
  const head = matchAt(arrayHead, code, at);
  if (!head) return undefined;
  const kind = Number(head[1]);
  const literal = readLiteral(code, at + head[0].length);
  const end = literal?.end ?? at + head[0].length;
  return { push: { into: '__next_f', stream: 0, code: kind, text: literal?.text ?? '', end }, open: 2 };
}

function readDataPush(code: string, at: number): Read | undefined {
  const bytes = matchAt(bytesHead, code, at);
  const literal = readLiteral(code, at + (bytes?.[0].length ?? 0));
  return (
    literal && {
      push: { into: '__FLIGHT_DATA', stream: 0, code: bytes ? 3 : 1, text: literal.text, end: literal.end },
      open: bytes ? 3 : 1,
    }
  );
}

/** A chunk is `t` and its text, or `b` and its bytes in base64 (encodeText in @tanstack/router-core). */
function readStreamChunk(code: string, at: number): Read | undefined {
  const head = matchAt(streamHead, code, at);
  const literal = head && readLiteral(code, at + head[0].length);
  const kind = literal && { t: 1, b: 3 }[literal.text[0] ?? ''];
  if (!kind) return undefined;
  return {
    push: { into: '$_TSR', stream: Number(head[2]), code: kind, text: literal.text.slice(1), end: literal.end },
    open: head[1] === undefined ? 2 : 3,
  };
}

function readPush(code: string, at: number): Read | undefined {
  const head = matchAt(pushHead, code, at);
  if (!head) return readStreamChunk(code, at);
  const argument = at + head[0].length;
  return head[1] === '__next_f' ? readNextPush(code, argument) : readDataPush(code, argument);
}

const valueBefore = /[\w$)\]}]$/;
const regexLiteral = /^\/(?:\\.|\[(?:\\.|[^\]\n\\])*\]|[^/\n\\[])+\//;
/** So that a script of nothing but slashes costs no more than its length; a longer one is read as operators. */
const maxRegexLength = 200;

/** Where the token at `at` ends, for tokens in which brackets and quotes mean nothing; undefined for others. */
function skipOpaque(code: string, at: number): number | undefined {
  const character = code[at] ?? '';
  if (character === '"' || character === "'" || character === '`') return findLiteralEnd(code, at);
  if (character !== '/') return undefined;
  if (code[at + 1] === '*') {
    const end = code.indexOf('*/', at + 2);
    return end < 0 ? code.length : end + 2;
  }
  // A slash after a value divides; anywhere else it opens a regular expression.
  if (valueBefore.test(code.slice(Math.max(0, at - 20), at).trimEnd())) return undefined;
  const regex = regexLiteral.exec(code.slice(at, at + maxRegexLength));
  return regex ? at + regex[0].length : undefined;
}

/** The pushes that are statements of their own in a script, in order. Linear in the script; never throws. */
export function* findPushes(code: string): Generator<Push> {
  if (!code.includes('__next_f') && !code.includes('__FLIGHT_DATA') && !code.includes('.next(')) return;
  let depth = 0;
  let atStatement = true;
  for (let at = 0; at < code.length;) {
    const gap = matchAt(space, code, at);
    if (gap) {
      // A line's end ends a statement where what follows could not go on with it.
      atStatement ||=
        depth === 0 && gap[0].includes('\n') && code[at - 1] === ')' && /\w/.test(code[at + gap[0].length] ?? '');
      at += gap[0].length;
      continue;
    }
    const read = atStatement && depth === 0 ? readPush(code, at) : undefined;
    if (read) {
      yield read.push;
      at = read.push.end;
      depth = read.open;
      atStatement = false;
      continue;
    }
    const character = code[at] ?? '';
    if ('([{'.includes(character)) depth += 1;
    else if (')]}'.includes(character)) depth -= 1;
    // After a comma too: a minifier joins statements so.
    atStatement = character === ';' || character === ',' || character === '}';
    at = skipOpaque(code, at) ?? at + 1;
  }
}
