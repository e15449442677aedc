import type { Attribution } from './attribution.ts';
import type { Duplicates } from './duplicates.ts';
import { formatBytes, formatCount } from './format-numbers.ts';
import type { Hole } from './holes.ts';
import type { ModuleUse } from './module-use.ts';
import type { Place } from './place.ts';

/**
 * What there is to say about a payload: a sentence in plain words, with a number and a place to look at. A person can act
 * on each finding; a payload may have none. Problems come first, then waits by time, then costs by bytes.
 */
export type Finding = {
  kind: FindingKind;
  /** `problem`: it is broken or failed. `wait` and `cost`: it works, and takes `ms` or `bytes`. */
  weight: 'problem' | 'wait' | 'cost';
  /** One sentence: what, and how much of how much. */
  title: string;
  /** What causes it, or what to do. */
  advice: string;
  bytes: number | undefined;
  ms: number | undefined;
  place: Place | undefined;
};

export type FindingKind =
  | 'malformed'
  | 'truncated'
  | 'halted'
  | 'aborted'
  | 'error'
  | 'development'
  | 'wait'
  | 'sent-twice'
  | 'repeated'
  | 'class-names'
  | 'large-prop'
  | 'unused-modules'
  | 'chunk-names'
  | 'base64';

export type Understood = {
  attribution: Attribution;
  duplicates: Duplicates;
  modules: readonly ModuleUse[];
  holes: readonly Hole[];
};

/** A cost below a network packet is lost in the noise of compression and headers. */
const minBytes = 1000;

/** A share of the payload below this one changes nothing a person would feel. */
export const minShare = 0.05;

/** Two that are alike may be a coincidence; three are a list. */
export const minDistinct = 3;

/** A wait that a person notices as one: Jakob Nielsen's limit of a tenth of a second, and network on top. */
export const minWaitMs = 300;

/** Findings of one kind that are listed; the first are the largest. */
export const maxOfKind = 5;

/** Characters. A string this long that holds nothing but base64 is most likely a file. */
export const minBase64 = 1000;

export function share(bytes: number, total: number): string {
  return `${formatBytes(bytes)} of ${formatBytes(total)}`;
}

export function isWorthSaying(bytes: number, total: number): boolean {
  return bytes >= minBytes && bytes >= total * minShare;
}

export function problem(kind: FindingKind, title: string, advice: string, place: Place | undefined): Finding {
  return { kind, weight: 'problem', title, advice, bytes: undefined, ms: undefined, place };
}

export function cost(
  kind: FindingKind,
  bytes: number,
  title: string,
  advice: string,
  place: Place | undefined,
): Finding {
  return { kind, weight: 'cost', title, advice, bytes, ms: undefined, place };
}

export function countOf(number: number, one: string, many = `${one}s`): string {
  return `${formatCount(number)} ${number === 1 ? one : many}`;
}
