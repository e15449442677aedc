import 'server-only';

import { isRecord } from '#src/http/is-record.ts';
import { stripTerminalCodes } from '#src/runtime/errors/strip-terminal-codes.ts';

/**
 * Reading JSON that nobody vouches for: what a browser posted, and what an older build stored. Each function gives the
 * value when it has the asked-for shape and undefined when it has not; none throws.
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
 * How many parts of JSON one envelope may have: brackets that open, commas and colons, outside of strings. `JSON.parse`
 * takes text at a nanosecond a character, but up to 0.3 µs for a part (objects whose keys all differ, one within the
 * other), so 980 KB of those hold the thread for 70 ms, and this many for 12. A report with everything at the SDK's own
 * limits, 100 breadcrumbs and 50 frames with their variables, has some 10,000.
 */
const partsPerEnvelope = 40_000;

/** What is left of it, for all that is parsed of an envelope together. */
export type JsonBudget = { partsLeft: number };

export function createJsonBudget(): JsonBudget {
  return { partsLeft: partsPerEnvelope };
}

const [quote, backslash, comma, colon, openingBracket, openingBrace] = [0x22, 0x5c, 0x2c, 0x3a, 0x5b, 0x7b];

/** The parts of what may be JSON, counted no further than just beyond `most`. */
function countParts(bytes: Uint8Array, most: number): number {
  let parts = 0;
  let isInString = false;
  for (let index = 0; index < bytes.length && parts <= most; index += 1) {
    const byte = bytes[index];
    if (isInString) {
      if (byte === backslash) index += 1;
      else if (byte === quote) isInString = false;
    } else if (byte === quote) isInString = true;
    else if (byte === comma || byte === colon || byte === openingBracket || byte === openingBrace) parts += 1;
  }
  return parts;
}

/** Takes what parsing `bytes` costs out of `budget`. False when there is not enough: then it must not be parsed. */
export function isWithin(budget: JsonBudget, bytes: Uint8Array): boolean {
  const parts = countParts(bytes, budget.partsLeft);
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

/** All but tab and line breaks: nobody reads them, terminals obey them, PostgreSQL refuses NUL, and JSON takes six bytes for each. */
const control = /(?![\t\n\r])\p{Cc}/gu;

/** Bytes of a UTF-16 unit in JSON that is written as UTF-8. Each half of a pair counts for half of its four. */
function countJsonBytes(unit: number): number {
  if (unit < 0x80) return unit < 0x20 || unit === 0x22 || unit === 0x5c ? 2 : 1;
  return unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 2 : 3;
}

/**
 * The beginning of `text` that takes at most `limit` bytes in a row: as JSON and in UTF-8, quotes not counted. Characters would
 * be no bound, since one may become six bytes. Terminal codes
 * are taken out, other control characters replaced.
 */
export function boundText(text: string, limit: number): string {
  const plain = stripTerminalCodes(text.slice(0, limit)).toWellFormed().replaceAll(control, '\uFFFD');
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
