import { isRecord } from '#boundary';

import { listDigests, type Block } from './find-blocks.ts';

/**
 * A log of JSON lines (pino, winston, bunyan, ECS): what it holds of an error with a digest, as `util.inspect` prints it. The error is an
 * object with the digest, or text that somebody has printed into the line.
 */
const deepest = 4;
const errorsOfLine = 5;
const markedText = /⨯\s*([^]*)$/u;
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

function findErrors(value: unknown, depth: number): Block[] {
  if (typeof value === 'string') {
    if (listDigests(value).length === 0) return [];
    const marked = markedText.exec(value)?.[1];
    return [{ lines: (marked ?? value).split('\n'), isMarked: marked !== undefined }];
  }
  if (typeof value !== 'object' || value === null || depth > deepest) return [];
  const own = isRecord(value) && typeof value['digest'] === 'string' ? printError(value, depth) : undefined;
  if (own) return [{ lines: own, isMarked: false }];
  return Object.values(value).flatMap((inner) => findErrors(inner, depth + 1));
}

/**
 * The errors of a line, each digest once: a logger often prints an error's text beside it. What stands where loggers put an error goes
 * first, since the rest of a line may be what a visitor sent.
 */
function listErrors(json: unknown): Block[] {
  const own = isRecord(json) && readText(json, 'digest') === undefined ? json : {};
  const ofLogger = ['err', 'error'].flatMap((key) => findErrors(own[key], 1));
  const known = new Set<string>();
  return [...ofLogger, ...findErrors(json, 0)].filter(({ lines }) => {
    const digests = listDigests(lines.join('\n'));
    const isNew = digests.some((digest) => !known.has(digest));
    for (const digest of digests) known.add(digest);
    return isNew;
  });
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

/** @returns undefined for a line without JSON or without a digest. A digest that is no error's leads to the first as text. */
export function readJsonLine(line: string): readonly Block[] | undefined {
  if (!line.endsWith('}') || !line.includes('digest')) return undefined;
  let json: unknown;
  try {
    json = JSON.parse(line.slice(line.indexOf('{')));
  } catch {
    return undefined;
  }
  const all = [...new Set([...listAll(json, 0), ...listDigests(line)])];
  if (all.length === 0) return undefined;
  const [first = { lines: [line], isMarked: false }, ...more] = listErrors(json).slice(0, errorsOfLine);
  const read = new Set([first, ...more].flatMap(({ lines }) => listDigests(lines.join('\n'))));
  const others = all.filter((digest) => !read.has(digest));
  return [{ ...first, lines: [...first.lines, ...others.map((digest) => `(digest: '${digest}')`)] }, ...more];
}
