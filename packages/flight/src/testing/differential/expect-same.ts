import { expect } from 'vitest';

import type { Description } from './describe-react.ts';
import { isEqual } from './is-equal.ts';

/** What was sent: the bytes of a response, or the parts of a request. */
type Sent = Uint8Array | readonly { readonly name: string; readonly value: unknown }[];

/** A payload that fast-check has made small fits. */
const longestShown = 4_000;

function printSent(sent: Sent): string {
  const text = sent instanceof Uint8Array ? new TextDecoder('latin1').decode(sent) : sent.map(printPart).join('\n');
  return JSON.stringify(text.slice(0, longestShown));
}

function printPart({ name, value }: { readonly name: string; readonly value: unknown }): string {
  return `${name}=${typeof value === 'string' ? value : 'a file'}`;
}

/** Fails where the decoder read something else than React did, and prints what was sent: the smallest case comes last. */
export function expectSame(
  ours: Description,
  theirs: Description,
  { isExcused, sent }: { isExcused: (ours: Description, theirs: Description) => boolean; sent: Sent },
): void {
  if (!isEqual(ours, theirs, isExcused)) expect(ours, `sent: ${printSent(sent)}`).toEqual(theirs);
}
