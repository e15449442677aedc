import 'server-only';

/**
 * Which digests are held back. A digest that a person has read must lead to its cause, even when this process is killed
 * a moment later. So the bytes that carry a digest wait until its record is kept. The gates that hold bytes back
 * (renderer/digest-gate.ts, plain failures) ask this module.
 */
const waiting = new Map<string, Promise<void>>();

/** Holds `digest` back until `kept` settles. It may reject: a record that cannot be kept is in the log. */
export function holdDigest(digest: string, kept: Promise<unknown>): void {
  const release = () => void waiting.delete(digest);
  waiting.set(digest, kept.then(release, release));
}

/** Resolves when the record of `digest` is kept, or is known not to be. Undefined when there is nothing to wait for. */
export function whenKept(digest: string): Promise<void> | undefined {
  return waiting.get(digest);
}
