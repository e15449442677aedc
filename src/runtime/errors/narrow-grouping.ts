import 'server-only';

import { createHash } from 'node:crypto';

import type { ErrorToGroup } from './error-to-group.ts';
import type { Grouping, Trait, Traits } from './grouping.ts';
import { parameteriseMessage } from './parameterise-message.ts';

/**
 * What tells errors with one fingerprint apart, when the operator says that they are not one fault: the line that failed, the
 * causes, or the message. An error with a fingerprint that was split gets another, made of the first and of this.
 */

/** It is shown, and a text from outside is not shown whole. */
const traitLength = 300;

/** The text of the line where it is known, else its place. */
function readLine({ frames }: Pick<ErrorToGroup, 'frames'>): string {
  const frame = frames.find(({ inApp }) => inApp) ?? frames[0];
  if (!frame) return '';
  const { context, source, file, line, column } = frame;
  const text = context?.lines[line - context.firstLine]?.trim().replace(/\s+/g, ' ');
  return text || `${source ?? file}:${line}:${column}`;
}

function readCauses({ causes = [] }: Pick<ErrorToGroup, 'causes'>): string {
  return causes.map(({ name, message }) => `${name}: ${parameteriseMessage(message)}`).join(' ← ');
}

export function readTraits(error: Pick<ErrorToGroup, 'frames' | 'causes' | 'message'>): Traits {
  return {
    line: readLine(error).slice(0, traitLength),
    cause: readCauses(error).slice(0, traitLength),
    message: parameteriseMessage(error.message).slice(0, traitLength),
  };
}

/** @param grouping whose fingerprint was split by `trait` */
export function narrowGrouping(grouping: Grouping, trait: Trait): Grouping {
  const { fingerprint: splitOf, parts, traits: own } = grouping;
  const value = own?.[trait] ?? '';
  const fingerprint = createHash('sha256')
    .update(['split', splitOf, trait, value].join('\n'))
    .digest('hex')
    .slice(0, 16);
  return { ...grouping, fingerprint, splitOf, parts: [...parts, `Split by ${trait} ${value || '(none)'}`] };
}
