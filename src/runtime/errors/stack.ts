/**
 * V8's `error.stack` as frames. The text is `Name: message` followed by lines `    at fn (file:line:column)` or
 * `    at file:line:column`. A message is anything, lines that look like frames included, so it is cut off first: what
 * a visitor can put into a message must not choose which files are looked at.
 * Format: https://v8.dev/docs/stack-trace-api
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

/** React's stacks for deeply nested trees run to hundreds of frames; the cause is at the top. */
const framesKept = 50;
const framePattern =
  /^\s+at (?:async )?(?:new )?(?:([^(]*?) \()?((?:file:\/\/|https?:\/\/|node:|\/|[A-Za-z]:[\\/]).*?):(\d+):(\d+)\)?$/;

/** The frames of `stack`, innermost first; unparsable lines are left out. `message` is the error's, whole. */
export function parseStack(stack: string, message = ''): StackFrame[] {
  const messageAt = stack.indexOf(message);
  const traced = messageAt === -1 ? stack : stack.slice(messageAt + message.length);
  const frames: StackFrame[] = [];
  for (const line of traced.split('\n')) {
    if (frames.length === framesKept) break;
    const match = framePattern.exec(line);
    if (!match) continue;
    const [, fn = '', file = '', lineNumber, column] = match;
    frames.push({ fn, file, line: Number(lineNumber), column: Number(column) });
  }
  return frames;
}
