import { instancesName, oldTabName } from '#src/faults/builds/old-tab.ts';
import type { FaultHash } from '#src/faults/grouping/read-fault-hashes.ts';

/**
 * Why errors with one fingerprint are one fault, in words. The parts are facts, such as `Type TypeError`:
 * src/runtime/errors/fingerprint.ts.
 */
const kinds = [
  'Type',
  'Message',
  'Place',
  'Frame',
  'Line',
  'Caused by',
  'Cause frame',
  'Cause message',
  'Given',
  'Left out',
] as const;
type Kind = (typeof kinds)[number];

const sameMessage = 'the same message (values aside)';
export const noMessage = 'Message ';
/** What the recorder itself makes of answers is one thing whatever it says. */
const ofRecorder = [oldTabName, instancesName].map((name) => `Type ${name}`);

const smallNumbers = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];

function countParts(parts: readonly string[], kind: Kind): number {
  return parts.filter((part) => part.startsWith(`${kind} `)).length;
}

/** A frame without a name says its file alone. */
function nameFrames(parts: readonly string[]): string {
  const frames = parts.filter((part) => part.startsWith('Frame '));
  const named = frames.filter((part) => part.includes(' · ')).length;
  const what = named === frames.length ? 'function' : named === 0 ? 'file' : 'place';
  const count = frames.length === 1 ? what : `${smallNumbers[frames.length] ?? frames.length} ${what}s`;
  return `${count} of the app’s own code`;
}

/** What the causes share: their types, and what of each was known. */
function nameCauses(parts: readonly string[]): string {
  const whose = countParts(parts, 'Caused by') === 1 ? 'its cause' : 'its causes';
  const isPlaced = countParts(parts, 'Cause frame') > 0;
  const isSaid = countParts(parts, 'Cause message') > 0;
  const what = listWords(['type', ...(isPlaced ? ['place'] : []), ...(isSaid ? ['message'] : [])]);
  return `the same ${what} of ${whose}`;
}

function listWords(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`;
}

function listShared(parts: readonly string[]): string {
  const lines = countParts(parts, 'Line');
  return listWords([
    ...(countParts(parts, 'Type') > 0 ? ['the same type'] : []),
    ...(countParts(parts, 'Message') > 0 ? [parts.includes(noMessage) ? 'no message' : sameMessage] : []),
    ...(countParts(parts, 'Place') > 0 ? ['the same place'] : []),
    ...(countParts(parts, 'Frame') > 0 ? [`the same ${nameFrames(parts)}`] : []),
    ...(lines > 0 ? [`the same ${lines === 1 ? 'line' : 'lines'} of source`] : []),
    ...(countParts(parts, 'Caused by') > 0 ? [nameCauses(parts)] : []),
  ]);
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Why no frame counted. */
function explainFrames(parts: readonly string[]): string {
  if (countParts(parts, 'Left out') > 0) {
    return 'Frames of the app’s own code have neither a name nor a source, as in a minified script without a source map: none of them counted.';
  }
  if (parts.length > 0 && countParts(parts, 'Type') === 0) {
    return 'No error was thrown: the SDK made up its type, so the message stands for it, and no frame counted.';
  }
  return 'No frame of the stack is known as the app’s own code.';
}

/** One sentence; the parts themselves stand below it. */
export function describeGrouping({ rule, parts }: Pick<FaultHash, 'rule' | 'parts'>): string {
  switch (rule) {
    case 'given': {
      const rest = listShared(parts);
      return `Its sender gave the same fingerprint${rest === '' ? '' : `, with what is computed: ${rest}`}.`;
    }
    case 'frames':
      return `${capitalise(listShared(parts) || 'the same functions of the app’s own code')}.`;
    case 'culprit':
    case 'message':
      if (parts.some((part) => ofRecorder.includes(part))) {
        return 'The same type, whatever its message says: the recorder made it of an answer.';
      }
      return `${capitalise(listShared(parts) || sameMessage)}. ${explainFrames(parts)}`;
  }
}
