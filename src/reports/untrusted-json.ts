import 'server-only';

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

/** All but tab and line breaks: nobody reads them, terminals obey them, PostgreSQL refuses NUL, and JSON takes six bytes for each. */
const control = /(?![\t\n\r])\p{Cc}/gu;

/** Bytes of a UTF-16 unit in JSON that is written as UTF-8. Each half of a pair counts for half of its four. */
function countJsonBytes(unit: number): number {
  if (unit < 0x80) return unit < 0x20 || unit === 0x22 || unit === 0x5c ? 2 : 1;
  return unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 2 : 3;
}

/**
 * The beginning of `text` that takes at most `limit` bytes in a row: as JSON and in UTF-8, quotes not counted. Characters would
 * be no bound, since one may become six bytes. Control characters are replaced.
 */
export function boundText(text: string, limit: number): string {
  const plain = text.slice(0, limit).toWellFormed().replaceAll(control, '\uFFFD');
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
