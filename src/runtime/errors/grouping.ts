import 'server-only';

/** What tells errors with one fingerprint apart: the line that failed, the causes, the message. */
export const traits = ['line', 'cause', 'message'] as const;
export type Trait = (typeof traits)[number];
export function isTrait(value: unknown): value is Trait {
  return traits.some((trait) => trait === value);
}

/** Empty where the error says nothing of it. */
export type Traits = Readonly<Record<Trait, string>>;

/** Why an error has its fingerprint: for a person who asks why two errors are one fault, or are not. */
export type Grouping = {
  /** 16 hex characters: 64 bits, enough for the thousands of different faults that one app can have. */
  readonly fingerprint: string;
  readonly rule: 'given' | 'frames' | 'culprit' | 'message';
  /** What was hashed, as facts: `Type TypeError`, `Frame src/cart.ts · addItem`; `Left out …` says what was not, and why. */
  readonly parts: readonly string[];
  /** What tells errors of it apart when it is split (narrow-grouping.ts). Undefined where the row does not say it. */
  readonly traits?: Traits | undefined;
  /** The fingerprint that was split, where this is a part of one. */
  readonly splitOf?: string;
};
