import { gzipSync } from 'node:zlib';

import { formatCount, readFailures } from '#flight';

import { readSize } from './read-size.ts';
import type { Report } from './report.ts';

/**
 * Limits for a payload, as options and as a file for a repository: what a team agreed on, checked by a machine. The file is
 * JSON and read by hand, because the command runs where nothing is installed; docs/flight-cli.md has its schema.
 */
export type Limits = {
  readonly maxBytes?: number;
  /** Of the payload compressed by itself, at gzip's usual level. */
  readonly maxGzip?: number;
  /** Bytes that are sent again, all together. */
  readonly maxDuplicates?: number;
  /** Nothing that the findings mention may be sent twice. */
  readonly noDuplicates?: boolean;
  /** No error row. */
  readonly noErrors?: boolean;
  /** No secret that the findings mention. */
  readonly noSecrets?: boolean;
};

const sizes = ['maxBytes', 'maxGzip', 'maxDuplicates'] as const;
const switches = ['noDuplicates', 'noErrors', 'noSecrets'] as const;

export type LimitsResult = { kind: 'limits'; limits: Limits } | { kind: 'wrong'; reason: string };

function wrong(reason: string): LimitsResult {
  return { kind: 'wrong', reason };
}

function isFields(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readSizeValue(value: unknown): number | undefined {
  if (typeof value === 'string') return readSize(value);
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** The limits in a budget file's text. */
export function readBudget(text: string): LimitsResult {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return wrong('it is not JSON');
  }
  if (!isFields(parsed)) return wrong('it must be an object');
  const known = new Set<string>(['$schema', ...sizes, ...switches]);
  const unknown = Object.keys(parsed).find((key) => !known.has(key));
  if (unknown !== undefined) return wrong(`there is no limit ${unknown}`);
  const limits: { -readonly [Key in keyof Limits]: Limits[Key] } = {};
  for (const key of sizes) {
    if (parsed[key] === undefined) continue;
    const size = readSizeValue(parsed[key]);
    if (size === undefined) return wrong(`${key} must be a size such as 150000, "150kB" or "1.5MiB"`);
    limits[key] = size;
  }
  for (const key of switches) {
    const value = parsed[key];
    if (value === undefined) continue;
    if (typeof value !== 'boolean') return wrong(`${key} must be true or false`);
    limits[key] = value;
  }
  return { kind: 'limits', limits };
}

function compare(what: string, bytes: number, limit: number | undefined): string[] {
  return limit === undefined || bytes <= limit
    ? []
    : [`${what} ${formatCount(bytes)} bytes, ${formatCount(bytes - limit)} over the limit of ${formatCount(limit)}`];
}

/** What exceeds the limits, a line each; none when nothing does. */
export function checkLimits({ flight, duplicates, findings }: Report, limits: Limits): string[] {
  const errors = limits.noErrors ? readFailures(flight).length : 0;
  const unwanted = findings.filter(
    ({ kind }) => (limits.noDuplicates && kind === 'sent-twice') || (limits.noSecrets && kind === 'secret'),
  );
  return [
    ...compare('it has', flight.bytes.length, limits.maxBytes),
    ...(limits.maxGzip === undefined ? [] : compare('with gzip it has', gzipSync(flight.bytes).length, limits.maxGzip)),
    ...compare('it sends again', duplicates.wasted, limits.maxDuplicates),
    ...unwanted.map(({ title }) => title.replace(/\.$/, '')),
    ...(errors > 0 ? [`it has ${formatCount(errors)} error ${errors === 1 ? 'row' : 'rows'}`] : []),
  ];
}
