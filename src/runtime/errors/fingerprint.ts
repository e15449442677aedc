import 'server-only';

import { createHash } from 'node:crypto';

import { type FrameToGroup, readFramesToGroup, readInnermostFrame } from './frames-to-group.ts';
import { computeOlderFingerprints } from './older-fingerprint.ts';
import { parameteriseMessage } from './parameterise-message.ts';
import type { SourceFrame } from './source-maps.ts';

/**
 * A fingerprint identifies a fault. It must survive a rebuild, and be the same for a document load and a navigation. So
 * it is made only of what the source says: the error's type, and the project's own frames as source file and function.
 * Line numbers change with every edit above the fault, and messages with every value, so both are left out. When no
 * frame is the project's own (a thrown string, a failing dependency), the message is used instead, with its values
 * replaced, and with the route where it is known: else all timeouts of an app would be one fault.
 *
 * What a sender gives as a fingerprint goes before all of this. docs/decisions/038-what-is-one-fault.md says why it is so.
 */

/** Which version of these rules. A change that gives many errors another fingerprint is one more. 1 is that before faults were stored. */
export const groupingAlgorithm = 2;

/** Why an error has its fingerprint: for a person who asks why two errors are one fault, or are not. */
export type Grouping = {
  /** 16 hex characters: 64 bits, enough for the thousands of different faults that one app can have. */
  readonly fingerprint: string;
  /** `older`: a row has it from an older version, and what it was made of is not stored. */
  readonly rule: 'given' | 'frames' | 'culprit' | 'message' | 'older';
  /** What was hashed, as facts: `Type TypeError`, `Frame src/cart.ts · addItem`. */
  readonly parts: readonly string[];
  /** What earlier versions of these rules would have given, where it is another one. */
  readonly older: readonly string[];
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
  readonly causes?: readonly Cause[];
};

type Cause = { readonly name: string; readonly message: string; readonly frames?: readonly SourceFrame[] };

/** One thing that counts: as it is hashed, and as a person reads it. */
type Part = { readonly hashed: string; readonly fact: string };
type Explained = { readonly rule: Grouping['rule']; readonly parts: readonly Part[] };

/** A part is shown, so a text from outside is not shown whole. */
const factLength = 300;

function toPart(kind: string, text: string): Part {
  return { hashed: text, fact: `${kind} ${text.slice(0, factLength)}` };
}

function toFramePart({ file, fn }: FrameToGroup): Part {
  return { hashed: `${file}|${fn}`, fact: `Frame ${fn === '' ? file : `${file} · ${fn}`}`.slice(0, factLength) };
}

/** Frames name the code that failed; where the type is made up, the message has to say what failed. */
function groupByFrames(type: readonly Part[], message: string, frames: readonly FrameToGroup[]): Explained {
  const leading = type.length > 0 ? type : [toPart('Message', parameteriseMessage(message))];
  return { rule: 'frames', parts: [...leading, ...frames.map(toFramePart)] };
}

/** Of a pattern nothing is a value but what stands in a transaction's name that was no pattern after all. */
function findPlace({ culprit = '', frames }: ErrorToGroup, text: string): Part | undefined {
  const place = parameteriseMessage(culprit);
  if (place !== '') return toPart('Place', place);
  const innermost = text === '' ? readInnermostFrame(frames) : undefined;
  return innermost && toFramePart(innermost);
}

function groupByDefault(error: ErrorToGroup): Explained {
  const { name, message, frames, causes = [], isSynthetic = false } = error;
  const type = isSynthetic ? [] : [toPart('Type', name)];
  const own = readFramesToGroup(frames);
  if (own.length > 0) return groupByFrames(type, message, own);
  // It wraps what went wrong elsewhere: what is inside tells more.
  const withFrames = causes
    .map((cause) => ({ cause, own: readFramesToGroup(cause.frames ?? []) }))
    .findLast((candidate) => candidate.own.length > 0);
  if (withFrames) {
    return groupByFrames([...type, toPart('Caused by', withFrames.cause.name)], message, withFrames.own);
  }
  const inner = causes.findLast((cause) => cause.message !== '');
  const causedBy = inner ? [toPart('Caused by', inner.name)] : [];
  const text = parameteriseMessage(inner?.message ?? message);
  const place = findPlace(error, text);
  const said = [...type, ...causedBy, toPart('Message', text)];
  return place ? { rule: 'culprit', parts: [...said, place] } : { rule: 'message', parts: said };
}

function explain(error: ErrorToGroup): Explained {
  const given = error.given ?? [];
  const isDefault = (part: string) => /^\{\{ *default *\}\}$/.test(part);
  if (given.every(isDefault)) return groupByDefault(error);
  const parts = given.flatMap((part) => (isDefault(part) ? groupByDefault(error).parts : [toPart('Given', part)]));
  return { rule: 'given', parts };
}

function hashParts({ rule, parts }: Explained): string {
  // Version 1 knew neither of these two rules. They hash their name, so that no given text can be the hash of a stack.
  const named = rule === 'given' || rule === 'culprit' ? [rule] : [];
  const texts = [...named, ...parts.map(({ hashed }) => hashed)];
  return createHash('sha256').update(texts.join('\n')).digest('hex').slice(0, 16);
}

export function computeGrouping(error: ErrorToGroup): Grouping {
  const explained = explain(error);
  const fingerprint = hashParts(explained);
  const older =
    explained.rule === 'given' ? [] : computeOlderFingerprints(error).filter((hash) => hash !== fingerprint);
  return { fingerprint, older, rule: explained.rule, parts: explained.parts.map(({ fact }) => fact) };
}
