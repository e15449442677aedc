import 'server-only';

import { createHash } from 'node:crypto';

import type { Cause, ErrorToGroup, FrameOfError } from './error-to-group.ts';
import type { Grouping } from './grouping.ts';
import { readTraits } from './narrow-grouping.ts';
import {
  asAnywhere,
  type FrameToGroup,
  readFramesToGroup,
  readInnermostFrame,
  withoutWrappers,
} from './frames-to-group.ts';
import { parameteriseMessage } from './parameterise-message.ts';

/**
 * A fingerprint identifies a fault. It must survive a rebuild, and be the same for a document load and a navigation. So
 * it is made only of what the source says: the error's type, the project's own frames as source file and function, the text of the
 * lines that failed, and the same of each cause. A line's number changes with every edit above the fault, and a message with every
 * value: both are left out. When no frame is the project's own (a thrown string, a failing dependency), the message is used
 * instead, with its values replaced, and with the route where it is known: else all timeouts of an app would be one fault.
 *
 * What a sender gives as a fingerprint goes before all of this. docs/decisions/038-what-is-one-fault.md says why it is so.
 */

/** Which version of these rules. It is kept beside each fingerprint; a change that gives many errors another one is one more. */
export const groupingAlgorithm = 7;

/** One thing that counts: as it is hashed, and as a person reads it. Undefined: it is only said. */
type Part = { readonly hashed: string | undefined; readonly fact: string };
type Explained = { readonly rule: Grouping['rule']; readonly parts: readonly Part[] };

/** A part is shown, so a text from outside is not shown whole. */
const factLength = 300;
/**
 * The line that threw, and the one that called it: a helper that throws for all is told apart by its callers' lines. Lines further
 * out only say from where it was reached.
 */
const linesCounted = 2;
/** A cause was thrown on the way to the error, so what lies further out is the error's own path. */
const causeFramesCounted = 3;
/** A chain has three at most where people made it. */
const causesCounted = 5;

function toPart(kind: string, text: string): Part {
  return { hashed: text, fact: `${kind} ${text.slice(0, factLength)}` };
}

function toFramePart({ file, fn }: FrameToGroup, kind = 'Frame'): Part {
  return { hashed: `${file}|${fn}`, fact: `${kind} ${fn === '' ? file : `${file} · ${fn}`}`.slice(0, factLength) };
}

function toFrameParts(frames: readonly FrameToGroup[], kind: 'Frame' | 'Cause frame'): Part[] {
  return frames.flatMap((frame, at) => {
    const isCounted = at < linesCounted && frame.text !== '';
    return [toFramePart(frame, kind), ...(isCounted ? [toPart('Line', frame.text)] : [])];
  });
}

type OwnCause = { readonly cause: Cause; readonly own: readonly FrameToGroup[] };

/** A cause without frames of the project's own is told apart by what it says. */
function toCauseParts({ cause, own }: OwnCause): Part[] {
  const type = toPart('Caused by', cause.name);
  if (own.length > 0) return [type, ...toFrameParts(own.slice(0, causeFramesCounted), 'Cause frame')];
  const text = parameteriseMessage(cause.message);
  return text === '' ? [type] : [type, toPart('Cause message', text)];
}

/** As many causes are equal as requests have failed: how many they are is a value, and so is their order. */
function listOnce(causes: readonly (readonly Part[])[]): readonly Part[] {
  const byHash = new Map(causes.map((parts) => [parts.map(({ hashed }) => hashed).join('\n'), parts]));
  return [...byHash].toSorted(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, parts]) => parts);
}

/** `/api/v1/orders/17` → `/api/v1/orders/<n>`: no visitor chose the version of an API. */
function parameterisePlace(place: string): string {
  const parts = place.split(/(\/v\d{1,2})(?=\/|$)/);
  return parts.map((part, index) => (index % 2 === 1 ? part : parameteriseMessage(part))).join('');
}

/** Of a pattern nothing is a value but what stands in a transaction's name that was no pattern after all. */
function findPlace({ culprit = '', isPattern = false, frames }: ErrorToGroup, text: string): Part | undefined {
  const place = isPattern ? culprit : parameterisePlace(culprit);
  if (place !== '') return toPart('Place', place);
  const innermost = text === '' ? readInnermostFrame(frames) : undefined;
  return innermost && toFramePart(innermost);
}

/** The project's own frames that say nothing: a person who sees them above must not read that there are none. */
function listLeftOut(frames: readonly FrameOfError[]): readonly Part[] {
  const count = frames.filter(({ inApp }) => inApp).length;
  if (count === 0) return [];
  return [
    { hashed: undefined, fact: `Left out ${count} frames of the app’s own code that have neither a name nor a source` },
  ];
}

/**
 * Frames name the code that failed, and the line in it, or the type, says what of it. Where the type is made up, or says nothing and no
 * line is known, or the function has no name, the message has to.
 */
function saysWhatFailed(type: readonly Part[], name: string, [innermost]: readonly FrameToGroup[]): boolean {
  if (type.length === 0) return false;
  if (!innermost || innermost.text !== '') return true;
  return name !== 'Error' && innermost.fn !== '';
}

/** Which of several tries failed for what is chance where the line is known that gave up. Next.js 15 does not print what they were. */
function readCauses({ name, causes = [] }: ErrorToGroup, own: readonly FrameToGroup[]): readonly OwnCause[] {
  if (name === 'AggregateError' && own.length > 0) return [];
  return causes
    .slice(0, causesCounted)
    .map((cause) => ({ cause, own: readFramesToGroup(withoutWrappers(asAnywhere(cause.frames ?? []))) }));
}

function groupByDefault(error: ErrorToGroup): Explained {
  const { name, message, isSynthetic = false } = error;
  // Whichever script it was, the build has gone.
  if (name === 'ChunkLoadError') return { rule: 'message', parts: [toPart('Type', name)] };
  const frames = asAnywhere(error.frames);
  // Of what was thrown and is no error, a reporter tells the type, and a framework makes an error.
  const type = isSynthetic ? [] : [toPart('Type', name.startsWith('thrown ') ? 'Error' : name)];
  const own = readFramesToGroup(withoutWrappers(frames));
  const causes = readCauses(error, own);
  const causeParts = listOnce(causes.map(toCauseParts));
  const text = parameteriseMessage(message);
  if (own.length > 0 || causes.some((cause) => cause.own.length > 0)) {
    const leading = saysWhatFailed(type, name, own) ? type : [...type, toPart('Message', text)];
    return { rule: 'frames', parts: [...leading, ...toFrameParts(own, 'Frame'), ...causeParts] };
  }
  const said = [...type, toPart('Message', text), ...causeParts];
  const place = findPlace({ ...error, frames }, causeParts.length === 0 ? text : 'its causes');
  const leftOut = listLeftOut(frames);
  return place
    ? { rule: 'culprit', parts: [...said, place, ...leftOut] }
    : { rule: 'message', parts: [...said, ...leftOut] };
}

/** The variables that Sentry's SDKs document; another one stays as it is. */
function fillGiven(part: string, { name, message, culprit = '', frames }: ErrorToGroup): string {
  return part.replace(/\{\{ *([a-z_.]{1,40}) *\}\}/g, (written, variable: string) => {
    switch (variable) {
      case 'type':
      case 'error.type':
        return name;
      case 'message':
      case 'value':
      case 'error.value':
        return message;
      case 'transaction':
        return culprit;
      case 'function':
      case 'stack.function':
        return readInnermostFrame(frames)?.fn ?? '';
      default:
        return written;
    }
  });
}

function explain(error: ErrorToGroup): Explained {
  const given = error.given ?? [];
  const isDefault = (part: string) => /^\{\{ *default *\}\}$/.test(part);
  if (given.every(isDefault)) return groupByDefault(error);
  const parts = given.flatMap((part) =>
    isDefault(part) ? groupByDefault(error).parts : [toPart('Given', fillGiven(part, error))],
  );
  return { rule: 'given', parts };
}

function hashParts({ rule, parts }: Explained): string {
  // These two rules hash their name, so that no given text can be the hash of a stack.
  const named = rule === 'given' || rule === 'culprit' ? [rule] : [];
  const texts = [...named, ...parts.flatMap(({ hashed }) => hashed ?? [])];
  return createHash('sha256').update(texts.join('\n')).digest('hex').slice(0, 16);
}

function computeByMessage(error: ErrorToGroup): Grouping {
  const { rule, parts } = explain(error);
  const facts = parts.map(({ fact }) => fact);
  return { fingerprint: hashParts({ rule, parts }), rule, parts: facts, traits: readTraits(error) };
}

export function computeGrouping({ template, ...error }: ErrorToGroup): Grouping {
  const byMessage = computeByMessage(error);
  if (!template) return byMessage;
  // Its parts are split by what is read from the stored row, which has the text.
  return { ...computeByMessage({ ...error, message: template }), traits: byMessage.traits };
}
