import type { Kysely } from 'kysely';

import type { Tables } from '../schema.ts';

/**
 * What a process that hears the notification (share-store.ts) adds to the version that the store asks for now and then: so a change on
 * another server counts as soon as it is heard of, and nothing is believed for long when nothing can be heard.
 */
const versions = new WeakMap<Kysely<Tables>, () => number>();

export function readHeardVersion(db: Kysely<Tables>): number {
  return versions.get(db)?.() ?? 0;
}

/** @returns what ends it */
export function provideHeardVersion(db: Kysely<Tables>, read: () => number): () => void {
  versions.set(db, read);
  return () => void versions.delete(db);
}
