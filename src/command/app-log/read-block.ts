import type { AppErrorCause, AppErrorFrame } from '#src/sender/app-error.ts';
import { mapFrames } from '#src/sender/map-frames.ts';
import type { StackFrame } from '#src/runtime/errors/stack.ts';

/**
 * One error as Next.js prints it, from its first line to its last. The shapes, colours taken off:
 *
 * - 15 and 16: `⨯ Error: text`, frames with paths from the app's folder, then what `util.inspect` adds: ` {`, `  digest: '…'`,
 *   `  [cause]: …`, `}`. In development a code frame stands between the frames and the brace.
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
  /** Next 14's shapes, which are printed twice. */
  readonly isDoubled: boolean;
};

/** As the senders inside of apps keep. */
const framesKept = 50;
const causesKept = 5;

const headPattern =
  /^\s{0,2}(⨯ )?\s*(?:unhandledRejection: |uncaughtException: )?\[?((?:[A-Z_$][\w$]*\.)*[A-Z_$][\w$]{0,100})(?: \[[\w -]{1,60}\])?: (.*)$/;
const framePattern =
  /^\s+at (?:async )?(?:new )?(?:(.*?) \()?([^()\s][^()]*?|\/.*?|\.next\/.*?):(\d+):(\d+)\)?,?(?: \{)?$/;
const anyFrame = /^\s+at \S/;
const codeLine = /^\s*(>)?\s*(\d+) \|(?: (.*))?$/;
const caretLine = /^\s*\|(\s*)\^/;
const digestLine = /^(?: {2})?digest: ['"]([!-~]{1,64})['"],?$/;
const causeLine =
  /^(?:\s+\[cause\]|Cause): \[?(?:((?:[A-Z_$][\w$]*\.)*[A-Z_$][\w$]{0,100})(?: \[[\w -]{1,60}\])?: )?(.*)$/;

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

function readFrame(line: string): StackFrame | undefined {
  const match = framePattern.exec(line);
  if (!match) return undefined;
  const [, fn = '', file = '', row, column] = match;
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

function readCauses(lines: readonly string[]): AppErrorCause[] {
  const causes: { name: string; message: string; stack: string }[] = [];
  for (const line of lines) {
    const match = causeLine.exec(line);
    const current = causes.at(-1);
    if (match) {
      const [, name = 'Error', message = ''] = match;
      causes.push({ name, message, stack: `${name}: ${message}` });
    } else if (current && anyFrame.test(line)) current.stack += `\n    ${line.trim()}`;
  }
  return causes.slice(0, causesKept);
}

/** @param root the app's folder @returns undefined when it is no error after all */
export function readBlock(lines: readonly string[], root: string): LoggedError | undefined {
  const head = headPattern.exec(lines[0] ?? '');
  if (!head) return undefined;
  const [, mark, name = '', firstLine = ''] = head;
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
  const frames = mapFrames(
    own.map(readFrame).filter((frame) => frame !== undefined),
    root,
  );
  const code = readCode(causesAt === -1 || isOuter ? body : body.slice(0, causesAt), !isOuter && digest !== undefined);
  return {
    name,
    message,
    stack: [`${name}: ${message}`, ...own.map((line) => line.replace(/ \{$/, ''))].join('\n'),
    digest,
    frames: placeCode(frames, code, !isOuter),
    causes: readCauses(causesAt === -1 ? [] : body.slice(causesAt)),
    isMarked: mark !== undefined,
    isDoubled: mark === undefined || isOuter,
  };
}
