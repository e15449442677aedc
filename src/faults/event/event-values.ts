import 'server-only';

import { asList, asRecord, asText, boundText, type JsonRecord } from '../receive/untrusted-json.ts';

/** The shapes in which SDKs of the last ten years write the same value. */

/** Reads a list, a list under `values`, or a single record. */
export function readValues(value: unknown): readonly JsonRecord[] {
  const record = asRecord(value);
  const list = asList(value) ?? asList(record?.['values']) ?? (record && !('values' in record) ? [record] : []);
  return list.map(asRecord).filter((item) => item !== undefined);
}

/** The latest time that JavaScript's `Date` can hold. Arithmetic up to here is exact. */
const latestTime = 8_640_000_000_000_000;

/** Seconds since 1970, or RFC 3339. */
export function readTime(value: unknown): number | undefined {
  const time =
    typeof value === 'number' ? value * 1000 : typeof value === 'string' ? Date.parse(value.slice(0, 64)) : Number.NaN;
  return time >= 0 && time <= latestTime ? Math.round(time) : undefined;
}

/** Text, or a number or a boolean that an SDK did not make text of. Empty text is none. */
export function readWord(value: unknown, limit: number): string | undefined {
  const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
  return asText(text, limit) || undefined;
}

/** The first members, without a pair for each of the others: a stranger's record may have 40,000. */
export function readMembers(record: JsonRecord, most: number): readonly (readonly [string, unknown])[] {
  return Object.keys(record)
    .slice(0, most)
    .map((name) => [name, record[name]]);
}

/** Those that are looked at. SDKs send tens. */
const mostPairs = 200;

/** The first names and values of a record, of a list of pairs, or of a list of `{key, value}`. */
export function readPairs(value: unknown): readonly (readonly [string, unknown])[] {
  const record = asRecord(value);
  if (record) return readMembers(record, mostPairs);
  return (asList(value) ?? []).slice(0, mostPairs).flatMap((item): (readonly [string, unknown])[] => {
    const [name, one] = asList(item) ?? [asRecord(item)?.['key'], asRecord(item)?.['value']];
    return typeof name === 'string' ? [[name, one]] : [];
  });
}

/** The value of this name, whatever its case: headers differ in it. */
export function readPair(pairs: unknown, name: string): unknown {
  return readPairs(pairs).find(([one]) => one.toLowerCase() === name)?.[1];
}

/** Reads a header's first value: some SDKs send headers as lists. */
export function readFirst(value: unknown): unknown {
  return asList(value)?.[0] ?? value;
}

export function readHex(value: unknown, length: number): string | undefined {
  const plain = typeof value === 'string' && value.length <= 36 ? value.replaceAll('-', '').toLowerCase() : '';
  return plain.length === length && /^[\da-f]+$/.test(plain) ? plain : undefined;
}

/** A fingerprint is a list of texts; some SDKs send numbers in it, or one text alone. An empty one is none. */
export function readGivenFingerprint(
  value: unknown,
  scrub: (text: string, limit: number) => string,
): readonly string[] | undefined {
  const parts = (asList(value) ?? [value]).slice(0, 16).flatMap((part) => readWord(part, 256) ?? []);
  return parts.length === 0 ? undefined : parts.map((part) => boundText(scrub(part, 256), 256));
}
