/** An app that is being deleted: its row is gone, and its data is being deleted in the background (delete-app.ts). */
export type Deletion = {
  readonly app: string;
  /** As it was called; its id where only that is known. */
  readonly name: string;
  /** Flights that are still there. Undefined until they were counted. */
  readonly flightsLeft: number | undefined;
  /** Why it stopped; the next start of the server tries again. */
  readonly problem: string | undefined;
};

const deletions = new Map<string, Deletion>();

/** Those that run, and those that failed. */
export function listDeletions(): readonly Deletion[] {
  return [...deletions.values()];
}

/** An app that were added under this id would lose its data, or get the old one. */
export function isBeingDeleted(app: string): boolean {
  return deletions.has(app);
}

export function noteDeletion(deletion: Deletion): void {
  deletions.set(deletion.app, deletion);
}

export function endDeletion(app: string): void {
  deletions.delete(app);
}
