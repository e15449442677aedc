import { readSize } from '#src/flight-command/read-size.ts';
import { isRecord } from '#src/http/is-record.ts';

/**
 * What a flight may cost. A budget is written by hand in a test, so a misspelt limit would be one that nothing keeps: what is
 * not understood is an error, never left out.
 */
export type Limits = {
  /** Of the payload, before compression. */
  readonly bytes: number | undefined;
  /** Of the payload compressed by itself, at gzip's usual level. */
  readonly gzip: number | undefined;
  /** Bytes that are sent again. */
  readonly duplicates: number | undefined;
  /** The app's own: a framework's are there whatever the app does. */
  readonly clientModules: number | undefined;
  /** Of an error page that is measured on purpose. */
  readonly status: number | undefined;
};

const sizes = ['bytes', 'gzip', 'duplicates'] as const;
const limits: readonly string[] = [...sizes, 'clientModules'];
const keys: readonly string[] = [...limits, 'status'];

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function print(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}

function readBytes(key: string, value: unknown): number | undefined {
  if (value === undefined) return undefined;
  const bytes = typeof value === 'string' ? readSize(value) : isCount(value) ? value : undefined;
  if (bytes !== undefined) return bytes;
  throw wrong(`${key} must be a size such as 12000, "12kB" or "1.5MiB"; it is ${print(value)}`);
}

function wrong(reason: string): TypeError {
  return new TypeError(`budget: ${reason}`);
}

/** @throws TypeError in one line for a budget without a limit, with an unknown key, or with a value that is no size */
export function readBudget(given: unknown): Limits {
  if (!isRecord(given)) throw wrong(`it must be an object such as { gzip: "12kB" }; it is ${print(given)}`);
  const unknown = Object.keys(given).find((key) => !keys.includes(key));
  if (unknown !== undefined) throw wrong(`there is no limit ${unknown}; there are ${keys.join(', ')}`);
  const { clientModules, status } = given;
  if (clientModules !== undefined && !isCount(clientModules)) {
    throw wrong(`clientModules must be a whole number from 0; it is ${print(clientModules)}`);
  }
  if (status !== undefined && !(isCount(status) && status >= 100 && status <= 599)) {
    throw wrong(`status must be that of a response, such as 404; it is ${print(status)}`);
  }
  const [bytes, gzip, duplicates] = sizes.map((key) => readBytes(key, given[key]));
  if (limits.every((key) => given[key] === undefined)) throw wrong(`it has no limit; there are ${limits.join(', ')}`);
  return { bytes, gzip, duplicates, clientModules, status };
}
