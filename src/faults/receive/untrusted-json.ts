import 'server-only';

import { isRecord } from '#boundary';
import { countJsonParts } from '#flight';
import { stripTerminalCodes } from '#report/strip-terminal-codes.ts';

/**
 * Reads JSON that cannot be trusted: what a browser posted, and what an older build stored. Each function returns the
 * value when it has the expected shape, and undefined otherwise. None of them throws.
 */
export type JsonRecord = Readonly<Record<string, unknown>>;

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * How many parts of JSON one envelope may have: opening brackets, commas and colons outside of strings. `JSON.parse`
 * takes a nanosecond per character of text, but up to 0.3 µs per part (nested objects whose keys all differ). So 980 KB
 * of such parts would block the thread for 70 ms; this many block it for 12. A report with everything at the SDK's own
 * limits, 100 breadcrumbs and 50 frames with their variables, has some 10,000 parts.
 */
export const partsPerEnvelope = 40_000;

/** The parts that are left, for everything that is parsed of one envelope. */
export type JsonBudget = { partsLeft: number };

export function createJsonBudget(): JsonBudget {
  return { partsLeft: partsPerEnvelope };
}

/**
 * Subtracts the cost of parsing `bytes` from `budget`. False when the budget is too small: then `bytes` must not be
 * parsed.
 */
export function isWithin(budget: JsonBudget, bytes: Uint8Array): boolean {
  const parts = countJsonParts(bytes, budget.partsLeft);
  if (parts > budget.partsLeft) return false;
  budget.partsLeft -= parts;
  return true;
}

export function asRecord(value: unknown): JsonRecord | undefined {
  return isRecord(value) ? value : undefined;
}

export function asList(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

/**
 * All control characters but tab and line breaks. Nobody reads them, terminals obey them, PostgreSQL refuses NUL, and
 * JSON takes six bytes for each.
 */
const control = /(?![\t\n\r])\p{Cc}/gu;

/** What `boundText` may have to remove or to replace. Most texts have nothing of it, and one test is cheaper than three passes. */
const unusual = /[^\t\n\r\x20-\x7e]/;

/**
 * Bytes of a UTF-16 unit in JSON that is written as UTF-8. Each half of a surrogate pair counts half of the pair's four
 * bytes.
 */
function countJsonBytes(unit: number): number {
  if (unit < 0x80) return unit < 0x20 || unit === 0x22 || unit === 0x5c ? 2 : 1;
  return unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 2 : 3;
}

/**
 * The beginning of `text` that takes at most `limit` bytes in a row: as JSON and in UTF-8, without the quotes. A limit
 * in characters would be no bound, since one character may become six bytes. Terminal codes are removed, other control
 * characters replaced.
 */
export function boundText(text: string, limit: number): string {
  const given = text.slice(0, limit);
  const plain = unusual.test(given) ? stripTerminalCodes(given).toWellFormed().replaceAll(control, '\uFFFD') : given;
  // Three bytes for each unit at most: most texts need no count.
  if (plain.length * 3 <= limit) return plain;
  let bytes = 0;
  for (let at = 0; at < plain.length; at += 1) {
    const unit = plain.charCodeAt(at);
    bytes += countJsonBytes(unit);
    if (bytes > limit) return plain.slice(0, unit >= 0xdc00 && unit < 0xe000 ? at - 1 : at);
  }
  return plain;
}

/** A string, cut as `boundText` does. */
export function asText(value: unknown, limit: number): string | undefined {
  return typeof value === 'string' ? boundText(value, limit) : undefined;
}

/** A whole number that SQLite and JavaScript agree on. */
export function asInteger(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined;
}
