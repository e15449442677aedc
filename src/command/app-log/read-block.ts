import type { AppErrorCause, AppErrorFrame } from '#report/sender/app-error.ts';
import { mapFrames, type Files, type Running } from '#report/sender/map-frames.ts';
import type { StackFrame } from '#report/stack.ts';

import { readPrintedError, type PrintedError } from './read-printed-error.ts';

/**
 * One error as Next.js prints it, with its frames mapped. What the versions differ in, colours and prefixes taken off:
 *
 * - 15 and 16: `⨯ Error: text`, frames with paths from the app's folder. In development a code frame follows them.
 * - an error of an action without JavaScript, of 15 and 16 in production: the same without a digest, printed twice.
 * - an error of 16's `proxy.ts`, and of a route handler of 15, in production: the same without `⨯` and without a digest.
 * - 14 in production: the same without `⨯`, with absolute paths, printed twice.
 * - 14 in development: frames whose lines are those of the compiled file, then `digest: "…"`, a code frame, `Cause: …`.
 * - `⨯ Internal error: `, `⨯ unhandledRejection: ` and `⨯ uncaughtException: ` before the error, with one space or two.
 */
export type LoggedError = {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
  readonly digest: string | undefined;
  readonly frames: readonly AppErrorFrame[];
  readonly causes: readonly AppErrorCause[];
  /** Of `JSON.parse` in a route handler the stack has no place in a file. */
  readonly hasStack: boolean;
  /** Next says that nobody caught it. */
  readonly isUncaught: boolean;
  /** Where it was thrown, as printed: a path from the app's folder, or an absolute one. */
  readonly thrownIn: string | undefined;
  /** The pattern of the route handler that it was thrown in, or in what this one called. Next.js gives such an error no digest. */
  readonly route: string | undefined;
  /** Its shape is one that is printed twice: those of 14, and that of an action without JavaScript. */
  readonly isDoubled: boolean;
  /** It names its page, as in development the second print of an action without JavaScript does. */
  readonly namesPage: boolean;
  /** Errors inside of it that have a digest of their own. */
  readonly withDigests: readonly PrintedError[];
};

/** Of a page's code, or an action's. A route handler's is elsewhere, and its error is printed once, without a digest, too. */
const pageFrame = /\.next\/server\/(?:chunks\/ssr\/|app\/(?:[^)\s]{1,500}\/)?page\.js:)/;

const pageProperty = /^ {2}page: '\//;

/** A route handler's file, of the source or as it was built. */
const handlerFile = /(?:^|\/)app\/((?:.{1,500}\/)?)route\.[cm]?[jt]sx?$/;

/** Groups and slots are folders that no address has. */
function readHandlerRoute(file: string): string | undefined {
  const folders = handlerFile.exec(file)?.[1]?.split('/');
  return folders && `/${folders.filter((name) => name !== '' && !/^(?:\(.*\)|@.*)$/.test(name)).join('/')}`;
}

/** As the senders inside of apps keep. */
const textKept = 16_384;
const framesKept = 50;
const causesKept = 5;
const causeFramesKept = 10;

const label = /^(?:(Internal error)|unhandledRejection|uncaughtException): +/;
const frameHead = /^\s+at (?:async )?(?:new )?/;
const framePosition = /:(\d{1,9}):(\d{1,9})\)?$/;
const codeLine = /^\s*(?:(>)\s*)?(\d{1,9}) \|(?: (.*))?$/;
/** Next.js prints some ten. */
const codeKept = 40;
const caretLine = /^\s*\|(\s*)\^/;
const causeLine = /^(?:\s+\[cause\]|Cause): /;

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
    if (shown.length === codeKept) break;
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

/** The app that prints, whether another of its files may be read now, and those that were. */
export type Project = Running & Files;

function mapLines(lines: readonly string[], project: Project): AppErrorFrame[] {
  const frames = lines.map(readFrame).filter((frame) => frame !== undefined);
  return mapFrames(frames, project);
}

function listCauses(error: PrintedError): PrintedError[] {
  return error.causes.flatMap((cause) => [cause, ...listCauses(cause)]);
}

function writeStack({ name, message, trace }: PrintedError): string {
  return [
    message === '' ? name : `${name}: ${message.slice(0, textKept)}`,
    ...trace.map((line) => `    ${line.trim()}`),
  ].join('\n');
}

/** The cause is mostly the answer, so its frames are mapped as those of the error are. */
function describeCause(cause: PrintedError, project: Project): AppErrorCause {
  return {
    name: cause.name,
    message: cause.message.slice(0, textKept),
    stack: writeStack({ ...cause, trace: cause.trace.slice(0, framesKept) }),
    frames: mapLines(cause.trace.slice(0, causeFramesKept), project),
  };
}

/**
 * @param isMarked whether Next's mark stood before it
 */
export function readBlock(
  lines: readonly string[],
  { isMarked, project }: { isMarked: boolean; project: Project },
): LoggedError {
  const [first = '', ...rest] = lines;
  const text = first.trimStart();
  const [labelText = '', isInternal] = label.exec(text) ?? [];
  const printed = readPrintedError([text.slice(labelText.length), ...rest]);
  const trace = printed.trace.slice(0, framesKept);
  const causes = listCauses(printed);
  const files = trace.map(readFrame).flatMap((frame) => frame?.file ?? []);
  const isOuter = rest.some((line) => line.startsWith('digest:'));
  const causesAt = rest.findIndex((line) => causeLine.test(line));
  const hasBrace = !isOuter && printed.digest !== undefined;
  const code = readCode(causesAt === -1 || isOuter ? rest : rest.slice(0, causesAt), hasBrace);
  return {
    name: printed.name,
    message: printed.message.slice(0, textKept),
    stack: writeStack({ ...printed, trace }),
    digest: printed.digest,
    frames: placeCode(mapLines(trace, project), code, !isOuter),
    causes: causes.slice(0, causesKept).map((cause) => describeCause(cause, project)),
    hasStack: trace.length > 0,
    isUncaught: labelText !== '' && isInternal === undefined,
    thrownIn: files[0],
    // A page's error has a digest. Its bundler may run a module that both have from the handler's file.
    route: printed.digest === undefined ? files.map(readHandlerRoute).find((route) => route !== undefined) : undefined,
    isDoubled: !isMarked || isOuter || (printed.digest === undefined && trace.some((line) => pageFrame.test(line))),
    namesPage: rest.some((line) => pageProperty.test(line)),
    withDigests: causes.filter(({ digest }) => digest !== undefined),
  };
}

/** As `readBlock`, for an error inside of another. */
export function describeInner(
  error: PrintedError,
  project: Project,
): Pick<LoggedError, 'name' | 'message' | 'stack' | 'frames' | 'causes'> {
  const { name, message, stack } = describeCause(error, project);
  const causes = listCauses(error).slice(0, causesKept);
  return {
    name,
    message,
    stack,
    frames: mapLines(error.trace.slice(0, framesKept), project),
    causes: causes.map((cause) => describeCause(cause, project)),
  };
}
