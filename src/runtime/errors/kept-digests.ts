import 'server-only';

/**
 * Digests on their way out. A digest that somebody has read must lead to its cause, also when this process is killed the
 * moment after: so the bytes that carry one wait until its record is where it stays. Here stands which digests wait; the
 * gates that hold bytes back (renderer/digest-gate.ts, plain failures) ask for it.
 */
const waiting = new Map<string, Promise<void>>();

/** Holds `digest` back until `kept` settles, either way: a record that cannot be kept is in the log. */
export function holdDigest(digest: string, kept: Promise<unknown>): void {
  const release = () => void waiting.delete(digest);
  waiting.set(digest, kept.then(release, release));
}

/** Resolves when the record of `digest` is kept, or known not to be; undefined when nothing has to be waited for. */
export function whenKept(digest: string): Promise<void> | undefined {
  return waiting.get(digest);
}
