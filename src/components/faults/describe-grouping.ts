import type { FaultHash } from '#src/reports/faults/read-fault-hashes.ts';

/** Why occurrences with one fingerprint are one fault, in words. The parts are facts, such as `Type TypeError`: src/runtime/errors/fingerprint.ts. */
const kinds = ['Type', 'Message', 'Caused by', 'Place', 'Frame', 'Given'] as const;
type Kind = (typeof kinds)[number];

const smallNumbers = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];

function countParts(parts: readonly string[], kind: Kind): number {
  return parts.filter((part) => part.startsWith(`${kind} `)).length;
}

function nameFrames(count: number): string {
  return count === 1
    ? 'function of the app’s own code'
    : `${smallNumbers[count] ?? count} functions of the app’s own code`;
}

function listWords(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`;
}

function listShared(parts: readonly string[]): string {
  const frames = countParts(parts, 'Frame');
  return listWords([
    ...(countParts(parts, 'Type') > 0 ? ['the same type'] : []),
    ...(countParts(parts, 'Caused by') > 0 ? ['the same type of its cause'] : []),
    ...(countParts(parts, 'Message') > 0 ? ['the same message (values aside)'] : []),
    ...(countParts(parts, 'Place') > 0 ? ['the same place'] : []),
    ...(frames > 0 ? [`the same ${nameFrames(frames)}`] : []),
  ]);
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
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
      return `${capitalise(listShared(parts) || 'the same message (values aside)')}. ${
        parts.length > 0 && countParts(parts, 'Type') === 0
          ? 'No error was thrown: the SDK made up its type, so the message stands for it, and no frame counted.'
          : 'No frame of the stack is known as the app’s own code.'
      }`;
    case 'older':
      return 'An older version of this app put these together. What they share cannot be computed again.';
  }
}
