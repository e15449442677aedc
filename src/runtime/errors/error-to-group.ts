import 'server-only';

import type { SourceFrame } from './source-maps.ts';

export type FrameOfError = SourceFrame & {
  /** Its file was named by an address, as browsers do: of a script, or of the page that has the code. */
  readonly isAddress?: boolean;
};

/** What its fingerprint is made of (fingerprint.ts). */
export type ErrorToGroup = {
  readonly name: string;
  readonly message: string;
  /** What the message was made of. It counts instead of the message: its values are no part of it. */
  readonly template?: string | undefined;
  /** Innermost first, resolved as far as maps are known. */
  readonly frames: readonly FrameOfError[];
  /** The fingerprint that its sender gave; `{{ default }}` in it stands for what would be computed. Empty: none. */
  readonly given?: readonly string[];
  /**
   * The route's pattern or the transaction's name, for errors without frames of their own. Never a path with values: each of
   * them would be a fault.
   */
  readonly culprit?: string;
  /** A framework named it: a number in it is no value. */
  readonly isPattern?: boolean;
  /** The type was made up by the SDK: a captured message, a rejected value that is no error. */
  readonly isSynthetic?: boolean;
  /** `error.cause`, outermost first. Without frames it counts by its name and message. */
  readonly causes?: readonly Cause[];
};

export type Cause = { readonly name: string; readonly message: string; readonly frames?: readonly FrameOfError[] };
