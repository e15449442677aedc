import { isCode, isOuter, isTrace, opensProperties } from './read-printed-error.ts';

/**
 * Finds in an app's output, line by line, the lines that are one printed error: a block.
 *
 * A block begins with Next's mark; or with the first line of a stack, or with a digest, and then what was printed before is searched
 * for its head. It ends with its closing brace, unless a frame follows; with a line that does not belong to it; or when the output is
 * silent for a moment: a block without properties has no end mark of its own.
 *
 * The output of several apps may be mixed, each line with a prefix: `web:start: `, `apps/web start: `, `[0] `, `web-1  | `, a time. No
 * tool's form is known here. What stands before the mark, the stack's first line or the digest is the block's prefix, its digits taken as
 * any; lines with another prefix are of another block. Before a mark it may also be what a logger puts before each text, and not before
 * each line: `[ERROR] ⨯ Error: …`, and then bare frames. The first frame says which it is.
 */
export type Block = {
  readonly lines: readonly string[];
  /** It began with Next's mark. Without one and without a digest it may be anything that the app printed. */
  readonly isMarked: boolean;
  /** Words of the app stood before it. */
  readonly hasWords?: boolean;
};

/** @param printedAt when its first line came, in milliseconds since 1970: its end is known later, when the output was silent */
type Found = (block: Block, printedAt: number) => void;

/** `closed`: by a brace or an empty line, which may be a message's. A frame in the next line says so. */
type Part = 'message' | 'trace' | 'properties' | 'closed';
type OpenBlock = {
  prefix: Prefix;
  readonly lines: string[];
  readonly isMarked: boolean;
  readonly hasWords: boolean;
  readonly printedAt: number;
  part: Part;
  seen: number;
  /** The latest of its lines, which may not be kept. */
  last: string;
  /** How many characters are kept. */
  length: number;
  /** How many lines were kept where there was no more room. */
  beyond: number;
  /** How many lines of nobody came since its only line: of its message, where its prefix turns out to be none. */
  between: number;
};

/** Gives what stands behind the prefix; undefined for a line that does not have it. */
type Prefix = { readonly text: string; readonly strip: (line: string) => string | undefined };

/** A stack of 50 frames, five causes with theirs, and a long message. Of what follows in a larger error its own properties are kept. */
const linesKept = 400;
const linesSeen = 20_000;
/** Beyond it lines are cut: there is room for a digest and for most frames. */
const blockLength = 128 * 1024;
const cutLine = 300;
/** Lines with a digest, and those that open the properties, are kept behind all that a message can have. */
const keptBeyond = 40;
const linesInMessage = 60;
/** Where a head is searched for. */
const recentKept = 60;
const openMost = 16;
/** More than are told of a block. */
const digestsInText = 100;

/** Of `after()`, Next.js prints a sentence in the place of its mark. */
const markLine = /^(.{0,100}?)(?:⨯|An error occurred in a function passed to `after\(\)`:)\s*(.*)$/u;
const traceHead = /^(.{0,100}?)\s{2,40}at (?=\S)/;
const traceEnd = /(?::\d{1,9}:\d{1,9}|<anonymous>|native|ignore-listed frames)\)?,?(?: \{)?$/;
/** What `traceEnd` matches is shorter. */
const endLength = 40;
const longestTrace = 1_200;
/** In a log of JSON lines its name is quoted, too. */
const digestPattern = /(?<![\w$.-])(['"]?)digest\1: ?(['"`])([!-~]{1,64}?)\2/g;
const prefixEnd = /(?:[:|\]>)»\d-]|[AP]M|Z| [FP])$/;
const capitalHead = /^ ?\[?(?:[\p{L}_$][\w$]*\.)*\p{Lu}[\w$]*(?: \[[^\]]*\])?(?::|$)/u;
const anyHead = /^ ?\[?\p{L}[\w$]*(?: \[[^\]]*\])?:(?: |$)/u;

/** A name that ends as those of errors do, to where its message begins. */
const named = String.raw`\[?(?:[\w$]{1,100}\.){0,5}[\w$]{0,100}(?:Error|Exception)(?: \[[^\]]{0,100}\])?`;
const namedHead = new RegExp(String.raw`^ ?${named}(?::|$)`, 'u');
/** What an app prints before an error: `console.error('request failed:', path, error)`. */
const wordsBefore = new RegExp(String.raw`^\S.{0,300}?[ \t](?=${named}(?::(?: |$)|\]?$))`, 'u');

/**
 * Gives what stands before a frame. The end is looked at first, and the beginning alone: a line is anybody's, and each place where a frame
 * may begin in it, with each place where it may end, takes milliseconds for a line that was made for it.
 */
function findBeforeTrace(line: string): string | undefined {
  if (line.length > longestTrace || !traceEnd.test(line.slice(-endLength))) return undefined;
  return traceHead.exec(line)?.[1];
}

/** A person's, and not what a logger puts before each text. */
const sentence = /\b[a-z]{2,} [a-z]{2,} [a-z]{2,}\b/;

const inlineHead = /(?<!\S)\[[\p{L}_$][\w$.]{0,200}(?: \[[^\]]{0,100}\])?(?=: |\] \{ )/gu;

/**
 * Finds `[Name: message] { digest: '1' }`, whatever stands before it. A line is anybody's text, and one pattern for all of it takes
 * minutes for a line that was made for it. So its parts are looked for in turn.
 */
function findInlineError(line: string): string | undefined {
  if (!line.endsWith('}')) return undefined;
  const properties = line.lastIndexOf('] { ');
  for (const { 0: head, index } of line.matchAll(inlineHead)) {
    const end = index + head.length;
    if (line.startsWith(']', end) || end < properties) return line.slice(index);
  }
  return undefined;
}

/** @returns the text without these digests, where they stand as an object's property is printed */
export function hideDigests(text: string, digests: ReadonlySet<string>): string {
  return text.replace(digestPattern, (property: string, ...[, , digest]: string[]) =>
    digest !== undefined && digests.has(digest) ? property.replace(digest, '…') : property,
  );
}

/** The digests that stand in a text, as an object's property is printed. */
export function listDigests(text: string): string[] {
  const found: string[] = [];
  for (const [, , , digest = ''] of text.matchAll(digestPattern)) {
    if (found.push(digest) === digestsInText) break;
  }
  return found;
}

const noPrefix: Prefix = { text: '', strip: (line) => line };

function createPrefix(before: string): Prefix {
  const text = before.trimEnd();
  if (text === '') return noPrefix;
  const pattern = text.replace(/\d/g, '0');
  const hasPrefix = (line: string): boolean =>
    line.slice(0, text.length).replace(/\d/g, '0') === pattern && /^[ \t]?$/.test(line.charAt(text.length));
  return { text: pattern, strip: (line) => (hasPrefix(line) ? line.slice(text.length + 1) : undefined) };
}

/** Whether `first` is what `whole` begins with, in words. */
function isPartOf(first: Prefix, whole: Prefix): boolean {
  return first.text === '' || (whole.text.startsWith(first.text) && /[ \t]/.test(whole.text.charAt(first.text.length)));
}

function isBracketed({ lines: [head = ''] }: OpenBlock): boolean {
  return /^(?:[\w ]{1,40}: +)?(?:<ref \*\d{1,9}> )?\[/.test(head);
}

function toPart(block: OpenBlock, line: string): Part | 'ended' {
  const opens = opensProperties(block.last);
  switch (block.part) {
    case 'properties':
      return line.startsWith('}') ? 'closed' : 'properties';
    case 'closed':
      return isTrace(line) ? 'trace' : 'ended';
    case 'message':
      if (isTrace(line)) return 'trace';
      // Without a stack, `inspect` prints the error in brackets. Any other line of a message may end with a brace.
      if (opens && isBracketed(block) && /^ {2}\S/.test(line)) return 'properties';
      if (isOuter(line)) return 'trace';
      // Of a longer one the first lines are kept, and its stack is waited for.
      return block.isMarked || block.lines.length < linesInMessage ? 'message' : 'ended';
    case 'trace':
      if (opens && /^ {2,}\S/.test(line)) return 'properties';
      if (line === '') return 'closed';
      return isTrace(line) || isCode(line) || isOuter(line) ? 'trace' : 'ended';
  }
}

function keepLine(block: OpenBlock, text: string): void {
  block.last = text;
  const { length: count } = block.lines;
  const hasRoom =
    block.part === 'message' && !isTrace(text)
      ? count < linesInMessage
      : count < linesKept || (count < 2 * linesKept && /^(?: {2})?\S/.test(text));
  if (!hasRoom) {
    if (block.beyond === keptBeyond || !(opensProperties(text) || listDigests(text).length > 0)) return;
    block.beyond += 1;
  }
  const line = block.length < blockLength ? text : text.slice(0, cutLine);
  block.length += line.length;
  block.lines.push(line);
}

/** A mark in a text, a property or a line of code is none of an error. */
function isNextError({ part }: OpenBlock, line: string): boolean {
  const [, beforeMark, text = ''] = markLine.exec(line) ?? [];
  if (beforeMark === undefined || isCode(line) || (part === 'properties' && /^ {2}/.test(line))) return false;
  const before = beforeMark.trimEnd();
  return before === '' || prefixEnd.test(before) || namedHead.test(text);
}

export type BlockFinder = {
  readonly write: (line: string) => void;
  /** Ends what is open. */
  readonly finish: () => void;
  /** Ends what a brace has closed. */
  readonly finishClosed: () => void;
  readonly isOpen: () => boolean;
  /** An error that Next.js prints has begun, and its stack has not come yet. */
  readonly isInMessage: () => boolean;
};

/** The blocks that are open: those with a prefix, the oldest first, then the one without. */
function createOpenBlocks(found: Found) {
  const open: OpenBlock[] = [];

  function close(block: OpenBlock): void {
    open.splice(open.indexOf(block), 1);
    found(block, block.printedAt);
  }

  function start(prefix: Prefix, lines: string[], part: Part, isMarked: boolean, hasWords = false): void {
    for (const other of open.filter(({ prefix: { text } }) => text === prefix.text)) close(other);
    const [oldest] = open;
    if (oldest && open.length >= openMost) close(oldest);
    const length = lines.reduce((sum, line) => sum + line.length, 0);
    const last = lines.at(-1) ?? '';
    const begun = { seen: lines.length, last, length, beyond: 0, between: 0, printedAt: Date.now() };
    add({ prefix, lines, part, isMarked, hasWords, ...begun });
  }

  function add(block: OpenBlock): void {
    const isBareLast = block.prefix.text !== '' && open.at(-1)?.prefix.text === '';
    open.splice(isBareLast ? open.length - 1 : open.length, 0, block);
  }

  return { open, close, start, add };
}

export function createBlockFinder(found: Found): BlockFinder {
  const { open, close, start, add } = createOpenBlocks(found);
  let recent: string[] = [];

  /** Takes the lines of the head out of what was printed before, without words of the app. */
  function takeHead(prefix: Prefix): { readonly lines: readonly string[]; readonly hasWords: boolean } {
    const stripped = recent.map((line) => ({ line, text: prefix.strip(line) }));
    const own = stripped.flatMap(({ text }) => (text === undefined ? [] : [text]));
    const at = [namedHead, wordsBefore, capitalHead, anyHead]
      .map((pattern) => own.findLastIndex((line) => pattern.test(line)))
      .find((index) => index !== -1);
    recent = stripped.flatMap(({ line, text }) => (text === undefined ? [line] : []));
    for (const block of open) block.between = 0;
    // Without a head it is the last text: a logger may leave lines empty between that and the stack.
    const lastText = own.findLastIndex((line) => line.trim() !== '');
    const [first = '', ...others] = at === undefined ? own.slice(lastText, lastText + 1) : own.slice(at);
    if (own.length === 0) return { lines: [], hasWords: false };
    const [words = ''] = wordsBefore.exec(first) ?? [];
    return { lines: [first.slice(words.length), ...others], hasWords: sentence.test(words) };
  }

  /** What stands before a frame or a digest is a prefix where it ends as one, or where another line has it. */
  function findPrefix(before: string): Prefix | undefined {
    const prefix = createPrefix(before);
    // As a part of an error begins no prefix does: who gets one printed would take the lines of the next error.
    const isOfError = /^(?:\s|[})\]]|(?:at|digest|Cause)\b)/.test(prefix.text);
    const isOne =
      prefix.text === '' ||
      prefixEnd.test(prefix.text) ||
      (!/["'`{,]$/.test(prefix.text) && recent.some((line) => prefix.strip(line) !== undefined));
    return isOne && !isOfError && listDigests(before).length === 0 ? prefix : undefined;
  }

  function startBelow(line: string, before: string): boolean {
    const prefix = findPrefix(before);
    if (!prefix) return false;
    const text = prefix.strip(line) ?? line;
    const isProperty = /^ {2}\S/.test(text) && !isTrace(text);
    const { lines: head, hasWords } = takeHead(prefix);
    // What stands in one line is its own head.
    const lines = head.length === 0 || (!/^\s/.test(text) && !isOuter(text)) ? [text] : [...head, text];
    start(prefix, lines, isProperty && lines.length > 1 ? 'properties' : 'trace', false, hasWords);
    return true;
  }

  function begin(line: string): void {
    const [, beforeMark, text = ''] = markLine.exec(line) ?? [];
    if (beforeMark !== undefined && listDigests(beforeMark).length === 0) {
      const isWhole = findInlineError(text) !== undefined;
      // What follows is none of it: its properties stand in the same line.
      if (isWhole) found({ lines: [text], isMarked: true }, Date.now());
      else start(createPrefix(beforeMark), [text], 'message', true);
      return;
    }
    const beforeTrace = findBeforeTrace(line);
    if (beforeTrace !== undefined && startBelow(line, beforeTrace)) return;
    const [digest] = line.matchAll(digestPattern);
    if (digest) {
      if (startBelow(line, line.slice(0, digest.index))) return;
      start(noPrefix, [findInlineError(line) ?? line], 'trace', false);
      return;
    }
    recent.push(line);
    if (recent.length > recentKept) recent.shift();
    for (const block of open) block.between += 1;
  }

  /**
   * Below a line with a mark comes a frame with less before it, or nothing: the rest of what stood before the mark is no prefix, but what a
   * logger puts before each text. Lines between the two are of the message.
   */
  function shortenPrefix(block: OpenBlock, line: string): void {
    const before = isTrace(line) ? '' : findBeforeTrace(line);
    if (before === undefined) return;
    const prefix = createPrefix(before);
    if (!isPartOf(prefix, block.prefix) || open.some((other) => other.prefix.text === prefix.text)) return;
    const since = block.between === 0 ? [] : recent.slice(-block.between);
    // It is of an error that somebody else has printed meanwhile.
    if (since.some((one) => namedHead.test(prefix.strip(one) ?? ''))) return;
    open.splice(open.indexOf(block), 1);
    block.prefix = prefix;
    add(block);
    const between = block.between === 0 ? [] : recent.splice(-block.between);
    for (const one of between) {
      const text = prefix.strip(one);
      if (text === undefined) recent.push(one);
      else if (block.lines.length < linesInMessage) block.lines.push(text);
    }
    for (const other of open) other.between = 0;
  }

  /** @returns whether the line is of the block, or has ended it and is dealt with */
  function continueBlock(block: OpenBlock, line: string): boolean {
    if (block.isMarked && block.seen === 1 && block.prefix.strip(line) === undefined) shortenPrefix(block, line);
    const text = block.prefix.strip(line);
    if (text === undefined) return false;
    const part = isNextError(block, text) ? 'ended' : toPart(block, text);
    block.seen += 1;
    if (part === 'ended' || block.seen > linesSeen) {
      close(block);
      begin(line);
      return true;
    }
    keepLine(block, text);
    block.part = part;
    return true;
  }

  /** What is closed waits for the next line, and for no other. */
  function endClosed(line: string): void {
    for (const block of open.filter(({ part }) => part === 'closed')) {
      if (!isTrace(block.prefix.strip(line) ?? '')) close(block);
    }
  }

  return {
    write(line) {
      endClosed(line);
      if (!open.some((block) => continueBlock(block, line))) begin(line);
    },
    finish() {
      for (const block of open.slice()) close(block);
    },
    finishClosed() {
      for (const block of open.filter(({ part, last }) => part === 'closed' && last !== '')) close(block);
    },
    isOpen: () => open.length > 0,
    isInMessage: () =>
      open.some(
        ({ prefix, isMarked, part, lines }) =>
          prefix.text === '' && isMarked && part === 'message' && namedHead.test(lines[0] ?? ''),
      ),
  };
}
