/** A file as it was saved. */
export type SavedFile = { readonly file: string; readonly text: string };

/** What is measured: nothing is known of the file where a page asked for it. */
export type Measured = { readonly saved: SavedFile | undefined; readonly isOver: boolean };

/**
 * Whether a save is the one that is being measured: the file system tells of some saves twice. Measured again it would be compared with
 * itself, and the strip would say that nothing changed. Who saves the same text later wants it measured again.
 */
export function isSameSave({ saved, isOver }: Measured, again: SavedFile | undefined): boolean {
  return !isOver && saved !== undefined && saved.file === again?.file && saved.text === again.text;
}
