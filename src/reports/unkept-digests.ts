import 'server-only';

import { requireOperator } from '#src/operator/require-operator.ts';

/**
 * Digests that were sent although the database does not have them: the disk was full, broken or too slow. The log has
 * the error. The page of such a digest says so, for as long as this process lives.
 */
export type Unkept = {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly reason: string;
};

/** Some 200 bytes each. For an older digest the log has to be read anyway: a thousand newer errors are missing too. */
const unkeptLimit = 1_000;

const unkept = new Map<string, Unkept>();

export function noteUnkept(digest: string, why: Unkept): void {
  unkept.set(digest, why);
  const oldest = unkept.keys().next();
  if (unkept.size > unkeptLimit && !oldest.done) unkept.delete(oldest.value);
}

/** The disk took it later. */
export function forgetUnkept(digest: string): void {
  unkept.delete(digest);
}

/** Why only the log has the record of `digest`; undefined when this process knows of no such reason. */
export function findUnkept(digest: string): Unkept | undefined {
  requireOperator();
  return unkept.get(digest);
}
