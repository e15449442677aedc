import type { Attribution } from './attribution.ts';
import type { Compression } from './compression.ts';
import type { AppFacts } from './describe-app.ts';
import type { Duplicates } from './duplicates.ts';
import { formatBytes, formatCount } from './format-numbers.ts';
import type { Holes } from './holes.ts';
import type { ModuleUse } from './module-use.ts';
import type { Place } from './place.ts';
import type { SourcePlace } from './row-origin.ts';

/**
 * What there is to say about a payload: a sentence in plain words, with a number, what to do, and the place that shows it. A
 * person can act on each finding; a payload may have none. Problems come first, then waits by time, then costs by what they
 * take after compression, then notes.
 */
export type Finding = {
  kind: FindingKind;
  /**
   * - `problem`: it is broken or failed;
   * - `wait` and `cost`: it works, and takes `ms` or `bytes`;
   * - `note`: it is a fault or as it should be, and the payload alone cannot tell.
   */
  weight: 'problem' | 'wait' | 'cost' | 'note';
  /** One sentence: what, and how much of how much. */
  title: string;
  /** What to do, or where to look. */
  advice: string;
  /** Bytes of the payload, and about how many of them are left after compression (compression.ts). */
  bytes: number | undefined;
  compressed: number | undefined;
  /** Milliseconds. */
  ms: number | undefined;
  /** What shows it. Of a payload without one whole row: row 0 with the bytes. */
  place: Place;
  /** Where what caused it is written, as far as development says so. */
  source?: SourcePlace | undefined;
  /** What it is made of, when several alike are told as one: the largest first, at most `maxParts`. */
  parts: readonly FindingPart[];
};

export type FindingPart = Pick<Finding, 'title' | 'bytes' | 'place' | 'source'> &
  // Of the fields of a value nobody knows what they cost apart: they stand beside one another in each of its items.
  Partial<Pick<Finding, 'compressed' | 'ms'>>;

export type FindingKind =
  | 'malformed'
  | 'truncated'
  | 'halted'
  | 'aborted'
  | 'error'
  | 'secret'
  | 'development'
  | 'wait'
  | 'promise'
  | 'sent-twice'
  | 'large-prop'
  | 'chunk-names'
  | 'base64';

/** What is known of a response and not in its bytes. Unknown facts are left out. */
export type ResponseFacts = {
  /** It was asked for before it was needed: such a payload may have holes by design. */
  readonly isPrefetch?: boolean | undefined;
  /** It was rendered before the request. */
  readonly isPrerender?: boolean | undefined;
  /** Whether the connection broke. `false`: the server itself ended it here, and another request brings what is missing. */
  readonly isCut?: boolean | undefined;
  /** Nobody wanted the rest: a visitor went elsewhere. It is no fault of the app. */
  readonly isLeft?: boolean | undefined;
  /** More was sent than was kept of it. Then nothing is known of its end. */
  readonly isKeptInPart?: boolean | undefined;
  /** How it was sent, where that was measured: servers compress at other levels, in pieces as they stream, or not at all. */
  readonly transfer?: Transfer | undefined;
};

export type Transfer = {
  /** Bytes of the response's body before compression, with the HTML around the rows. */
  readonly response: number;
  /** As they were sent. */
  readonly sent: number;
  /** As HTTP names it; `identity` where nothing compressed it. */
  readonly codec: string | undefined;
};

export type Understood = {
  attribution: Attribution;
  compression: Compression;
  duplicates: Duplicates;
  modules: readonly ModuleUse[];
  holes: Holes['holes'];
  promises: Holes['promises'];
  app: AppFacts;
  facts: ResponseFacts;
};

/**
 * A cost after compression: one packet. Ethernet carries 1,500 bytes; the headers of IPv6 (40), of TCP with its timestamps (32) and of a
 * TLS record (22) leave some 1,400. Less than that saves a visitor no packet.
 */
export const minBytes = 1400;

/** A share of the compressed payload below this one changes nothing a person would feel. */
export const minShare = 0.05;

/** A wait that a person notices as one: Jakob Nielsen's limit of a tenth of a second, and network on top. */
export const minWaitMs = 300;

/** Findings of one kind that are listed; the first are the largest. */
export const maxOfKind = 5;

/** Parts of one finding that are listed. */
export const maxParts = 10;

/** Characters. A string this long that holds nothing but base64 is most likely a file. */
export const minBase64 = 1000;

export type Size = { readonly bytes: number; readonly compressed: number };

/** `after compression`, `as sent with gzip`: what the second number of a cost is. */
export function nameTransfer(transfer: Transfer | undefined): string {
  if (!transfer) return 'after compression';
  if (transfer.codec === undefined) return 'as it was sent';
  return transfer.codec === 'identity' ? 'sent without compression' : `as sent with ${transfer.codec}`;
}

/** `12 kB of 40 kB, about 1.1 kB after compression`. */
export function share({ bytes, compressed }: Size, { attribution, facts }: Understood): string {
  const of = `${formatBytes(bytes)} of ${formatBytes(attribution.total)}`;
  return `${of}, about ${formatBytes(Math.round(compressed))} ${nameTransfer(facts.transfer)}`;
}

/** A cost is worth a person's time by what it takes after compression: what repeats often takes next to nothing. */
export function isWorthSaying({ compressed }: Size, { attribution }: Understood): boolean {
  return compressed >= minBytes && compressed >= attribution.compressed * minShare;
}

export function problem(
  kind: FindingKind,
  title: string,
  advice: string,
  place: Place,
  parts: readonly FindingPart[] = [],
): Finding {
  return {
    kind,
    weight: 'problem',
    title,
    advice,
    bytes: undefined,
    compressed: undefined,
    ms: undefined,
    place,
    parts,
  };
}

export function cost(
  kind: FindingKind,
  { bytes, compressed }: Size,
  said: Pick<Finding, 'title' | 'advice' | 'place'> & { parts?: readonly FindingPart[] },
): Finding {
  return { kind, weight: 'cost', bytes, compressed: Math.round(compressed), ms: undefined, parts: [], ...said };
}

export function sizePart(title: string, { bytes, compressed }: Size, place: Place): FindingPart {
  return { title, bytes, compressed: Math.round(compressed), ms: undefined, place };
}

export function countOf(number: number, one: string, many = `${one}s`): string {
  return `${formatCount(number)} ${number === 1 ? one : many}`;
}

/** `a, b and c`; of more than `max`, `a, b and 7 more`. */
export function listWords(words: readonly string[], max: number): string {
  const shown = words.length > max ? words.slice(0, max - 1) : words;
  const more = words.length - shown.length;
  const all = more > 0 ? [...shown, `${formatCount(more)} more`] : shown;
  return all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} and ${all.at(-1) ?? ''}`;
}
