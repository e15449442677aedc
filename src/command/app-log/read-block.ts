import type { AppErrorCause, AppErrorFrame } from '#report/sender/app-error.ts';
import { mapFrames } from '#report/sender/map-frames.ts';
import type { StackFrame } from '#report/stack.ts';

/**
 * One error as Next.js prints it, from its first line to its last. The shapes, colours taken off:
 *
 * - 15 and 16: `⨯ Error: text`, frames with paths from the app's folder, then what `util.inspect` adds: ` {`, `  digest: '…'`,
 *   `  [cause]: …`, `}`. In development a code frame stands between the frames and the brace.
 * - an error of an action without JavaScript, of 15 and 16 in production: the same without a digest, printed twice.
 * - an error of 16's `proxy.ts` in production: the same without `⨯` and without a digest.
 * - 14 in production: the same without `⨯`, with absolute paths, printed twice.
 * - 14 in development: `⨯ Error: text`, frames whose lines are those of the compiled file, `digest: "…"`, a code frame, `Cause: …`.
 */
export type LoggedError = {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
  readonly digest: string | undefined;
  readonly frames: readonly AppErrorFrame[];
  readonly causes: readonly AppErrorCause[];
  /** It has Next's mark. Without one and without a digest it may be anything that the app printed. */
  readonly isMarked: boolean;
  /** Where it was thrown, as printed: a path from the app's folder, or an absolute one. */
  readonly thrownIn: string | undefined;
  /** Its shape is one that is printed twice: those of 14, and that of an action without JavaScript. */
  readonly isDoubled: boolean;
};

/** Of a page's code, or an action's. A route handler's is elsewhere, and its error is printed once, without a digest, too. */
const pageFrame = /\.next\/server\/(?:chunks\/ssr\/|app\/(?:[^)\s]{1,500}\/)?page\.js:)/;

/** As the senders inside of apps keep. */
const framesKept = 50;
const causesKept = 5;
const causeFramesKept = 10;

const headPattern =
  /^\s{0,2}(⨯ )?\s*(?:unhandledRejection: |uncaughtException: )?\[?((?:[A-Z_$][\w$]*\.)*[A-Z_$][\w$]{0,100})(?: \[([\w $-]{1,100})\])?: (.*)$/;
const frameHead = /^\s+at (?:async )?(?:new )?/;
const framePosition = /:(\d{1,9}):(\d{1,9})\)?,?(?: \{)?$/;
const anyFrame = /^\s+at \S/;
const codeLine = /^\s*(?:(>)\s*)?(\d+) \|(?: (.*))?$/;
const caretLine = /^\s*\|(\s*)\^/;
const digestLine = /^(?: {2})?digest: ['"]([!-~]{1,64})['"],?$/;
const causeLine =
  /^(?:\s+\[cause\]|Cause): \[?(?:((?:[A-Z_$][\w$]*\.)*[A-Z_$][\w$]{0,100})(?: \[([\w $-]{1,100})\])?: )?(.*)$/;

/**
 * `Error [QueryError]: text` for an error that was named after its stack was made; `TypeError [ERR_INVALID_ARG_TYPE]` has Node's code
 * there.
 */
function readName(printed: string, bracket: string | undefined): string {
  const isClass = bracket !== undefined && /^[A-Z$_][\w$]*$/.test(bracket) && /[a-z]/.test(bracket);
  return isClass ? bracket : printed;
}

/** Whether an error may begin here. An unmarked one is believed when it turns out to have a digest. */
export function isHead(line: string): 'marked' | 'plain' | undefined {
  const match = headPattern.exec(line);
  if (!match || line.startsWith('Cause: ')) return undefined;
  return match[1] === undefined ? (/^(?:\[|[A-Z])/.test(line) ? 'plain' : undefined) : 'marked';
}

export function isFrame(line: string): boolean {
  return anyFrame.test(line) || /^\s+\.\.\. \d+ lines matching cause/.test(line);
}

export function isCode(line: string): boolean {
  return codeLine.test(line) || caretLine.test(line);
}

export function isAddition(line: string): boolean {
  return digestLine.test(line) || causeLine.test(line);
}

/**
 * `fn (file` or `file`, whose names may have parentheses: a path may, too, and any other file has none. Each place is looked at once: the
 * text may be a stranger's, and the thread that reads it forwards all requests.
 */
function splitPlace(place: string): { readonly fn: string; readonly file: string } | undefined {
  const lastParenthesis = Math.max(place.lastIndexOf('('), place.lastIndexOf(')'));
  const isFile = (from: number): boolean =>
    place.startsWith('/', from) ||
    place.startsWith('.next/', from) ||
    (from > lastParenthesis && /\S/.test(place.charAt(from)));
  for (let at = place.indexOf(' ('); at !== -1; at = place.indexOf(' (', at + 1)) {
    if (isFile(at + 2)) return { fn: place.slice(0, at), file: place.slice(at + 2) };
  }
  return isFile(0) ? { fn: '', file: place } : undefined;
}

function readFrame(line: string): StackFrame | undefined {
  const head = frameHead.exec(line)?.[0].length;
  const position = framePosition.exec(line);
  if (head === undefined || !position) return undefined;
  const named = splitPlace(line.slice(head, position.index));
  if (!named) return undefined;
  const { fn, file } = named;
  const [, row, column] = position;
  const at = { line: Number(row), column: Number(column) };
  return at.line > 0 && at.column > 0 ? { fn: fn === '<unknown>' ? '' : fn, file, ...at } : undefined;
}

type Code = { readonly line: number; readonly column: number; readonly context: NonNullable<AppErrorFrame['context']> };

/**
 * The first code frame: the line with `>`, and the lines around it.
 * @param hasBrace whether inspect's brace follows the last line of code
 */
function readCode(lines: readonly string[], hasBrace: boolean): Code | undefined {
  const from = lines.findIndex((line) => codeLine.test(line));
  if (from === -1) return undefined;
  const shown: { number: number; text: string }[] = [];
  let marked: number | undefined;
  let column = 1;
  for (const line of lines.slice(from)) {
    const [, mark, number, text = ''] = codeLine.exec(line) ?? [];
    if (number === undefined) {
      const caret = caretLine.exec(line);
      if (!caret) break;
      column = (caret[1] ?? ' ').length;
      continue;
    }
    shown.push({ number: Number(number), text });
    if (mark !== undefined) marked = Number(number);
  }
  const [first] = shown;
  if (marked === undefined || !first) return undefined;
  const texts = shown.map(({ text }, index) =>
    hasBrace && index === shown.length - 1 ? text.replace(/ ?\{$/, '') : text,
  );
  return { line: marked, column: Math.max(1, column), context: { firstLine: first.number, lines: texts } };
}

/** The code frame shows where the first frame of the project is: its line is right even where the frame's is not. */
function placeCode(frames: readonly AppErrorFrame[], code: Code | undefined, areExact: boolean): AppErrorFrame[] {
  const first = frames.findIndex(({ inApp }) => inApp);
  return frames.map((frame, index) => {
    if (index === first && code) return { ...frame, line: code.line, column: code.column, context: code.context };
    const { context: _, ...plain } = frame;
    return areExact ? frame : plain;
  });
}

function mapLines(lines: readonly string[], root: string): AppErrorFrame[] {
  const frames = lines.map(readFrame).filter((frame) => frame !== undefined);
  return mapFrames(frames, root);
}

/** The cause is mostly the answer, so its frames are mapped as those of the error are. */
function readCauses(lines: readonly string[], root: string): AppErrorCause[] {
  const causes: { name: string; message: string; lines: string[] }[] = [];
  for (const line of lines) {
    const match = causeLine.exec(line);
    const current = causes.at(-1);
    if (match) {
      const [, printed = 'Error', bracket, message = ''] = match;
      causes.push({ name: readName(printed, bracket), message, lines: [] });
    } else if (current && anyFrame.test(line)) current.lines.push(`    ${line.trim()}`);
  }
  return causes.slice(0, causesKept).map(({ name, message, lines: traced }) => ({
    name,
    message,
    stack: [`${name}: ${message}`, ...traced].join('\n'),
    frames: mapLines(traced.slice(0, causeFramesKept), root),
  }));
}

/** @param root the app's folder @returns undefined when it is no error after all */
export function readBlock(lines: readonly string[], root: string): LoggedError | undefined {
  const head = headPattern.exec(lines[0] ?? '');
  if (!head) return undefined;
  const [, mark, printed = '', bracket, firstLine = ''] = head;
  const name = readName(printed, bracket);
  const rest = lines.slice(1);
  const framesAt = rest.findIndex((line) => isFrame(line) || digestLine.test(line));
  const message = [firstLine, ...rest.slice(0, framesAt === -1 ? 0 : framesAt)].join('\n').replace(/\]? ?\{?$/, '');
  const body = framesAt === -1 ? [] : rest.slice(framesAt);
  const addedAt = body.findIndex((line) => isAddition(line) || isCode(line));
  const own = (addedAt === -1 ? body : body.slice(0, addedAt))
    .filter((line) => anyFrame.test(line))
    .slice(0, framesKept);
  const digest = body.map((line) => digestLine.exec(line)?.[1]).find((found) => found !== undefined);
  const causesAt = body.findIndex((line) => causeLine.test(line));
  const isOuter = body.some((line) => line.startsWith('digest:'));
  const frames = mapLines(own, root);
  const code = readCode(causesAt === -1 || isOuter ? body : body.slice(0, causesAt), !isOuter && digest !== undefined);
  return {
    name,
    message,
    stack: [`${name}: ${message}`, ...own.map((line) => line.replace(/ \{$/, ''))].join('\n'),
    digest,
    frames: placeCode(frames, code, !isOuter),
    causes: readCauses(causesAt === -1 ? [] : body.slice(causesAt), root),
    isMarked: mark !== undefined,
    thrownIn: own.map(readFrame).find((frame) => frame !== undefined)?.file,
    isDoubled: mark === undefined || isOuter || (digest === undefined && own.some((line) => pageFrame.test(line))),
  };
}
