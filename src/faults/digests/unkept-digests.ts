import 'server-only';

import { requireReader } from '#src/access/require-reader.ts';

/**
 * Digests that were sent although the database does not have them: the disk was full, broken or too slow, or the database is away. The
 * log has the error. The page of such a digest says so, for as long as this process lives.
 */
export type Unkept = {
  /** Milliseconds since 1970. */
  readonly time: number;
} & (
  | { readonly type: 'logged'; readonly reason: string }
  /** On this server's disk, and in the database when that answers again. */
  | { readonly type: 'waiting' }
);

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
  requireReader();
  return unkept.get(digest);
}
