/**
 * What makes a request forged: something that no client of React writes. A rule says which part of its grammar was broken,
 * not which words somebody used, so padding, other spellings and other names change nothing.
 */
export const forgeryRules = [
  /** The multipart body itself: how parts are divided, and their headers. */
  'envelope',
  /** Not JSON, or JSON that `JSON.stringify` does not write: spaces, needless escapes, a key twice. */
  'spelling',
  /** A field that is no part. */
  'name',
  /** A string that begins with `$` and is no form that a client sends. */
  'form',
  /** A reference that leads to something that was not sent. */
  'path',
  /** References that lead back to themselves and never to a value. */
  'circle',
  /** A part that is spoken of and did not come. */
  'missing',
  /** A part of which the arguments do not speak. */
  'unreferenced',
  /** A part that came twice, or is used by two. */
  'twice',
  /** A part that is not what is said of it. */
  'shape',
  /** A part that came after the one that could only be written once this one was. */
  'order',
  /** More than React's servers take, or deeper than a client can write. */
  'size',
] as const;

export type ForgeryRule = (typeof forgeryRules)[number];

/** A published advisory whose shape a body has. What is forged need not have one. */
export type Advisory = 'CVE-2025-55182' | 'CVE-2025-55184' | 'CVE-2026-23864';

export type Breach = {
  readonly rule: ForgeryRule;
  /** The name of the field in which it is; empty for the whole body. */
  readonly part: string;
  /** In words, with at most a short piece of the body. */
  readonly detail: string;
  readonly advisory: Advisory | undefined;
};

export type Judgement =
  | { readonly kind: 'possible' }
  /** Nobody has looked at it: it has more values than are looked at. */
  | { readonly kind: 'too-large' }
  /** At least one breach, at most twenty. */
  | { readonly kind: 'forged'; readonly breaches: readonly Breach[] };

const maxBreaches = 20;
const longestPiece = 80;

/** A piece of a body, for a sentence about it. */
export function quote(text: string): string {
  return JSON.stringify(text.length > longestPiece ? `${text.slice(0, longestPiece)}…` : text);
}

export type Breaches = {
  readonly add: (rule: ForgeryRule, part: string, detail: string, advisory?: Advisory) => void;
  readonly list: () => readonly Breach[];
  /** Nothing more is listed, so nothing more need be looked for. */
  readonly isFull: () => boolean;
};

export function createBreaches(): Breaches {
  const found: Breach[] = [];
  return {
    add(rule, part, detail, advisory) {
      if (found.length < maxBreaches) found.push({ rule, part: part.slice(0, longestPiece), detail, advisory });
    },
    list: () => found,
    isFull: () => found.length >= maxBreaches,
  };
}
