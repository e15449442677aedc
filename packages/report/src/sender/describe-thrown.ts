import { stripTerminalCodes } from '../strip-terminal-codes.ts';

import type { AppErrorCause } from './app-error.ts';

/** As the receiver's limits: more would be cut there. */
const textLimit = 16_384;
const nameLimit = 200;
/** A chain of causes can be circular. */
const causesKept = 5;

export type Described = {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
  readonly causes: readonly AppErrorCause[];
};

/** A getter of somebody else's error may throw, and a message may be an object. */
export function readProperty(value: unknown, key: string): unknown {
  try {
    return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
  } catch {
    return undefined;
  }
}

function toText(value: unknown, limit: number): string {
  if (typeof value === 'string') return stripTerminalCodes(value.slice(0, limit));
  if (value === undefined) return '';
  try {
    return (JSON.stringify(value) ?? String(value)).slice(0, limit);
  } catch {
    return typeof value;
  }
}

function describeOne(thrown: unknown): AppErrorCause {
  if (!(thrown instanceof Error) && typeof readProperty(thrown, 'stack') !== 'string') {
    return { name: `thrown ${typeof thrown}`, message: toText(thrown, textLimit), stack: '' };
  }
  return {
    name: toText(readProperty(thrown, 'name'), nameLimit) || 'Error',
    message: toText(readProperty(thrown, 'message'), textLimit),
    stack: toText(readProperty(thrown, 'stack'), textLimit),
  };
}

/** What was thrown, as bounded text. Errors of another realm are recognised by their stack. Never throws. */
export function describeThrown(thrown: unknown): Described {
  const causes: AppErrorCause[] = [];
  let cause = readProperty(thrown, 'cause');
  while (cause !== undefined && cause !== null && causes.length < causesKept) {
    causes.push(describeOne(cause));
    cause = readProperty(cause, 'cause');
  }
  return { ...describeOne(thrown), causes };
}
