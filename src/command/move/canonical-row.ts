import { createHash } from 'node:crypto';

/**
 * A row as text that is the same whichever database it was read from: its values in the order of the columns' names. Text, numbers
 * and null are JSON's. Of bytes there is the SHA-256. PostgreSQL's texts cannot hold NUL, so one stands for U+FFFD on both sides.
 */
export type Value = string | number | null | Uint8Array;

export type Row = Readonly<Record<string, Value>>;

function isValue(value: unknown): value is Value {
  return value === null || typeof value === 'string' || typeof value === 'number' || value instanceof Uint8Array;
}

/** @throws for what neither database gives */
export function toRow(row: unknown): Row {
  if (typeof row !== 'object' || row === null) throw new TypeError('A database gave a row that is none');
  const entries: (readonly [string, Value])[] = [];
  for (const [name, value] of Object.entries(row)) {
    if (!isValue(value)) throw new TypeError(`The column ${name} holds ${typeof value}`);
    entries.push([name, value]);
  }
  return Object.fromEntries(entries);
}

function toCanonicalValue(value: Value | undefined): unknown {
  if (typeof value === 'string') return value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value;
  if (value instanceof Uint8Array) return { sha256: createHash('sha256').update(value).digest('hex') };
  return value ?? null;
}

/** @param columns in the order that counts */
export function writeCanonicalRow(row: Row, columns: readonly string[]): string {
  return JSON.stringify(columns.map((column) => toCanonicalValue(row[column])));
}

/** What a row takes in memory, about. */
export function sizeOf(row: Row): number {
  let size = 0;
  for (const value of Object.values(row)) {
    if (typeof value === 'string') size += value.length;
    else size += value instanceof Uint8Array ? value.length : 8;
  }
  return size;
}
