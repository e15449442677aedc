/**
 * An error as `util.inspect` prints it, read back. Next.js hands its errors to `console.error`, so each Node prints them in its own way:
 *
 * - `Name: message`, the stack's lines, and where the error has properties ` {`, one a line, `}`. What is inside another error is indented
 *   by two, and by two more inside of a list.
 * - an error without a stack in brackets: `[Name: message]`, and with few properties all in one line: `[Name: message] { digest: '1' }`.
 * - a cause as `[cause]: …`, or `cause: …` where it is an ordinary property; those of an AggregateError as `[errors]: [ … ]`.
 * - Next.js 13 and 14 add lines of their own without indentation: `digest: "…"` and `Cause: …`; in development a code frame.
 *
 * A message is anybody's text and may have lines of each of these forms. So what is read may be wrong; it is never more than text. What
 * a line is, is looked at once: each error inside of another is searched for its end.
 */
export type PrintedError = {
  readonly name: string;
  readonly message: string;
  /** The stack's lines as printed, innermost first. */
  readonly trace: readonly string[];
  readonly digest: string | undefined;
  /** Its cause, then the errors of an AggregateError. */
  readonly causes: readonly PrintedError[];
};

type Cursor = {
  readonly lines: readonly string[];
  /** Of each line. */
  readonly indents: readonly number[];
  readonly areTraces: readonly boolean[];
  at: number;
  /** How many more errors are read. */
  left: number;
};
type Properties = Pick<PrintedError, 'digest' | 'causes'> & { readonly name: string | undefined };

const nestedMost = 8;
/** Of one block. Some five are told, and some twenty that have a digest. */
const errorsMost = 40;
/** Of a message in brackets. Each error of a list is looked through for its end, so their number would count twice. */
const linesInBracket = 60;
/** What is longer is a text: no bundler names a file so. */
const longestFrame = 1_000;
/** A line of a message may begin with "at", too: what ends in no position is none of a stack. */
const traceLine =
  /^\s+at (?:\S.*)?(?::\d{1,9}:\d{1,9}|:0x[\da-f]{1,16}|<anonymous>|native|\(index \d{1,9}|ignore-listed frames)\)?,?(?: \{)?$|^\s+\.\.\. \d{1,9} lines matching cause/;
const codeLine = /^\s*(?:(?:>\s*)?\d{1,9} \||\|\s*\^)/;
const outerLine = /^(?:digest|Cause): /;
const outerDigest = /^digest: (["'`])\d{6,10}\1$/;
const ownDigest = /^ {2}digest: /;
const propertyLine = /^(?:\[([\w$ ()]{1,100})\]|([\w$]{1,100})|'[^']{1,100}'): ?(.*)$/;
const digestText = /^(['"`])([!-~]{1,64}?)\1,?$/;
const name = String.raw`(?:[\p{L}_$][\w$]{0,100}\.){0,5}[\p{L}_$][\w$]{0,100}`;
const headText = new RegExp(String.raw`^(${name})(?: \[([\w $:-]{1,100})\])?(?::(?:[ \n]([^]*))?)?$`, 'u');

export function isTrace(line: string): boolean {
  return line.length <= longestFrame && traceLine.test(line);
}

export function isCode(line: string): boolean {
  return codeLine.test(line);
}

/** Whether Next.js 13 or 14 added the line to an error. */
export function isOuter(line: string): boolean {
  return outerLine.test(line);
}

/** Whether what is printed next are properties of the line's error. */
export function opensProperties(line: string | undefined): boolean {
  return line !== undefined && /(?:^| )\{$/.test(line);
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/**
 * `Error [QueryError]: text` for an error that was named after its stack was made; `TypeError [ERR_INVALID_ARG_TYPE]` has Node's code
 * there.
 */
function readName(printed: string, bracket: string | undefined): string {
  const isClass = bracket !== undefined && /^[A-Z$_][\w$]*$/.test(bracket) && /[a-z]/.test(bracket);
  return isClass ? bracket : printed;
}

function readHead(text: string): { readonly name: string; readonly message: string } {
  const [, printed, bracket, message = ''] = headText.exec(text) ?? [];
  // An error whose name is empty is printed as its message.
  return printed === undefined ? { name: 'Error', message: text } : { name: readName(printed, bracket), message };
}

function createCursor(lines: readonly string[], at: number): Cursor {
  return { lines, indents: lines.map(indentOf), areTraces: lines.map(isTrace), at, left: errorsMost };
}

/** Whether `next` may follow an error that ended in the line before, or its ` {`. */
function fits(next: string | undefined, indent: number, opens: boolean): boolean {
  if (next === undefined) return !opens;
  return opens
    ? indentOf(next) === indent + 2 && propertyLine.test(next.trimStart())
    : indent > 0 && indentOf(next) <= indent;
}

type Bracketed = { readonly text: string; readonly opens: boolean; readonly inline: string; readonly end: number };

type BracketEnd = { readonly own: string; readonly inline: string };

/** Where a line closes the bracket: before its end, before ` {`, or before the last ` {` of properties in the same line. */
function readBracketEnd(line: string): BracketEnd | undefined {
  const text = line.endsWith(',') ? line.slice(0, -1) : line;
  if (text.endsWith(']')) return { own: text.slice(0, -1), inline: '' };
  if (text.endsWith('] {')) return { own: text.slice(0, -3), inline: '' };
  const at = text.endsWith('}') ? text.lastIndexOf('] {') : -1;
  return at === -1 ? undefined : { own: text.slice(0, at), inline: text.slice(at + 3) };
}

/**
 * `[Name: message]`, which may have several lines, and any of them may end with a bracket. The first end that fits what follows is taken,
 * else the first.
 * @returns undefined where its bracket is not closed
 */
function readBracketed({ lines, areTraces, at }: Cursor, first: string, indent: number): Bracketed | undefined {
  const texts = [first.slice(1)];
  function endAt(count: number, { own, inline }: BracketEnd): Bracketed {
    const text = [...texts.slice(0, count - 1), own].join('\n');
    return { text, opens: opensProperties(texts[count - 1]), inline, end: at + count - 1 };
  }
  let possible: { readonly count: number; readonly closed: BracketEnd } | undefined;
  for (let count = 1; count <= linesInBracket; count += 1) {
    const text = texts[count - 1] ?? '';
    const closed = readBracketEnd(text);
    const next = lines[at + count - 1];
    if (closed && (closed.inline !== '' || fits(next, indent, opensProperties(text)))) return endAt(count, closed);
    if (closed) possible ??= { count, closed };
    if (next === undefined || areTraces[at + count - 1] === true) break;
    texts.push(next.slice(Math.min(indent, indentOf(next))));
  }
  return possible && endAt(possible.count, possible.closed);
}

function readDigest(text: string): string | undefined {
  return digestText.exec(text)?.[2];
}

/** Of `{ code: 'E', digest: '1' }` in one line. */
function readInlineDigest(text: string): string | undefined {
  return /(?:^|[ ,])digest: (['"`])([!-~]{1,64}?)\1(?=[ ,}])/.exec(text)?.[2];
}

/** Something else than an error can be a cause. @returns undefined where there is nothing to tell */
function readValue(cursor: Cursor, value: string, indent: number, depth: number): PrintedError | undefined {
  const text = value.replace(/^<ref \*\d{1,9}> /, '');
  const plain = text.replace(/,$/, '');
  const isError =
    /^\[[^\]]*(?:: |Error|Exception)/.test(text) || headText.test(plain) || cursor.areTraces[cursor.at] === true;
  const isNothing = /^(?:undefined|null|\[Circular \*\d{1,9}\])$/.test(plain);
  if (isNothing || depth >= nestedMost || cursor.left === 0) return undefined;
  cursor.left -= 1;
  if (isError && !/^(?:true|false|NaN|Infinity)$/.test(plain)) return readError(cursor, text, indent, depth);
  if (!/[[{(]$/.test(text)) {
    const type = /^['"`]/.test(plain) ? 'string' : /^-?\d/.test(plain) ? 'number' : 'object';
    const message = type === 'string' ? plain.slice(1, -1) : plain;
    return { name: `thrown ${type}`, message, trace: [], digest: undefined, causes: [] };
  }
  const from = cursor.at;
  while ((cursor.indents[cursor.at] ?? 0) > indent) cursor.at += 1;
  const close = cursor.lines[cursor.at++]?.trim().replace(/,$/, '') ?? '';
  const inside = cursor.lines.slice(from, cursor.at - 1).map((line) => line.trim());
  return {
    name: 'thrown object',
    message: [text, ...inside, close].join(' '),
    trace: [],
    digest: undefined,
    causes: [],
  };
}

/** The list of an AggregateError. */
function readList(cursor: Cursor, value: string, indent: number, depth: number): PrintedError[] {
  const inline = /^\[ (.*) \],?$/.exec(value)?.[1];
  const found: (PrintedError | undefined)[] = [];
  if (inline !== undefined) {
    const empty = createCursor([], 0);
    for (const text of inline.split(/(?<=\]), (?=\[)/)) found.push(readValue(empty, text, indent, depth + 1));
  } else if (value === '[') {
    for (;;) {
      const line = cursor.lines[cursor.at];
      const own = cursor.indents[cursor.at] ?? 0;
      if (line === undefined) break;
      cursor.at += 1;
      if (own <= indent) break;
      if (own !== indent + 2 || /^\.\.\. \d/.test(line.trimStart())) continue;
      found.push(readValue(cursor, line.trimStart(), indent + 2, depth + 1));
    }
  }
  return found.filter((one) => one !== undefined);
}

function readProperties(cursor: Cursor, indent: number, depth: number): Properties {
  let [digest, printedName]: (string | undefined)[] = [];
  const causes: PrintedError[] = [];
  const errors: PrintedError[] = [];
  let isPast = false;
  for (;;) {
    const line = cursor.lines[cursor.at];
    const own = cursor.indents[cursor.at] ?? 0;
    if (line === undefined) break;
    cursor.at += 1;
    if (own <= indent && /^\s*\}/.test(line)) break;
    if (own !== indent + 2) continue;
    const [, hidden, plain, value = ''] = propertyLine.exec(line.trimStart()) ?? [];
    const key = hidden ?? plain;
    // A hidden cause is printed last, and its message may have lines of each form.
    const isOfMessage = isPast && hidden === undefined;
    isPast ||= hidden === 'cause' || hidden === 'errors';
    if (isOfMessage) continue;
    if (key === 'digest') digest ??= readDigest(value);
    else if (key === 'name') printedName ??= digestText.exec(value)?.[2];
    else if (key === 'cause') {
      const cause = readValue(cursor, value, indent + 2, depth + 1);
      if (cause) causes.push(cause);
    } else if (key === 'errors') errors.push(...readList(cursor, value, indent + 2, depth));
  }
  return { digest, name: printedName, causes: [...causes, ...errors] };
}

/** What Next.js 13 and 14 add below an error, without indentation. */
function readOuter(cursor: Cursor, depth: number): Properties {
  let digest: string | undefined;
  const causes: PrintedError[] = [];
  for (;;) {
    const line = cursor.lines[cursor.at];
    if (line === undefined || !(isOuter(line) || isCode(line) || line === '')) break;
    cursor.at += 1;
    if (line.startsWith('digest: ')) digest = readDigest(line.slice(8)) ?? digest;
    else if (line.startsWith('Cause: ')) {
      const cause = readValue(cursor, line.slice(7), 0, depth + 1);
      if (cause) causes.push(cause);
    }
  }
  return { digest, name: undefined, causes };
}

/** The frame before the error's properties, which end the block, where they have its digest. -1 where there is none. */
function findOpener(lines: readonly string[], isOwn: (index: number) => boolean): number {
  const end = lines.findLastIndex((line) => line.startsWith('}'));
  const isLast = end !== -1 && lines.slice(end + 1).every((line) => line === '');
  const digestAt = isLast ? lines.findLastIndex((line) => ownDigest.test(line)) : -1;
  const opener = lines.findLastIndex((line, index) => index < digestAt && isOwn(index) && opensProperties(line));
  // What is less far in between the two is a message.
  return lines.slice(opener + 1, end).some((line) => /^\S/.test(line)) ? -1 : opener;
}

/**
 * Finds the stack's first line. Without a stack, it is the first line behind the message. A message may have lines of any form. So the
 * error's own frames are the last with this indentation. Where its properties have its digest, they are the last before these.
 */
function findMessageEnd({ lines, indents, areTraces, at }: Cursor, first: string, indent: number): number {
  const isOwn = (index: number) => areTraces[index] === true && indents[index] === indent + 4;
  const startRun = (end: number): number => {
    let start = lines.findLastIndex((_, index) => index < end && isOwn(index));
    while (start > at && isOwn(start - 1)) start -= 1;
    return start;
  };
  if (indent === 0) {
    const opener = findOpener(lines, isOwn);
    if (opener >= at) return startRun(opener + 1);
  }
  const outside = lines.findIndex((line, index) => index >= at && line !== '' && (indents[index] ?? 0) < indent);
  const last = outside === -1 ? lines.length : outside;
  const firstTraceAt = lines.findIndex((_, index) => index >= at && isOwn(index));
  // Below Next's digest come no frames of the error: those are of its cause.
  const isDigest = (line: string, index: number) =>
    outerDigest.test(line) && !isOwn(lines.findIndex((next, after) => after > index && next !== ''));
  const outerAt = indent === 0 ? lines.findIndex((line, index) => index >= at && isDigest(line, index)) : -1;
  if (outerAt !== -1 && outerAt < firstTraceAt) return outerAt;
  if (firstTraceAt !== -1 && firstTraceAt < last) {
    if (indent > 0) return firstTraceAt;
    const outer = lines.findIndex(
      (line, index) => index > firstTraceAt && (line.startsWith('Cause: ') || isDigest(line, index)),
    );
    return startRun(outer === -1 ? last : Math.min(last, outer));
  }
  if (indent > 0 && !opensProperties(first)) return at;
  const otherAt = lines.findIndex(
    (line, index) =>
      index >= at &&
      (areTraces[index] === true ||
        (indent === 0 && isOuter(line)) ||
        (opensProperties(index === at ? first : lines[index - 1]) && fits(line, indent, true))),
  );
  return otherAt === -1 ? last : otherAt;
}

/** @param first what stands in the error's first line; the cursor is behind that line */
function readError(cursor: Cursor, first: string, indent: number, depth: number): PrintedError {
  const { lines } = cursor;
  const bracketed = first.startsWith('[') ? readBracketed(cursor, first, indent) : undefined;
  const texts = [first];
  const trace: string[] = [];
  if (bracketed) cursor.at = bracketed.end;
  else {
    const end = findMessageEnd(cursor, first, indent);
    for (; cursor.at < end; cursor.at += 1) texts.push((lines[cursor.at] ?? '').slice(indent));
    for (let line = lines[cursor.at]; line !== undefined; line = lines[cursor.at]) {
      if (cursor.areTraces[cursor.at] !== true && !isCode(line)) break;
      if (/^\s+at \S/.test(line)) trace.push(line);
      cursor.at += 1;
    }
  }
  const last = trace.length === 0 && !bracketed ? texts.at(-1) : lines[cursor.at - 1];
  const opens = bracketed?.opens ?? opensProperties(last);
  const inner = opens ? readProperties(cursor, indent, depth) : undefined;
  const outer = indent === 0 && depth === 0 ? readOuter(cursor, depth) : undefined;
  const text = bracketed?.text ?? texts.join('\n');
  const head = readHead(trace.length === 0 && !bracketed ? text.replace(opens ? / ?\{$/ : /,$/, '') : text);
  const isRenamed = inner?.name !== undefined && head.name === 'Error';
  return {
    name: isRenamed && inner.name !== undefined ? inner.name : head.name,
    message: head.message,
    trace: trace.map((line) => line.replace(/(?:,| \{)$/, '')),
    digest: outer?.digest ?? inner?.digest ?? (bracketed ? readInlineDigest(bracketed.inline) : undefined),
    causes: [...(inner?.causes ?? []), ...(outer?.causes ?? [])],
  };
}

/** @param lines from the error's first one on, without what stands before it in that line */
export function readPrintedError(lines: readonly string[]): PrintedError {
  const [first = ''] = lines;
  const printed = readError(createCursor(lines, 1), first.replace(/^<ref \*\d{1,9}> /, ''), 0, 0);
  // Next.js 14 prints a thrown object as it is, with the digest that it put into it.
  if (first !== '{' || printed.trace.length > 0) return printed;
  const end = lines.findIndex((line) => line.startsWith('}'));
  const members = lines.slice(1, end === -1 ? undefined : end).filter((line) => !/^ {2}digest: /.test(line));
  const text = members.map((line) => line.trim()).join(' ');
  return { ...printed, name: 'thrown object', message: `{ ${text.replace(/,$/, '')} }` };
}
