import type { Replaced } from '../hydration-watch.ts';
import { findDifference } from './compare-nodes.ts';
import { guessCause } from './guess-cause.ts';

/**
 * A mismatch as a report has it, below 2 kB: where, and the part that differs with a little around it. The receiver takes out what has
 * the form of a secret, and all of it in an element that is named like one (src/faults/event/read-mismatch.ts).
 */
export type Mismatch = Readonly<Record<'kind' | 'where' | 'server' | 'browser' | 'cause', string>>;

/** Characters, of three bytes at most. */
const textLimit = 180;
const whereLimit = 240;
const around = 24;

/** Where two texts begin to differ, and how long their common end is. */
function findCommon(a: string, b: string): { readonly start: number; readonly end: number } {
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < shorter - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  return { start, end };
}

function cut(text: string, start: number, end: number): string {
  const from = Math.max(0, start - around);
  const to = Math.min(text.length, Math.max(text.length - end + around, from), from + textLimit);
  return `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`;
}

/** Undefined where both are the same by now: what differed was put right before it could be read. */
export function describeMismatch(replaced: readonly Replaced[]): Mismatch | undefined {
  const difference = findDifference(replaced);
  if (!difference) return undefined;
  const { kind, where, server, browser } = difference;
  const { start, end } = findCommon(server ?? '', browser ?? '');
  return {
    kind,
    // What was put in was copied out of its parent: its place there is not known.
    where: where.join(' > ').replaceAll(':nth-child(0)', '').slice(-whereLimit),
    server: server === undefined ? '' : cut(server, start, end),
    browser: browser === undefined ? '' : cut(browser, start, end),
    cause: guessCause(difference),
  };
}
