import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';

import { isDigest } from '#report/digest.ts';
import { maskedText, mayBeOfOne } from '#report/masked-text.ts';
import { nextDigest } from '#report/next-digest.ts';
import { mintEventId, type AppError } from '#report/sender/app-error.ts';
import { isControlFlow } from '#report/sender/control-flow.ts';
import type { Running } from '#report/sender/map-frames.ts';
import { stripTerminalCodes } from '#report/strip-terminal-codes.ts';
import { readThrownAt } from '#report/thrown-at.ts';
import { createBuckets } from '#src/server/http/token-bucket.ts';

import { createBlockFinder, listDigests, type Block } from './find-blocks.ts';
import { isOfPrerenderedPage } from './is-of-prerendered-page.ts';
import { describeInner, readBlock, type LoggedError, type Project } from './read-block.ts';
import { readJsonLine } from './read-json-line.ts';

/**
 * Finds the errors that Next.js prints in an app's output, as it comes. The output is text of anybody, so lines and blocks are bounded,
 * and what looks like an error and never gets a stack or a digest is dropped. **No digest that was printed is lost**: where its error
 * could not be read, it leads to the text that it stood in.
 */
export type AppLogReader = {
  readonly write: (chunk: Uint8Array) => void;
  readonly end: () => void;
};

export type AppLogOptions = {
  /** The app's folder: the frames' paths begin there. */
  readonly root?: string;
  /** Of the process that prints now. */
  readonly readStartedAt?: () => Running['startedAt'];
  /** How long the output is silent before a block counts as whole; for tests. */
  readonly silenceMs?: number;
};

/** Next prints an error in one write; a pipe cuts at 64 KiB. */
const usualSilenceMs = 200;
const longestLine = 16_384;
/** Of JSON: a logger puts the error behind what the visitor has sent, or before it. */
const longestJson = 256 * 1024;
/**
 * Next.js prints some errors twice at once: 14 where it makes HTML of the payload, 15 and 16 those of an action without JavaScript, and
 * those of a prerendered page.
 */
const doubledWithinMs = 1_000;

/**
 * `proxy.ts` (`middleware.ts` before 16) may throw in production. Next.js does not call `onRequestError` then. In the output the error
 * has neither a mark nor a digest, and anything that the app prints may look so. Where it was thrown says what it is: in the built
 * file `.next/server/middleware.js`, or in a chunk that this file loads.
 */
const built = '.next/server/middleware.js';
/** Of Turbopack it is a list of chunks; of webpack, which puts all into it, the name of the file is enough. */
const largestList = 64 * 1024;

let lastList: { readonly file: string; readonly modified: number; readonly text: string } | undefined;

function readList(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found?.isFile() || found.size > largestList) return '';
  if (lastList?.file === file && lastList.modified === found.mtimeMs) return lastList.text;
  try {
    lastList = { file, modified: found.mtimeMs, text: readFileSync(file, 'utf8') };
    return lastList.text;
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

/**
 * An error of a route handler of 15 has neither a mark nor a digest, too. The built file says where it was thrown. An app that catches such
 * an error and prints it does the same.
 */
const routeFile = /(?:^|\/)\.next\/server\/app\/(?:.{1,500}\/)?route\.js$/;

/** `register` of `instrumentation.ts` threw: every answer is 500, and Next.js prints this twice for each. */
const ofStart = /^An error occurred while loading instrumentation hook: /;

/**
 * What is printed may be a visitor's text, and name any of the app's files. Reading a map stops what is forwarded, for some 10 ms a
 * megabyte: 12 MiB at once, and then one a second. Frames of files beyond stay as they were printed.
 */
const partBytes = 64 * 1024;
const partsRead = { size: 192, perSecond: 16 };

type Told = Pick<AppError, 'name' | 'message' | 'stack' | 'frames' | 'causes' | 'digest' | 'route'>;

/** Of a block, and of all blocks of a JSON line. */
const digestsInBlock = 20;
const textKept = 8_000;

/** Text without frames is an error for its digest alone: Next's, or one that an app mints. Another may be of a picture, or of a parcel. */
function mayBeError({ digest = '', stack = '' }: Pick<Told, 'digest' | 'stack'>): boolean {
  return /\n {4}at /.test(stack) || nextDigest.test(digest) || isDigest(digest);
}

/**
 * Lists what the block's other digests lead to: an error inside of the error, or the text as it is. Next.js prints an error's digest with
 * it. There, what else looks like a digest is text.
 */
function listOthers(block: Block, error: LoggedError, project: Project, most: number): Told[] {
  const { isMarked } = block;
  const isOwn = error.digest !== undefined;
  const inner = error.withDigests
    .filter(({ digest }) => digest !== error.digest)
    .slice(0, most)
    .map((one) => ({ ...describeInner(one, project), digest: one.digest }));
  const known = new Set([error.digest, ...inner.map(({ digest }) => digest)]);
  // Where the error has its own, what looks like one in its message is text of the app.
  const whole = block.lines.join('\n');
  const text = isOwn ? whole.replace(error.message, '') : whole;
  const unread = isMarked && isOwn ? [] : [...new Set(listDigests(text))].filter((digest) => !known.has(digest));
  const plain = { name: 'Error', message: text.slice(0, textKept), stack: '', frames: [], causes: [] };
  return [...inner, ...unread.map((digest) => ({ ...plain, digest }))]
    .filter((one) => one.digest !== error.digest && !isControlFlow({ digest: one.digest }) && mayBeError(one))
    .slice(0, most);
}

/** Digests of errors that Next printed, the latest. A fault of an app has one, or a few. */
const digestsKept = 1_000;
/** What was printed with one digest, the latest. */
const textsOfDigest = 5;
const textCompared = 500;
/** An app names a digest beside the print of Next: both are of one request. */
const namedWithinMs = 2_000;

/** A part of a text keeps the whole text in memory, and what is kept here may be of a megabyte. */
function copy(part: string): string {
  return Buffer.from(part, 'utf16le').toString('utf16le');
}

type PrintedByNext = { readonly message: string; readonly thrownAt: string; readonly time: number };

/** @param report called for each error, with its frames mapped */
export function createAppLogReader(report: (error: AppError) => void, options: AppLogOptions = {}): AppLogReader {
  const { root = process.cwd(), silenceMs = usualSilenceMs, readStartedAt = () => 'remade' } = options;
  const take = createBuckets({ own: partsRead, shared: partsRead });
  function mayRead(bytes: number): boolean {
    if (take(undefined) > 0) return false;
    take(undefined, Math.floor(bytes / partBytes));
    return true;
  }
  const decoder = new TextDecoder();
  const blocks = createBlockFinder(finish);
  let rest = '';
  let timer: NodeJS.Timeout | undefined;
  let last: (Pick<LoggedError, 'stack' | 'digest' | 'isDoubled'> & { readonly time: number }) | undefined;

  function isSecondPrint({ isDoubled, namesPage, stack, digest, message }: LoggedError, time: number): boolean {
    const isSame = last?.stack === stack && last.digest === digest && time - last.time < doubledWithinMs;
    const isSecond = isSame && (last?.isDoubled === true || namesPage);
    const isFirst = isDoubled || ofStart.test(message) || isOfPrerenderedPage(root, stack);
    last = isSecond ? undefined : { stack, digest, time, isDoubled: isFirst };
    return isSecond;
  }

  const printedByNext = new Map<string, readonly PrintedByNext[]>();

  /**
   * Many apps print what `onRequestError` gives them, with words of their own: it is the error that Next has printed. One that says
   * something else, or was thrown elsewhere, is told: what Next seems to have printed with its digest may be a visitor's text.
   */
  function isOfApp({ isMarked }: Block, { digest, message, stack = '' }: Told, time: number): boolean {
    const known = isMarked || digest === undefined ? undefined : printedByNext.get(digest);
    if (!known) return false;
    const thrownAt = readThrownAt(stack);
    if (thrownAt === '') {
      // It adds nothing to one that has a stack and says the same. Nor does a text that the digest stands in.
      const adds = (one: PrintedByNext) => !message.includes(digest ?? '') && !mayBeOfOne(one.message, message);
      return known.some((one) => time - one.time < namedWithinMs || (one.thrownAt !== '' && !adds(one)));
    }
    return known.some((one) => one.thrownAt === thrownAt && mayBeOfOne(one.message, message));
  }

  function noteOfNext({ isMarked }: Block, { digest, message, stack = '' }: Told, time: number): void {
    // Where Next prints React's text in place of the message, what the app prints of the same error says more.
    if (!isMarked || digest === undefined || maskedText.test(message)) return;
    const said = { message: copy(message.slice(0, textCompared)), thrownAt: copy(readThrownAt(stack)), time };
    const isSame = (one: PrintedByNext) => one.message === said.message && one.thrownAt === said.thrownAt;
    const others = (printedByNext.get(digest) ?? []).filter((one) => !isSame(one));
    printedByNext.delete(digest);
    printedByNext.set(copy(digest), [said, ...others].slice(0, textsOfDigest));
    const [oldest] = printedByNext.keys();
    if (printedByNext.size > digestsKept && oldest !== undefined) printedByNext.delete(oldest);
  }

  function tell(
    { name, message, stack, digest, frames, causes, route }: Told,
    phase: AppError['phase'],
    time: number,
  ): void {
    const where = { phase, kind: 'unknown', framework: 'next', reporter: 'log' } as const;
    report({ id: mintEventId(), time, ...where, name, message, stack, digest, frames, causes, route });
  }

  /** @returns how many errors were told that stand inside of it, `most` of them */
  function finish(block: Block, time: number, most = digestsInBlock): number {
    const { isMarked } = block;
    const project = { root, startedAt: readStartedAt(), mayRead, sources: new Map() };
    const error = readBlock(block.lines, { isMarked, project });
    const isError = isMarked && (error.hasStack || error.isUncaught);
    const isBare = !isError && error.digest === undefined && block.hasWords !== true;
    const isOfProxy = isBare && isLoadedByProxy(root, error.thrownIn);
    const isOfRoute = isBare && routeFile.test(error.thrownIn ?? '');
    const isOfStart = isBare && ofStart.test(error.message);
    const isTold =
      error.digest === undefined
        ? isError || isOfProxy || isOfRoute || isOfStart
        : !isControlFlow({ digest: error.digest }) && (isMarked || mayBeError(error));
    const isKnown = isOfApp(block, error, time);
    if (isTold && !isOfProxy && !isOfRoute && !isKnown && isSecondPrint(error, time)) return 0;
    const others = listOthers(block, error, project, most).filter((other) => !isOfApp(block, other, time));
    if (isTold && !isKnown) tell(error, isOfProxy ? 'proxy' : error.route === undefined ? 'unknown' : 'route', time);
    for (const other of others) tell(other, 'unknown', time);
    for (const one of [error, ...others]) noteOfNext(block, one, time);
    return others.length;
  }

  function writeLine(line: string): void {
    const ofJson = blocks.isInMessage() ? undefined : readJsonLine(line);
    if (!ofJson) blocks.write(line.slice(0, longestLine));
    (ofJson ?? []).reduce((left, block) => left - finish(block, Date.now(), left), digestsInBlock);
  }

  function writeText(text: string): void {
    clearTimeout(timer);
    const lines = (rest + text).split('\n');
    rest = (lines.pop() ?? '').slice(0, longestJson);
    for (const line of lines) writeLine(stripTerminalCodes(line.slice(0, longestJson)).trimEnd());
    // An error is printed in one write, and read before a build can replace the files that it names.
    if (rest === '') blocks.finishClosed();
    if (blocks.isOpen()) timer = setTimeout(blocks.finish, silenceMs).unref();
  }

  return {
    write: (chunk) => writeText(decoder.decode(chunk, { stream: true })),
    end() {
      writeText(`${decoder.decode()}\n`);
      clearTimeout(timer);
      blocks.finish();
    },
  };
}
