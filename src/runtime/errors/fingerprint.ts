import 'server-only';

import { createHash } from 'node:crypto';

import type { SourceFrame } from './source-maps.ts';

/**
 * A fingerprint identifies a fault. It must survive a rebuild, and be the same for a document load and a navigation. So
 * it is made only of what the source says: the error's type, and the project's own frames as source file and function.
 * Line numbers change with every edit above the fault, and messages with every value, so both are left out. When no
 * frame is the project's own (a thrown string, a failing dependency), the message is used instead, with its values
 * replaced.
 */
const framesCounted = 8;
/** Which version of these rules. A change that gives many errors another fingerprint is one more. 1 is that before faults were stored. */
export const groupingAlgorithm = 2;

/** `User 4711 not found` → `User <n> not found`: replaces what differs between two occurrences of one fault. */
function parameteriseMessage(message: string): string {
  return message
    .slice(0, 500)
    .replace(/\b[\w.+-]+@[\w-]+\.[\w.]+\b/g, '<email>')
    .replace(/\bhttps?:\/\/[^\s"')]+/g, '<url>')
    .replace(/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi, '<uuid>')
    .replace(/\b(?=[0-9a-f]*\d)[0-9a-f]{8,}\b/gi, '<hex>')
    .replace(/-?\d+(?:\.\d+)?/g, '<n>');
}

/** Rolldown renames functions with the same name to `fn$1`, `fn$2`, in an order that any other file can change. */
function stableName(fn: string): string {
  return fn.replace(/\$\d+/g, '').replace(/^Object\./, '');
}

/** Why an error has its fingerprint: for a person who asks why two errors are one fault, or are not. */
export type Grouping = {
  /** 16 hex characters: 64 bits, enough for the thousands of different faults that one app can have. */
  readonly fingerprint: string;
  readonly rule: 'given' | 'frames' | 'culprit' | 'message';
  /** What was hashed. */
  readonly parts: readonly string[];
};

export type ErrorToGroup = {
  readonly name: string;
  readonly message: string;
  /** Innermost first, resolved as far as maps are known. */
  readonly frames: readonly SourceFrame[];
  /** The fingerprint that its sender gave; `{{ default }}` in it stands for what would be computed. Empty: none. */
  readonly given?: readonly string[];
  /**
   * The route's pattern or the transaction's name, for errors without frames of their own. Never a path with values: each of
   * them would be a fault.
   */
  readonly culprit?: string;
  /** The type was made up by the SDK: a captured message, a rejected value that is no error. */
  readonly isSynthetic?: boolean;
  /** `error.cause`, outermost first. Without frames it counts by its name and message. */
  readonly causes?: readonly {
    readonly name: string;
    readonly message: string;
    readonly frames?: readonly SourceFrame[];
  }[];
};

function hashParts(rule: Grouping['rule'], parts: readonly string[]): Grouping {
  const fingerprint = createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 16);
  return { fingerprint, rule, parts };
}

export function computeGrouping(error: ErrorToGroup): Grouping {
  const own = error.frames.filter((frame) => frame.inApp).slice(0, framesCounted);
  if (own.length === 0) return hashParts('message', [error.name, parameteriseMessage(error.message)]);
  const named = own.map((frame) => `${frame.source ?? ''}|${stableName(frame.fn)}`);
  return hashParts('frames', [error.name, ...named]);
}

export function computeFingerprint(error: ErrorToGroup): string {
  return computeGrouping(error).fingerprint;
}
