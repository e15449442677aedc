import { type Growth, readGrowth } from '../compare-command/compare-arguments.ts';
import { readSize } from '../flight-command/read-size.ts';
import { isRecord } from '#boundary';

/**
 * What a flight may cost. A budget is written by hand in a test, so a misspelt limit would be one that nothing keeps: what is
 * not understood is an error, never left out.
 */
export type Limits = {
  /** Of the payload, before compression. */
  readonly bytes: Limit;
  /** Of the payload compressed by itself, at gzip's usual level. */
  readonly gzip: Limit;
  /** Bytes that are sent again. */
  readonly duplicates: Limit;
  /** The app's own: a framework's are there whatever the app does. */
  readonly clientModules: Limit;
  /** Nothing that the findings call a secret may be in it. */
  readonly noSecrets: boolean | undefined;
  /** Of an error page that is measured on purpose. */
  readonly status: number | undefined;
  /** There when a limit is a growth. */
  readonly base: BaseName | undefined;
};

/** How much it may be, or how much more than the base has. */
type Limit = number | Growth | undefined;

/** What `compare` takes for one of its two sides; and the route's name in it, where that is not the path that was loaded. */
export type BaseName = { readonly base: string; readonly route: string | undefined };

const sizes = ['bytes', 'gzip', 'duplicates'] as const;
const limits: readonly string[] = [...sizes, 'clientModules', 'noSecrets'];
const keys: readonly string[] = [...limits, 'status', 'base', 'route'];

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function print(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}

/** What stands behind a plus: `+5%`, `+2kB`, and of what is counted `+1`. */
function readMore(value: unknown, form: RegExp): Growth | undefined {
  if (typeof value !== 'string' || !value.startsWith('+')) return undefined;
  const more = value.slice(1).trim();
  return form.test(more) ? readGrowth(more) : undefined;
}

function readBytes(key: string, value: unknown): Limit {
  if (value === undefined) return undefined;
  const bytes = typeof value === 'string' ? readSize(value) : isCount(value) ? value : undefined;
  const limit = bytes ?? readMore(value, /./);
  if (limit !== undefined) return limit;
  throw wrong(`${key} must be a size such as 12000, "12kB" or "1.5MiB", or with a base "+5%"; it is ${print(value)}`);
}

function readModules(value: unknown): Limit {
  if (value === undefined || isCount(value)) return value;
  const limit = readMore(value, /^\d+ *%?$/);
  if (limit !== undefined) return limit;
  throw wrong(`clientModules must be a whole number from 0, or with a base "+1"; it is ${print(value)}`);
}

function readBaseName({ base, route }: Readonly<Record<string, unknown>>, isNeeded: boolean): BaseName | undefined {
  if (route !== undefined && (typeof route !== 'string' || base === undefined)) {
    throw wrong(`route must be what the base calls the page, and needs a base; it is ${print(route)}`);
  }
  if (base === undefined) {
    if (isNeeded) throw wrong('a limit such as "+5%" needs a base, such as base: "http://localhost:3001"');
    return undefined;
  }
  if (typeof base !== 'string' || base === '') {
    throw wrong(`base must be an address, a folder, a file or a recorder's list; it is ${print(base)}`);
  }
  if (!isNeeded) throw wrong('there is a base, and no limit is taken from it, such as gzip: "+5%"');
  return { base, route };
}

function wrong(reason: string): TypeError {
  return new TypeError(`budget: ${reason}`);
}

/** @throws TypeError in one line for a budget without a limit, with an unknown key, or with a value that is no size */
export function readBudget(given: unknown): Limits {
  if (!isRecord(given)) throw wrong(`it must be an object such as { gzip: "12kB" }; it is ${print(given)}`);
  const unknown = Object.keys(given).find((key) => !keys.includes(key));
  if (unknown !== undefined) throw wrong(`there is no limit ${unknown}; there are ${keys.join(', ')}`);
  const { noSecrets, status } = given;
  if (noSecrets !== undefined && typeof noSecrets !== 'boolean') {
    throw wrong(`noSecrets must be true or false; it is ${print(noSecrets)}`);
  }
  if (status !== undefined && !(isCount(status) && status >= 100 && status <= 599)) {
    throw wrong(`status must be that of a response, such as 404; it is ${print(status)}`);
  }
  const [bytes, gzip, duplicates] = sizes.map((key) => readBytes(key, given[key]));
  if (limits.every((key) => given[key] === undefined)) throw wrong(`it has no limit; there are ${limits.join(', ')}`);
  const clientModules = readModules(given['clientModules']);
  const isFromBase = [bytes, gzip, duplicates, clientModules].some((limit) => typeof limit === 'object');
  const base = readBaseName(given, isFromBase);
  return { bytes, gzip, duplicates, clientModules, noSecrets, status, base };
}
