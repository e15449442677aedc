import { mintEventId, type AppError } from '#src/sender/app-error.ts';
import { stripTerminalCodes } from '#src/runtime/errors/strip-terminal-codes.ts';

import { isAddition, isCode, isFrame, isHead, readBlock, type LoggedError } from './read-block.ts';

/**
 * Finds the errors that Next.js prints in an app's output, as it comes. Everything else passes by unread. The output is text of
 * anybody, so lines and blocks are bounded, and what looks like an error and never gets a stack or a digest is dropped.
 *
 * A block has no end mark of its own when nothing follows its frames. So it also ends when the output is silent for a moment.
 */
export type AppLogReader = {
  readonly write: (chunk: Uint8Array) => void;
  readonly end: () => void;
};

export type AppLogOptions = {
  /** The app's folder: the frames' paths begin there. */
  readonly root?: string;
  /** How long the output is silent before a block counts as whole; for tests. */
  readonly silenceMs?: number;
};

/** Next prints an error in one write; a pipe cuts at 64 KiB. */
const usualSilenceMs = 200;
const longestLine = 16_384;
/** A stack of 50 frames, five causes with theirs, and a long message. */
const linesInBlock = 400;
const linesInMessage = 60;
/** Next 14 prints an error a second time at once, where it makes HTML of the payload. */
const doubledWithinMs = 1_000;

type Part = 'message' | 'frames' | 'properties';

type Block = { readonly lines: string[]; part: Part; readonly isMarked: boolean };

function toPart(block: Block, line: string): Part | 'ended' | 'last' {
  const opens = block.lines.at(-1)?.endsWith('{') === true;
  switch (block.part) {
    case 'properties':
      return line === '}' ? 'last' : 'properties';
    case 'message':
      if (isFrame(line)) return 'frames';
      if (isAddition(line)) return opens ? 'properties' : 'frames';
      return block.lines.length < linesInMessage ? 'message' : 'ended';
    case 'frames':
      if (opens && /^ {2}(?:[\w$]+|\[[\w ]+\]|'[^']+'): /.test(line)) return 'properties';
      return isFrame(line) || isCode(line) || isAddition(line) ? 'frames' : 'ended';
  }
}

/** @param report called for each error, with its frames mapped */
export function createAppLogReader(report: (error: AppError) => void, options: AppLogOptions = {}): AppLogReader {
  const { root = process.cwd(), silenceMs = usualSilenceMs } = options;
  const decoder = new TextDecoder();
  let rest = '';
  let block: Block | undefined;
  let timer: NodeJS.Timeout | undefined;
  let last: { readonly stack: string; readonly digest: string | undefined; readonly time: number } | undefined;

  function isSecondPrint({ isDoubled, stack, digest }: LoggedError, time: number): boolean {
    const isSame = last?.stack === stack && last.digest === digest && time - last.time < doubledWithinMs;
    last = isSame || !isDoubled ? undefined : { stack, digest, time };
    return isSame;
  }

  function finish(): void {
    const { lines } = block ?? { lines: [] };
    block = undefined;
    if (lines.length === 0) return;
    const error = readBlock(lines, root);
    const time = Date.now();
    if (!error || (error.digest === undefined && !(error.isMarked && error.frames.length > 0))) return;
    if (isSecondPrint(error, time)) return;
    const { name, message, stack, digest, frames, causes } = error;
    const where = { phase: 'unknown', kind: 'unknown', framework: 'next', reporter: 'log' } as const;
    report({ id: mintEventId(), time, ...where, name, message, stack, digest, frames, causes });
  }

  function begin(line: string): void {
    const head = isHead(line);
    if (head === undefined) return;
    block = { lines: [line], part: 'message', isMarked: head === 'marked' };
  }

  function readLine(raw: string): void {
    const line = stripTerminalCodes(raw.slice(0, longestLine)).trimEnd();
    if (!block) return begin(line);
    const head = isHead(line);
    const isNext = head === 'marked' || (head === 'plain' && (block.part !== 'message' || !block.isMarked));
    const part = isNext && block.part !== 'properties' ? 'ended' : toPart(block, line);
    if (part === 'ended' || block.lines.length >= linesInBlock) {
      finish();
      return begin(line);
    }
    block.lines.push(line);
    if (part === 'last') finish();
    else block.part = part;
  }

  function writeText(text: string): void {
    clearTimeout(timer);
    const lines = (rest + text).split('\n');
    rest = (lines.pop() ?? '').slice(0, longestLine);
    for (const line of lines) readLine(line);
    if (block) timer = setTimeout(finish, silenceMs).unref();
  }

  return {
    write: (chunk) => writeText(decoder.decode(chunk, { stream: true })),
    end() {
      writeText(`${decoder.decode()}\n`);
      clearTimeout(timer);
      finish();
    },
  };
}
