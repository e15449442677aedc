import 'server-only';

import { stripVTControlCharacters } from 'node:util';

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

export function asRecord(value: unknown): JsonRecord | undefined {
  return isRecord(value) ? value : undefined;
}

function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function asList(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

/**
 * At most `limit` characters of a string. NUL is replaced: PostgreSQL refuses it, and terminals stop at it. The codes for
 * a terminal's colours, with which bundlers write, are taken out.
 */
export function asText(value: unknown, limit: number): string | undefined {
  return typeof value === 'string'
    ? stripVTControlCharacters(value.slice(0, limit)).replaceAll('\0', '\uFFFD')
    : undefined;
}

/** A whole number that SQLite and JavaScript agree on. */
export function asInteger(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined;
}
