import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';

import { mintEventId, type AppError } from '#report/sender/app-error.ts';
import { stripTerminalCodes } from '#report/strip-terminal-codes.ts';

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
/** Next.js prints some errors twice at once: 14 where it makes HTML of the payload, 15 and 16 those of an action without JavaScript. */
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

/**
 * `proxy.ts` (`middleware.ts` before 16) may throw in production. Next.js does not call `onRequestError` then. In the output the error
 * has neither a mark nor a digest, and anything that the app prints may look so. Where it was thrown says what it is: in the built
 * file `.next/server/middleware.js`, or in a chunk that this file loads.
 */
const built = '.next/server/middleware.js';
/** Of Turbopack it is a list of chunks; of webpack, which puts all into it, the name of the file is enough. */
const largestList = 64 * 1024;

function readList(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found?.isFile() || found.size > largestList) return '';
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // A build replaces it at this moment.
    return '';
  }
}

/** @param thrownIn as printed: from the app's folder, or absolute */
function isLoadedByProxy(root: string, thrownIn: string | undefined): boolean {
  if (thrownIn === undefined) return false;
  const inApp = path.relative(root, path.resolve(root, thrownIn)).split(path.sep).join('/');
  if (inApp === built) return true;
  const chunk = /^\.next\/(server\/chunks\/[^/]+\.js)$/.exec(inApp)?.[1];
  return chunk !== undefined && readList(path.join(root, built)).includes(`"${chunk}"`);
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
    if (!error) return;
    const isMarked = error.isMarked && error.frames.length > 0;
    const isOfProxy = error.digest === undefined && isLoadedByProxy(root, error.thrownIn);
    if (error.digest === undefined && !isMarked && !isOfProxy) return;
    if (!isOfProxy && isSecondPrint(error, time)) return;
    const { name, message, stack, digest, frames, causes } = error;
    const phase = isOfProxy ? 'proxy' : 'unknown';
    const where = { phase, kind: 'unknown', framework: 'next', reporter: 'log' } as const;
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
