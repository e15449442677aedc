import { stripTerminalCodes } from '../strip-terminal-codes.ts';

import type { AppErrorCause } from './app-error.ts';

/** As the receiver's limits: more would be cut there. */
const textLimit = 16_384;
const nameLimit = 200;
/** Of all levels together. */
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

/** The message in it is cut as the message is: what follows it are the frames, and nothing that a visitor wrote. */
function toStack(stack: unknown, message: unknown): string {
  if (typeof stack !== 'string' || typeof message !== 'string' || message.length <= textLimit) {
    return toText(stack, textLimit);
  }
  const at = stack.indexOf(message);
  const end = at + message.length;
  // It was changed after the stack was made.
  if (at === -1) return toText(stack, textLimit);
  return `${toText(stack.slice(0, at), nameLimit)}${toText(message, textLimit)}${toText(stack.slice(end), textLimit)}`;
}

/** Errors of another realm are recognised by their stack. */
function isError(thrown: unknown): boolean {
  return thrown instanceof Error || typeof readProperty(thrown, 'stack') === 'string';
}

function describeOne(thrown: unknown): AppErrorCause {
  if (!isError(thrown)) {
    return { name: `thrown ${typeof thrown}`, message: toText(thrown, textLimit), stack: '' };
  }
  const message = readProperty(thrown, 'message');
  return {
    name: toText(readProperty(thrown, 'name'), nameLimit) || 'Error',
    message: toText(message, textLimit),
    stack: toStack(readProperty(thrown, 'stack'), message),
  };
}

/** Its cause, and what it consists of: an AggregateError has the errors of all that was tried. */
function listInside(thrown: unknown): readonly unknown[] {
  const [cause, errors] = [readProperty(thrown, 'cause'), readProperty(thrown, 'errors')];
  const parts: readonly unknown[] = Array.isArray(errors) ? errors.slice(0, causesKept) : [];
  return [...(cause === undefined || cause === null ? [] : [cause]), ...parts.filter(isError)];
}

/** In the order in which Node prints them. */
function addInside(thrown: unknown, seen: Set<unknown>, causes: AppErrorCause[]): void {
  for (const inside of listInside(thrown)) {
    if (causes.length === causesKept || seen.has(inside)) return;
    seen.add(inside);
    causes.push(describeOne(inside));
    addInside(inside, seen, causes);
  }
}

/** What was thrown, as bounded text. Never throws. */
export function describeThrown(thrown: unknown): Described {
  const causes: AppErrorCause[] = [];
  addInside(thrown, new Set([thrown]), causes);
  return { ...describeOne(thrown), causes };
}
