/** The fields of files that anybody may have written: each is checked, and what is not as documented is named. */
const mostNames = 10_000;

type Fields = { readonly [key: string]: unknown };

/** Names what is wrong with a file. It never leaves the module that reads it. */
export class Malformed extends Error {}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function readFields(value: unknown, name: string): Fields {
  if (!isFields(value)) throw new Malformed(`${name} must be an object`);
  return value;
}

export function readText(value: unknown, name: string): string {
  if (typeof value !== 'string') throw new Malformed(`${name} must be a string`);
  return value;
}

export function readCount(value: unknown, name: string): number {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) {
    throw new Malformed(`${name} must be a number that is not negative`);
  }
  return value;
}

export function readNumber(value: unknown, name: string): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new Malformed(`${name} must be a number`);
  return value;
}

export function readTime(value: unknown, name: string): string {
  const text = readText(value, name);
  if (Number.isNaN(Date.parse(text))) throw new Malformed(`${name} must be a time in ISO 8601`);
  return text;
}

export function readOrNull<T>(value: unknown, name: string, read: (value: unknown, name: string) => T): T | null {
  return value === null || value === undefined ? null : read(value, name);
}

export function readList(value: unknown, name: string, most: number): readonly unknown[] {
  if (!Array.isArray(value)) throw new Malformed(`${name} must be a list`);
  if (value.length > most) throw new Malformed(`${name} has ${value.length} entries, more than ${most}`);
  return value;
}

export function readTexts(value: unknown, name: string): string[] {
  return readList(value, name, mostNames).map((text, index) => readText(text, `${name}[${index}]`));
}
