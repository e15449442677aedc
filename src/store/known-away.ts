import type { Store } from './open-store.ts';

/**
 * Whether it is known that the database does not answer: then nobody has to ask it to find out. The server provides it
 * (src/faults/kept/keep.ts); a command has nobody who knows, and asks.
 */
const known = new WeakMap<Store, () => boolean>();

export function isKnownAway(store: Store): boolean {
  return known.get(store)?.() ?? false;
}

/** @returns what ends it */
export function provideAway(store: Store, read: () => boolean): () => void {
  known.set(store, read);
  return () => void known.delete(store);
}
