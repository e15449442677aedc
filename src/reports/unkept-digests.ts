import 'server-only';

import { requireOperator } from '#src/operator/require-operator.ts';

/**
 * Digests that went out although the database does not have them: the disk was full, broken or too slow. The log has the
 * error. Who looks one up is told so, for as long as this process lives.
 */
export type Unkept = {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly reason: string;
};

/** Some 200 bytes each. Whoever looks up an older one reads the log anyway: there are a thousand newer. */
const unkeptLimit = 1_000;

const unkept = new Map<string, Unkept>();

export function noteUnkept(digest: string, why: Unkept): void {
  unkept.set(digest, why);
  const oldest = unkept.keys().next();
  if (unkept.size > unkeptLimit && !oldest.done) unkept.delete(oldest.value);
}

/** The disk took it after all. */
export function forgetUnkept(digest: string): void {
  unkept.delete(digest);
}

/** Why the record of `digest` is in the log alone; undefined for one that this process does not know to be. */
export function findUnkept(digest: string): Unkept | undefined {
  requireOperator();
  return unkept.get(digest);
}
