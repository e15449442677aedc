import { isRecord } from '#boundary';

import { hideDigests, listDigests, type Block } from './find-blocks.ts';
import { isTrace } from './read-printed-error.ts';

/**
 * A log of JSON lines (pino, winston, bunyan, ECS): what it holds of an error with a digest, as `util.inspect` prints it. The error is an
 * object with the digest, or text that somebody has printed into the line.
 */
const deepest = 4;
const errorsOfLine = 20;
const errorsLooked = 1_000;
/** Of a text that has more digests, no more are told either. */
const digestsOfText = 40;
/** As of what is printed in lines. */
const linesKept = 400;
/** Where pino, bunyan, ECS, winston and others put an error. */
const errorKeys = new Set(['err', 'error', 'exception', 'cause']);
const markedText = /⨯\s*([^]*)$/u;
/** Of pino and bunyan. */
const warnLevel = 40;
/** What a logger puts before it. */
const longestPrefix = 400;
const digestText = /^[!-~]{1,64}$/;

function readText(record: Readonly<Record<string, unknown>>, ...keys: readonly string[]): string | undefined {
  return keys.map((key) => record[key]).find((value) => typeof value === 'string');
}

/** @returns undefined for what is no error */
function printError(error: unknown, depth: number): string[] | undefined {
  if (!isRecord(error) || depth > deepest) return undefined;
  const message = readText(error, 'message');
  const stack = readText(error, 'stack', 'stack_trace');
  if (message === undefined && stack === undefined) return undefined;
  const name = readText(error, 'type', 'name') ?? 'Error';
  const lines = (stack ?? `${name}: ${message}`).split('\n');
  const digest = readText(error, 'digest');
  const cause = printError(error['cause'], depth + 1);
  const properties = [
    ...(digest !== undefined && digestText.test(digest) ? [`  digest: ${JSON.stringify(digest)},`] : []),
    ...(cause ? [`  [cause]: ${cause[0]}`, ...cause.slice(1).map((line) => `  ${line}`)] : []),
  ];
  return properties.length === 0 ? lines : [...lines.slice(0, -1), `${lines.at(-1)} {`, ...properties, '}'];
}

const ofText = 2 * (deepest + 1);

type Found = {
  readonly block: Block;
  /** Lower is likelier the logger's own error. The rest of a line may be what a visitor sent, of any form. */
  readonly rank: number;
};

/** @param isNamed whether it stands where loggers put an error */
function findErrors(value: unknown, depth: number, isNamed: boolean, found: Found[]): void {
  if (found.length === errorsLooked) return;
  if (typeof value === 'string') {
    if (listDigests(value).length === 0) return;
    const marked = markedText.exec(value)?.[1];
    const lines = (marked ?? value).split('\n', linesKept);
    found.push({ block: { lines, isMarked: marked !== undefined }, rank: ofText });
    return;
  }
  if (typeof value !== 'object' || value === null || depth > deepest) return;
  const own = isRecord(value) && typeof value['digest'] === 'string' ? printError(value, depth) : undefined;
  if (own) {
    const rank = isNamed || depth === 0 ? depth : depth + deepest + 1;
    found.push({ block: { lines: own.slice(0, linesKept), isMarked: false }, rank });
    return;
  }
  // The logger's own first: what else a line has may be more than is looked at.
  const entries = Object.entries(value).map(([key, inner]) => ({ inner, isError: errorKeys.has(key) }));
  const inOrder = entries.toSorted((one, other) => Number(other.isError) - Number(one.isError));
  for (const { inner, isError } of inOrder) findErrors(inner, depth + 1, isError, found);
}

/** The errors of a line, the likeliest first. A logger often prints an error's text beside it: that has no digest of its own. */
function listErrors(json: unknown): Block[] {
  const found: Found[] = [];
  findErrors(json, 0, false, found);
  const known = new Set<string>();
  return found
    .toSorted((one, other) => one.rank - other.rank)
    .filter(({ block: { lines }, rank }) => {
      const text = lines.join('\n');
      const digests = listDigests(text);
      const isNew = rank === ofText ? digests.some((digest) => !known.has(digest)) : !known.has(text);
      for (const one of [text, ...digests]) known.add(one);
      return isNew;
    })
    .map(({ block }) => block);
}

/** All digests of a line: those of its objects, and those in its texts, as they are without JSON's escapes. */
function listAll(value: unknown, depth: number): string[] {
  if (typeof value === 'string') return listDigests(value);
  if (typeof value !== 'object' || value === null || depth > 2 * deepest) return [];
  const own = isRecord(value) && typeof value['digest'] === 'string' && digestText.test(value['digest']);
  return [
    ...(own ? [String(value['digest'])] : []),
    ...Object.values(value).flatMap((inner) => listAll(inner, depth + 1)),
  ];
}

/** Whether it tells that all is well: by the levels of pino and bunyan, winston, ECS and Google Cloud. */
function isQuiet(json: unknown): boolean {
  if (!isRecord(json)) return false;
  const ecs = isRecord(json['log']) ? json['log']['level'] : json['log.level'];
  const level = json['level'] ?? json['severity'] ?? ecs;
  if (typeof level === 'number') return level < warnLevel;
  return typeof level === 'string' && /^(?:trace|debug|verbose|silly|http|info|notice|default)$/i.test(level);
}

/** @returns undefined for a line without JSON or without a digest. A digest that is no error's leads to the line as text. */
export function readJsonLine(line: string): readonly Block[] | undefined {
  if (!line.endsWith('}') || !line.includes('digest')) return undefined;
  const from = line.indexOf('{');
  // An error that is printed with JSON in its message.
  const before = line.slice(0, Math.min(from, longestPrefix));
  if (/(?:Error|Exception)(?: \[[^\]]{0,100}\])?: /.test(before)) return undefined;
  let json: unknown;
  try {
    json = JSON.parse(line.slice(from));
  } catch {
    return undefined;
  }
  const all = [...new Set([...listAll(json, 0), ...listDigests(line)])];
  if (all.length === 0) return undefined;
  if (isQuiet(json)) {
    const withStack = listErrors(json).filter(({ lines }) => lines.some(isTrace));
    return withStack.slice(0, errorsOfLine);
  }
  const blocks = listErrors(json).slice(0, errorsOfLine);
  const read = new Set(blocks.flatMap(({ lines }) => listDigests(lines.join('\n'))));
  const others = all.filter((digest) => !read.has(digest)).slice(0, digestsOfText);
  if (others.length === 0) return blocks;
  return [
    ...blocks,
    { lines: [hideDigests(line, read), ...others.map((digest) => `(digest: '${digest}')`)], isMarked: false },
  ];
}
