import { forgeryRules, type Advisory, type ForgeryRule } from '#flight';

/**
 * What somebody tried: a request that calls a server function and that no client of React could have written, or that names a
 * function which no build can have had. Kept one row for each kind, network and answer, with a count: a scan is a few rows.
 */
export const tryRules = [...forgeryRules, 'unknown-action'] as const;
export type TryRule = ForgeryRule | 'unknown-action';

export type ForgedTry = {
  readonly app: string;
  readonly rule: TryRule;
  readonly advisory: Advisory | '';
  /** Of the sender: shortened, so that it is no person's. */
  readonly network: string;
  /** What the app answered; 0: nothing. */
  readonly status: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly path: string;
  readonly action: string;
  /** What is wrong, in words. */
  readonly detail: string;
  /** The beginning of the request's body, with what is secret by its name taken out. */
  readonly body: string;
};

export type StoredTry = Omit<ForgedTry, 'at' | 'rule' | 'advisory'> & {
  rule: string;
  advisory: string;
  count: number;
  first_at: number;
  last_at: number;
};

/** Of one app. What then comes from other networks is counted together. */
export const triesKept = 1_000;
export const otherNetworks = 'other networks';
