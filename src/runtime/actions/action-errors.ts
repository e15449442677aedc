import type { RefusalCode } from '#src/server/http/refusals.ts';

/**
 * What an action's promise rejects with. A refusal is no fault of the page: the notice tells of it, and whoever called
 * the action may go on. An error that the action threw carries the server's digest and belongs to an error boundary.
 */
export type Refusal =
  /** The server said no, before anything ran. */
  | { readonly code: RefusalCode }
  /** No answer came. Whether the server got the request is not known, so it is never sent again by itself. */
  | { readonly code: 'unreachable' }
  /** Something between here and the server answered: a proxy while the server restarts, say. */
  | { readonly code: 'unexpected'; readonly status: number };

const refusalOf = new WeakMap<Error, Refusal>();

export function createRefusedError(refusal: Refusal, cause?: unknown): Error {
  const error = new Error(`The server action was not carried out: ${refusal.code}`, { cause });
  error.name = 'ActionRefusedError';
  refusalOf.set(error, refusal);
  return error;
}

/** Why the action was not carried out; undefined for every other error. */
export function readRefusal(error: unknown): Refusal | undefined {
  return error instanceof Error ? refusalOf.get(error) : undefined;
}
