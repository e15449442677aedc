import type { Addition } from './browser-error.ts';
import { findStream } from './find-stream.ts';
import type { Replaced } from './hydration-watch.ts';
import { describeMismatch } from './mismatch/describe-mismatch.ts';
import { watchPrefetches, type PrefetchWatch } from './prefetches.ts';
import { watchVitals } from './vitals.ts';

/**
 * What is loaded when the page is, or before, when it is needed: `start` is given how. It shares no state with the first part, and a page
 * from which it has gone, as after a deploy, does without it. What it finds out is added to the report.
 */
export function addMismatch(replaced: readonly Replaced[]): Addition | undefined {
  const hydration = describeMismatch(replaced);
  if (!hydration) return undefined;
  // React says the same of each: those of one place are one fault.
  const place = hydration.where.replace(/:nth-child\(\d+\)/g, '');
  return { fingerprint: ['{{ default }}', place], extra: { hydration } };
}

/** The browser notes the end of an answer beside telling whoever reads it, not before. */
const notedAfterMs = 100;

export async function addStream(at: number): Promise<Addition | undefined> {
  await new Promise((resolve) => setTimeout(resolve, notedAfterMs));
  const stream = findStream(at);
  return stream && { extra: { stream } };
}

/**
 * What becomes of this page's answers: which prefetches it shows, and how fast it came.
 * @param address where it is told
 * @param remembers whether the tab may keep how much it has told
 */
export function watchAnswers(address: string, remembers: boolean): PrefetchWatch {
  watchVitals(address, remembers);
  return watchPrefetches(address);
}

export type SecondPart = {
  readonly addMismatch: typeof addMismatch;
  readonly addStream: typeof addStream;
  readonly watchAnswers: typeof watchAnswers;
};
export type LoadSecondPart = () => Promise<SecondPart>;
