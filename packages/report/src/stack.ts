/**
 * V8's `error.stack` as frames. The text is `Name: message` followed by lines ` at fn (file:line:column)` or ` at
 * file:line:column`. A message may contain anything, also lines that look like frames. So it is cut off first: a
 * visitor's text in a message must not choose which files are read. Format: https://v8.dev/docs/stack-trace-api
 */
export type StackFrame = {
  /** The function's name as V8 prints it, without `async` and `new`; empty for top-level code. */
  readonly fn: string;
  /** A path, a `file:` URL, an `http:` URL, or `node:…`. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
};

/** React's stacks for deeply nested trees have hundreds of frames. The cause is at the top. */
const framesKept = 50;
const framePattern =
  /^\s+at (?:async )?(?:new )?(?:([^(]*?) \()?((?:file:\/\/|https?:\/\/|node:|\/|[A-Za-z]:[\\/]).*?):(\d{1,9}):(\d{1,9})\)?$/;

/** Where the message was changed after the stack was made, nobody knows where the old one ends: the frames are the last lines. */
function takeLast(lines: readonly string[]): readonly string[] {
  const end = lines.findLastIndex((line) => line.trim() !== '');
  const before = lines.findLastIndex((line, index) => index <= end && !/^\s+at /.test(line));
  return lines.slice(before + 1);
}

/**
 * The frames of `stack`, innermost first. Lines that cannot be parsed are left out. `message` is the error's whole
 * message.
 */
export function parseStack(stack: string, message = ''): StackFrame[] {
  const messageAt = stack.indexOf(message);
  const lines = stack.slice(messageAt === -1 ? 0 : messageAt + message.length).split('\n');
  const frames: StackFrame[] = [];
  for (const text of messageAt === -1 ? takeLast(lines) : lines) {
    if (frames.length === framesKept) break;
    const match = framePattern.exec(text);
    if (!match) continue;
    const [, fn = '', file = '', ...position] = match;
    const [line = 0, column = 0] = position.map(Number);
    // V8 counts from 1. A 0 was written by something else.
    if (line > 0 && column > 0) frames.push({ fn, file, line, column });
  }
  return frames;
}
